/** Metrics of requests by the names and labels of Kubernetes. */
import { afterEach, describe, expect, test } from 'vitest';
import { ApiServer, kubernetes, type ApiServerOptions } from '../../src/entries/index.js';
import { Metrics } from '../../src/server/metrics/metrics.js';
import { createManualClock } from '../../src/entries/testing.js';
import { ask, textOf } from './ask.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const MAPS = '/api/v1/namespaces/default/configmaps';

function start(options: ApiServerOptions = {}): ApiServer {
  const tokens = [
    { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
    { token: 'alice', user: { username: 'alice@example.com', groups: [] } },
  ];
  const server = new ApiServer({
    dialect: kubernetes,
    ...options,
    authentication: { tokens, ...options.authentication },
  });
  servers.push(server);
  return server;
}

/** The lines of a metric that have a text. */
async function lines(server: ApiServer, name: string, text = ''): Promise<string[]> {
  const all = textOf(await ask(server, 'GET', '/metrics')).split('\n');
  return all.filter((line) => line.startsWith(name) && !line.startsWith('#') && line.includes(text));
}

const labels = (more: string): string => `{${more}}`;

test('requests are counted by verb, resource, scope and code', async () => {
  const server = start();
  const post = { body: JSON.stringify({ metadata: { name: 'a' } }) };
  await ask(server, 'POST', MAPS, post);
  await ask(server, 'POST', MAPS, post);
  await ask(server, 'POST', `${MAPS}?dryRun=All`, { body: JSON.stringify({ metadata: { name: 'b' } }) });
  await ask(server, 'GET', `${MAPS}/a`);
  await ask(server, 'GET', '/api/v1/configmaps');
  await ask(server, 'DELETE', MAPS);
  const apply = { 'content-type': 'application/apply-patch+yaml' };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
  await ask(server, 'PATCH', `${MAPS}/c?fieldManager=me`, { body, headers: apply });
  const line = (code: number, dryRun: string, scope: string, verb: string): string =>
    `apiserver_request_total${labels(`code="${code}",component="apiserver",dry_run="${dryRun}",group="",resource="configmaps",scope="${scope}",subresource="",verb="${verb}",version="v1"`)} 1`;
  expect((await lines(server, 'apiserver_request_total', 'configmaps')).sort()).toEqual(
    [
      line(201, '', 'namespace', 'POST'),
      line(409, '', 'namespace', 'POST'),
      line(201, 'All', 'namespace', 'POST'),
      line(200, '', 'resource', 'GET'),
      line(200, '', 'cluster', 'LIST'),
      line(200, '', 'namespace', 'DELETECOLLECTION'),
      line(201, '', 'resource', 'APPLY'),
    ].sort(),
  );
});

test('what clients invent makes no series of its own', async () => {
  const server = start();
  for (let index = 0; index < 50; index += 1) {
    await ask(server, 'GET', `/apis/made-up-${index}/v1/things/x`);
    await ask(server, 'GET', `${MAPS}/a/sub-${index}`);
    await ask(server, 'GET', `/path-${index}`);
    await ask(server, `METHOD${index}`, '/version');
    await ask(server, 'GET', `${MAPS}?dryRun=x${index}`);
  }
  const found = await lines(server, 'apiserver_request_total');
  expect(found.filter((line) => /made-up|sub-|path-|METHOD/.test(line))).toEqual([]);
  expect(found.length).toBeLessThan(20);
});

test('durations and sizes are distributed over buckets', async () => {
  const clock = createManualClock();
  const server = start({ clock });
  await ask(server, 'POST', MAPS, {
    body: JSON.stringify({ metadata: { name: 'a' }, data: { a: 'x'.repeat(5_000) } }),
  });
  await ask(server, 'GET', `${MAPS}/a`);
  const sizes = await lines(server, 'apiserver_response_sizes', 'configmaps');
  expect(sizes.map((line) => [/le="([^"]+)"/.exec(line)?.[1], line.split(' ').at(-1)]).slice(0, 3)).toEqual([
    ['1000', '0'],
    ['10000', '1'],
    ['100000', '1'],
  ]);
  const durations = await lines(server, 'apiserver_request_duration_seconds_bucket', 'verb="GET"');
  expect(durations.find((line) => line.includes('configmaps') && line.includes('le="+Inf"'))).toMatch(/ 1$/);
});

