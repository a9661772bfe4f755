/** Metrics of service levels, filters, late requests and of the server itself; options of metrics; hostile requests. */
import { afterEach, describe, expect, test } from 'vitest';
import { ApiServer, kubernetes, webhook, type ApiServerOptions } from '../../src/entries/index.js';
import { MetricRules } from '../../src/server/metrics/metric-rules.js';
import { Metrics } from '../../src/server/metrics/metrics.js';
import { createManualClock, startTestServer } from '../../src/entries/testing.js';
import { ask, textOf } from './ask.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const MAPS = '/api/v1/namespaces/default/configmaps';

function start(options: ApiServerOptions = {}): ApiServer {
  const server = new ApiServer({
    dialect: kubernetes,
    ...options,
    authentication: { ownerToken: 'admin', ...options.authentication },
  });
  servers.push(server);
  return server;
}

const metricsOf = async (server: ApiServer): Promise<string> => textOf(await ask(server, 'GET', '/metrics'));

async function samples(server: ApiServer, name: string, text = ''): Promise<string[]> {
  const all = (await metricsOf(server)).split('\n');
  return all.filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(text));
}

const textSpec = { type: 'object', properties: { a: { type: 'string', maxLength: 10 } } };
const body = JSON.stringify({ metadata: { name: 'a' } });

test('memory is shown by use, with the requests that got none', async () => {
  const server = start({ limits: { memoryBytes: 40 * 2 ** 20, bodyBytes: 2 ** 20 } });
  await ask(server, 'GET', MAPS);
  const uses = await samples(server, 'apiserver_memory_reserved_bytes');
  expect(uses.map((line) => /use="(\w+)"/.exec(line)?.[1]).sort()).toEqual([
    ...[
      'bodies',
      'compiled',
      'decodedForms',
      'encodings',
      'history',
      'indexes',
      'objectTexts',
      'objects',
      'recordings',
      'snapshots',
      'watchBuffers',
      'watchCache',
    ],
  ]);
  expect(uses.find((line) => line.includes('"objects"'))).toMatch(/ [1-9]\d+$/);
  expect(await samples(server, 'apiserver_memory_refused_total')).toEqual([
    'apiserver_memory_refused_total{reason="budget"} 0',
    'apiserver_memory_refused_total{reason="user"} 0',
  ]);
  const data = { metadata: { name: 'large' }, data: { text: 'x'.repeat(1_000_000) } };
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => ask(server, 'POST', MAPS, { body: JSON.stringify(data) })),
  );
  const refused = answers.filter(({ status }) => status === 429).length;
  expect(refused).toBeGreaterThan(0);
  const [budget = ''] = await samples(server, 'apiserver_memory_refused_total', 'budget');
  expect(Number(budget.split(' ')[1])).toBeGreaterThanOrEqual(refused);
});

test('what is compiled of definitions is shown', async () => {
  await using test = await startTestServer({ dialect: 'kubernetes', authentication: { ownerToken: 'admin' } });
  const { server } = test;
  const rule = { rule: 'self.a == "b"' };
  const names = { plural: 'things', kind: 'Thing' };
  const schema = { type: 'object', properties: { spec: { 'x-kubernetes-validations': [rule], ...textSpec } } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const definition = {
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Cluster', names, versions: [version] },
  };
  expect((await samples(server, 'apiserver_compiled_bytes'))[0]).toBe('apiserver_compiled_bytes 0');
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect((await ask(server, 'POST', path, { body: JSON.stringify(definition) })).status).toBe(201);
  await test.settled();
  const made = await ask(server, 'POST', '/apis/example.com/v1/things', {
    body: JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { a: 'b' } }),
  });
  expect(made.status).toBe(201);
  expect((await samples(server, 'apiserver_compiled_bytes'))[0]).toMatch(/ [1-9]\d+$/);
});