test('watches count while they are open, and as requests when they have ended', async () => {
  const clock = createManualClock();
  const server = start({ clock });
  const path = '/api/v1/configmaps';
  const abort = new AbortController();
  const response = await ask(server, 'GET', `${path}?watch=true&timeoutSeconds=5`, { signal: abort.signal });
  expect(await lines(server, 'apiserver_longrunning_requests', 'configmaps')).toEqual([
    `apiserver_longrunning_requests${labels('component="apiserver",group="",resource="configmaps",scope="cluster",subresource="",verb="WATCH",version="v1"')} 1`,
  ]);
  expect(await lines(server, 'apiserver_request_total', 'verb="WATCH"')).toEqual([]);
  const { body } = response;
  if (typeof body !== 'object' || !('stream' in body)) throw new Error('no stream');
  const iterator = body.stream[Symbol.asyncIterator]();
  const ended = iterator.next();
  await clock.advance(6_000);
  expect((await ended).done).toBe(true);
  expect((await lines(server, 'apiserver_longrunning_requests', 'configmaps'))[0]).toMatch(/ 0$/);
  expect((await lines(server, 'apiserver_request_total', 'verb="WATCH"'))[0]).toMatch(/code="200".* 1$/);
  expect((await lines(server, 'apiserver_request_duration_seconds_sum', 'verb="WATCH"'))[0]).toMatch(/ [56]$/);
});

test('requests beyond the limits are counted as terminated', async () => {
  const server = start({ limits: { watches: { max: 1 } } });
  await ask(server, 'GET', '/api/v1/configmaps?watch=true');
  expect((await ask(server, 'GET', '/api/v1/configmaps?watch=true')).status).toBe(429);
  expect(await lines(server, 'apiserver_request_terminations_total')).toEqual([
    `apiserver_request_terminations_total${labels('code="429",component="apiserver",group="",resource="configmaps",scope="cluster",subresource="",verb="WATCH",version="v1"')} 1`,
  ]);
});

test('authentication and authorization are counted', async () => {
  const server = start();
  await ask(server, 'GET', MAPS);
  await ask(server, 'GET', MAPS, { token: 'alice' });
  await ask(server, 'GET', MAPS, { token: 'wrong' });
  expect(await lines(server, 'authentication_attempts', 'error')).toEqual([
    'authentication_attempts{result="error"} 1',
  ]);
  expect((await lines(server, 'authenticated_user_requests', 'email_id'))[0]).toBe(
    'authenticated_user_requests{username="email_id"} 1',
  );
  expect(await lines(server, 'authorization_attempts_total', 'no-opinion')).toEqual([
    'authorization_attempts_total{result="no-opinion"} 1',
  ]);
});

describe('the text format', () => {
  test('of a histogram has cumulative buckets', () => {
    const metrics = new Metrics();
    const histogram = metrics.histogram({ name: 'h_seconds', help: 'Some\nhelp.', buckets: [1, 2, 5] });
    const series = histogram.series({ kind: 'a"b' });
    for (const value of [0.5, 1, 3, 9]) series.observe(value);
    expect(String(metrics)).toBe(
      [
        String.raw`# HELP h_seconds Some\nhelp.`,
        '# TYPE h_seconds histogram',
        String.raw`h_seconds_bucket{kind="a\"b",le="1"} 2`,
        String.raw`h_seconds_bucket{kind="a\"b",le="2"} 2`,
        String.raw`h_seconds_bucket{kind="a\"b",le="5"} 3`,
        String.raw`h_seconds_bucket{kind="a\"b",le="+Inf"} 4`,
        String.raw`h_seconds_sum{kind="a\"b"} 13.5`,
        String.raw`h_seconds_count{kind="a\"b"} 4`,
        '',
      ].join('\n'),
    );
    expect(() => metrics.counter({ name: 'h_seconds', help: '' })).toThrow('metric h_seconds is a histogram');
  });
});

test('events of watches, stored objects and the process are measured', async () => {
  const clock = createManualClock();
  const server = start({ clock });
  const response = await ask(server, 'GET', `${MAPS}?watch=true`);
  const { body } = response;
  if (typeof body !== 'object' || !('stream' in body)) throw new Error('no stream');
  const iterator = body.stream[Symbol.asyncIterator]();
  for (const name of ['a', 'b']) {
    await ask(server, 'POST', MAPS, { body: JSON.stringify({ metadata: { name } }) });
    await iterator.next();
  }
  expect(await lines(server, 'apiserver_watch_events_total')).toEqual([
    'apiserver_watch_events_total{group="",kind="ConfigMap",version="v1"} 2',
  ]);
  const count = async () =>
    Number((await lines(server, 'apiserver_storage_objects', '"configmaps"'))[0]?.split(' ').at(-1));
  const before = await count();
  expect(before).toBeGreaterThanOrEqual(2);
  await ask(server, 'POST', MAPS, { body: JSON.stringify({ metadata: { name: 'c' } }) });
  expect(await count()).toBe(before);
  await clock.advance(30_000);
  expect(await count()).toBe(before + 1);
  const [memory] = await lines(server, 'process_resident_memory_bytes');
  expect(Number(memory?.split(' ').at(-1))).toBeGreaterThan(1e7);
});

test('plugins of admission are measured by name, operation and outcome', async () => {
  const refuses = {
    name: 'Refuses',
    operations: ['CREATE'] as const,
    validate: () => {
      throw new Error('no');
    },
  };
  const server = start({
    admission: { plugins: [refuses] },
    observability: { logger: { info: () => undefined, error: () => undefined } },
  });
  await ask(server, 'POST', MAPS, { body: JSON.stringify({ metadata: { name: 'a' } }) });
  const name = 'apiserver_admission_controller_admission_duration_seconds_count';
  // Controllers of the server create objects, too.
  const refused = await lines(server, name, '"Refuses"');
  expect(refused.map((line) => line.split('} ')[0])).toEqual([
    `${name}{name="Refuses",operation="CREATE",rejected="true",type="validate"`,
  ]);
  expect(await lines(server, name, '"NamespaceLifecycle"')).not.toEqual([]);
});

test('all plugins of a phase are measured together, by operation and outcome', async () => {
  const clock = createManualClock();
  const name = 'apiserver_admission_step_admission_duration_seconds';
  let admitted = 0;
  const slow = {
    name: 'Slow',
    operations: ['CREATE'] as const,
    mutate: () =>
      new Promise<undefined>((resolve) => {
        admitted += 1;
        clock.after(2000, () => resolve(undefined));
      }),
    validate: () => {
      throw new Error('no');
    },
  };
  const own = ({ info }: { readonly info: { readonly resource: string } }): boolean => info.resource === 'configmaps';
  const admission = [
    {
      ...slow,
      mutate: (attributes: Parameters<typeof own>[0]) => (own(attributes) ? slow.mutate() : undefined),
      validate: (attributes: Parameters<typeof own>[0]) => (own(attributes) ? slow.validate() : undefined),
    },
  ];
  const server = start({
    clock,
    admission: { plugins: admission },
    observability: { logger: { info: () => undefined, error: () => undefined } },
  });
  const answer = ask(server, 'POST', MAPS, { body: JSON.stringify({ metadata: { name: 'a' } }) });
  while (admitted === 0) await new Promise(setImmediate);
  await clock.advance(2000);
  expect((await answer).status).toBe(500);
  expect(await lines(server, `${name}_sum`, 'operation="CREATE",rejected="false",type="admit"')).toEqual([
    `${name}_sum{operation="CREATE",rejected="false",type="admit"} 2`,
  ]);
  expect(await lines(server, `${name}_count`, 'rejected="true"')).toEqual([
    `${name}_count{operation="CREATE",rejected="true",type="validate"} 1`,
  ]);
});