test('the time of webhooks does not count for the service level', async () => {
  const clock = createManualClock();
  const server = start({
    clock,
    admission: {
      plugins: [
        webhook({
          name: 'slow.example.com',
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          handler: async () => {
            await clock.advance(4_000);
            return { allowed: true };
          },
        }),
      ],
    },
  });
  expect((await ask(server, 'POST', MAPS, { body })).status).toBe(201);
  expect((await samples(server, 'apiserver_request_duration_seconds_sum', 'verb="POST"'))[0]).toMatch(/ 4$/);
  expect((await samples(server, 'apiserver_request_sli_duration_seconds_sum', 'verb="POST"'))[0]).toMatch(/ 0$/);
});

test('filters are timed by their names in Kubernetes', async () => {
  const server = start();
  await ask(server, 'GET', MAPS);
  const lines = await samples(server, 'apiserver_request_filter_duration_seconds_count');
  expect(lines.map((line) => /filter="(\w+)"/.exec(line)?.[1])).toEqual([
    ...['authentication', 'impersonation', 'authorization'],
  ]);
});

test('a filter is timed until it passes a request on, and the time between filters belongs to none', async () => {
  const clock = createManualClock();
  const server = start({
    clock,
    authentication: { authenticators: [() => clock.advance(1_000).then(() => undefined)] },
    authorization: { authorizer: () => clock.advance(2_000).then(() => ({ decision: 'Allow', reason: '' })) },
    interceptor: {
      request: async ({ via }, proceed) => {
        if (via === 'http') await clock.advance(4_000);
        await proceed();
      },
    },
  });
  await server.ready();
  await ask(server, 'GET', MAPS);
  // The request for the metrics is the second one.
  const sums = await samples(server, 'apiserver_request_filter_duration_seconds_sum');
  expect(sums.map((line) => line.slice(line.indexOf('{')))).toEqual([
    '{filter="authentication"} 2',
    '{filter="impersonation"} 0',
    '{filter="authorization"} 4',
  ]);
  expect(await samples(server, 'authentication_duration_seconds_sum', 'success')).toEqual([
    'authentication_duration_seconds_sum{result="success"} 3',
  ]);
  expect(await samples(server, 'authorization_duration_seconds_sum', 'allowed')).toEqual([
    'authorization_duration_seconds_sum{result="allowed"} 8',
  ]);
  expect((await samples(server, 'apiserver_request_duration_seconds_sum', 'verb="LIST"'))[0]).toMatch(/ 7$/);
});

test('a read reads the clock six times', async () => {
  const manual = createManualClock();
  let reads = 0;
  const now = (): number => {
    reads += 1;
    return manual.now();
  };
  const server = start({ clock: { now, after: (delayMs, callback) => manual.after(delayMs, callback) } });
  await ask(server, 'POST', MAPS, { body });
  const path = `${MAPS}/${String(JSON.parse(body).metadata.name)}`;
  await ask(server, 'GET', path);
  // The controllers start with the first request.
  await server.settled();
  reads = 0;
  await ask(server, 'GET', path);
  // Its arrival, the ends of authentication, of authorization and of itself, and both ends of the read of the storage.
  expect(reads).toBe(6);
});

test('what becomes of requests after their deadline is counted', async () => {
  const clock = createManualClock();
  const ends = new Map<string, (error?: Error) => void>();
  const server = start({
    clock,
    admission: {
      plugins: [
        {
          name: 'Hangs',
          operations: ['CREATE'],
          validate: ({ object }) => {
            const name = object?.metadata.name ?? '';
            if (!name.startsWith('late-')) return;
            return new Promise((resolve, reject) => {
              ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
            });
          },
        },
      ],
    },
    observability: { logger: { info: () => {}, error: () => {} } },
  });
  await ask(server, 'GET', MAPS);
  for (const name of ['late-end', 'late-failure', 'late-forever']) {
    const answer = ask(server, 'POST', `${MAPS}?timeout=1s`, { body: JSON.stringify({ metadata: { name } }) });
    while (!ends.has(name)) await new Promise(setImmediate);
    await clock.advance(1_000);
    expect((await answer).status).toBe(504);
  }
  ends.get('late-end')?.();
  ends.get('late-failure')?.(new Error('bug'));
  await new Promise(setImmediate);
  await clock.advance(5 * 60_000);
  const line = (status: string): string =>
    `apiserver_request_post_timeout_total{source="timeout-handler",status="${status}"} 1`;
  expect((await samples(server, 'apiserver_request_post_timeout_total')).sort()).toEqual(
    [line('ok'), line('panic'), line('pending')].sort(),
  );
  ends.get('late-forever')?.();
});

test('the build, the features and the process are described', async () => {
  const server = start({ version: { gitCommit: 'abc', platform: 'linux/amd64' }, featureGates: { WatchList: true } });
  const text = await metricsOf(server);
  expect(text).toMatch(/^kubernetes_build_info\{.*git_commit="abc".*platform="linux\/amd64"\} 1$/m);
  expect(text).toContain('\nkubernetes_feature_enabled{name="WatchList",stage="ALPHA"} 1\n');
  expect(text).toContain('\nkubernetes_feature_enabled{name="ServerSideApply",stage=""} 1\n');
  expect(text).toMatch(/^authentication_duration_seconds_count\{result="success"\} [1-9]/m);
  if (process.platform === 'linux') {
    expect(text).toMatch(/^process_open_fds [1-9]/m);
    expect(text).toMatch(/^process_max_fds [1-9]/m);
    expect(text).toMatch(/^process_virtual_memory_bytes [1-9]/m);
  }
});

test('names with the product follow the dialect', async () => {
  const text = await metricsOf(start({ dialect: 'orch' }));
  expect(text).toContain('\norch_feature_enabled{');
  expect(text).not.toMatch(/k8s|kube/i);
  expect(text).toContain('enablement of a orch feature.');
  expect(text).toContain('authenticated_user_requests{username="orch_proxy"} 0');
  const other = await metricsOf(start({}));
  expect(other).toContain('enablement of a k8s feature.');
  expect(other).toContain('authenticated_user_requests{username="kube_proxy"} 0');
});

describe('the option observability.metrics', () => {
  test('hides what an earlier release deprecated, unless the previous release is asked for', async () => {
    const hidden = start();
    await ask(hidden, 'GET', MAPS);
    const text = await metricsOf(hidden);
    expect(text).not.toContain('apiserver_request_slo_duration_seconds');
    expect(text).toContain('\nhidden_metrics_total 1\n');
    const shown = start({ observability: { metrics: { showHiddenForVersion: '1.30' } } });
    await ask(shown, 'GET', MAPS);
    expect(await metricsOf(shown)).toContain(
      '# HELP apiserver_request_slo_duration_seconds [ALPHA] (Deprecated since 1.27.0) Response latency',
    );
  });

  test('follows the release of the server', async () => {
    const server = start({ release: '1.27' });
    await ask(server, 'GET', MAPS);
    expect(await metricsOf(server)).toContain(
      'apiserver_request_slo_duration_seconds [ALPHA] (Deprecated since 1.27.0)',
    );
    expect(() => start({ release: '1.30', observability: { metrics: { showHiddenForVersion: '1.30' } } })).toThrow(
      'the value "1.29"',
    );
  });

  test.each<[object, string]>([
    [
      { showHiddenForVersion: '1.29' },
      'the option observability.metrics.showHiddenForVersion must be omitted or have the value "1.30"',
    ],
    [{ showHiddenForVersion: 1.3 }, 'the option observability.metrics.showHiddenForVersion must be a string'],
    [{ disabled: ['a b'] }, 'the option observability.metrics.disabled must have names of metrics, got "a b"'],
    [
      { allowLabels: { apiserver_request_total: [] } },
      'the option observability.metrics.allowLabels must have keys of a metric and a label',
    ],
    [{ allowLabels: { 'm,l': 'GET' } }, 'the option observability.metrics.allowLabels["m,l"] must be a list of values'],
    [{ hidden: true }, 'hidden'],
  ])('refuses %j', (metrics, message) => {
    expect(() => new ApiServer({ observability: { metrics } })).toThrow(message);
  });

  test('disabling has precedence over showing', () => {
    const rules = new MetricRules({ showHiddenForVersion: '1.30', disabled: ['m'] }, '1.31');
    expect(rules.visibility({ name: 'm', deprecated: '1.27.0' })).toBe('disabled');
    expect(rules.visibility({ name: 'n', deprecated: '1.27.0' })).toBe('shown');
  });

  test('metrics are registered by stability and deprecation', () => {
    const metrics = new Metrics(new MetricRules({}, '1.31'));
    metrics.counter({ name: 'a', help: 'A.', stability: 'ALPHA' }).add();
    metrics.counter({ name: 'b', help: 'B.', stability: 'STABLE', deprecated: '1.31.0' }).add();
    metrics.counter({ name: 'c', help: 'C.' }).add();
    expect(String(metrics)).toContain('# HELP b [STABLE] (Deprecated since 1.31.0) B.\n');
    expect(String(metrics)).toContain('# HELP c C.\n');
    expect(
      String(metrics)
        .split('\n')
        .filter((line) => line.startsWith('registered')),
    ).toEqual([
      'registered_metrics_total{deprecated_version="",stability_level="ALPHA"} 1',
      'registered_metrics_total{deprecated_version="1.31.0",stability_level="STABLE"} 1',
    ]);
  });
});

describe('what clients send adds no series:', () => {
  /** The number of series after a client has sent everything once, and after it has sent much more of it. */
  async function growth(send: (server: ApiServer, index: number) => Promise<unknown>): Promise<[number, number]> {
    const server = start();
    const count = async (): Promise<number> => {
      const lines = (await metricsOf(server)).split('\n');
      return lines.filter((line) => line !== '' && !line.startsWith('#')).length;
    };
    for (let index = 0; index < 3; index += 1) await send(server, index);
    await count();
    const before = await count();
    for (let index = 3; index < 40; index += 1) await send(server, index);
    return [before, await count()];
  }

  test.each<[string, (server: ApiServer, index: number) => Promise<unknown>]>([
    ['odd paths', (server, index) => ask(server, 'GET', `/odd-${index}/%2e%2e/${'x'.repeat(index)}`)],
    ['methods', (server, index) => ask(server, `METHOD${index}`, `${MAPS}/a`)],
    ['verbs in the path', (server, index) => ask(server, 'GET', `/api/v1/verb${index}/namespaces/default/configmaps`)],
    ['user agents', (server, index) => ask(server, 'GET', MAPS, { headers: { 'user-agent': `agent-${index}/1` } })],
    ['resources', (server, index) => ask(server, 'GET', `/apis/apps/v1/namespaces/default/things${index}`)],
    ['groups and versions', (server, index) => ask(server, 'GET', `/apis/group${index}.example.com/v${index}/things`)],
    ['subresources', (server, index) => ask(server, 'GET', `${MAPS}/a/sub${index}`)],
    [
      'names and namespaces',
      (server, index) => ask(server, 'GET', `/api/v1/namespaces/ns${index}/configmaps/x${index}`),
    ],
    ['dry runs', (server, index) => ask(server, 'POST', `${MAPS}?dryRun=${index}`, { body })],
    ['tokens', (server, index) => ask(server, 'GET', MAPS, { token: `wrong-${index}` })],
    ['users', (server, index) => ask(server, 'GET', MAPS, { headers: { 'impersonate-user': `user-${index}` } })],
    ['labels with quotes and line breaks', (server, index) => ask(server, 'GET', `/apis/a"${index}%0a/v1/b\\${index}`)],
    [
      'selectors',
      (server, index) => ask(server, 'GET', `${MAPS}?fieldSelector=metadata.name%3Dx${index}&labelSelector=a${index}`),
    ],
    [
      'content types',
      (server, index) =>
        ask(server, 'PATCH', `${MAPS}/a`, { body, headers: { 'content-type': `application/x-${index}` } }),
    ],
    [
      'trace contexts',
      (server, index) =>
        ask(server, 'GET', MAPS, {
          headers: { traceparent: `00-${String(index).padStart(32, 'a')}-b7ad6b7169203331-01` },
        }),
    ],
  ])('%s', async (_, send) => {
    const [before, after] = await growth(send);
    expect(after).toBe(before);
  });
});
