/** Webhooks that harm: by what they answer, or by what they do meanwhile. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { ConfigMap, webhook } from '../../../src/entries/index.js';
import { MutatingWebhookConfiguration } from '../../../src/entries/kinds.js';
import type { LogFields } from '../../../src/foundation/reporting/logger.js';
import { HookServer, HookWorld, RULE, reviewed, sendJson, type Received } from './support.js';

let hooks: HookServer;
const worlds: HookWorld[] = [];
const logged: [string, LogFields | undefined][] = [];
beforeAll(async () => (hooks = await HookServer.start()));
afterAll(() => hooks.close());
afterEach(async () => {
  logged.length = 0;
  for (const world of worlds.splice(0)) await world[Symbol.asyncDispose]();
});

async function mutatedBy(path: string, failurePolicy: 'Fail' | 'Ignore' = 'Fail'): Promise<HookWorld> {
  const logger = {
    info: () => undefined,
    error: (message: string, fields?: LogFields) => void logged.push([message, fields]),
  };
  const world = await HookWorld.start('https', hooks, [], { observability: { logger } });
  worlds.push(world);
  await world.client.resource(MutatingWebhookConfiguration).create({
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'a.example.com',
        rules: [{ ...RULE }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy,
        clientConfig: { url: hooks.origin + path, caBundle: hooks.caBundle },
      },
    ],
  });
  return world;
}

test('an answer that never ends is not read to its end', async () => {
  let sent = 0;
  hooks.on('/endless', (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1 << 20))) sent += 1;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  const world = await mutatedBy('/endless');
  const { code, message } = await world.create('one');
  expect(code).toBe(500);
  expect(message).toContain('failed to call webhook');
  expect(sent).toBeLessThan(64);
});

test('a patch of too many operations, or one that copies too much, fails its request', async () => {
  const add = { op: 'add' as const, path: '/data', value: { text: 'x'.repeat(1000) } };
  const many = Array.from({ length: 10_001 }, () => add);
  hooks.on('/many', (response, received) => sendJson(response, reviewed(received, { allowed: true, patch: many })));
  const copies = Array.from({ length: 9_000 }, (_, index) => ({
    op: 'copy' as const,
    from: '/data/text',
    path: `/data/${index}`,
  }));
  hooks.on('/copies', (response, received) =>
    sendJson(response, reviewed(received, { allowed: true, patch: [add, ...copies] })),
  );
  for (const path of ['/many', '/copies']) {
    const world = await mutatedBy(path);
    const { code, reason } = await world.create('one');
    expect([code, reason]).toEqual([500, 'InternalError']);
  }
});

test('neither the request nor the answer is logged, and credentials in an answer go to nobody else', async () => {
  hooks.on('/quoting', (response, received) => {
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ quoted: received.review, token: 'hidden-token' }));
  });
  const world = await mutatedBy('/quoting', 'Ignore');
  const { code } = await world.create('one', { data: { password: 'hidden-password' } });
  expect(code).toBe(201);
  expect(logged).toHaveLength(1);
  const texts = logged.map(
    ([message, fields]) =>
      message +
      Object.values(fields ?? {})
        .map((value) => (value instanceof Error ? value.message : JSON.stringify(value)))
        .join(),
  );
  expect(texts.join()).toContain('a.example.com');
  expect(texts.join()).not.toContain('hidden');
});

test('a webhook that uses the server while it is called does not block it', async () => {
  const world: HookWorld = await HookWorld.start('function', hooks, [], {
    admission: {
      plugins: [
        webhook({
          name: 'a.example.com',
          rules: [{ ...RULE, operations: ['CREATE'] }],
          handler: async ({ name }) => {
            if (name === 'outer')
              await world.client
                .resource(ConfigMap)
                .namespace('default')
                .create({ metadata: { name: 'inner' } });
            return { allowed: true };
          },
        }),
      ],
    },
  });
  worlds.push(world);
  expect((await world.create('outer')).code).toBe(201);
  expect((await world.send('GET', '/api/v1/namespaces/default/configmaps/inner')).code).toBe(200);
});

test('a webhook that changes the object meanwhile makes its request conflict or try again', async () => {
  let changes = 0;
  const world: HookWorld = await HookWorld.start('function', hooks, [], {
    admission: {
      plugins: [
        webhook({
          name: 'a.example.com',
          rules: [{ ...RULE, operations: ['UPDATE'] }],
          handler: async ({ object, name = '' }) => {
            if (object?.['data'] === undefined || changes > 0) return { allowed: true };
            changes += 1;
            await world.client
              .resource(ConfigMap)
              .namespace('default')
              .patch(name, { metadata: { labels: { meanwhile: 'yes' } } }, { type: 'merge' });
            return { allowed: true };
          },
        }),
      ],
    },
  });
  worlds.push(world);
  await world.create('one');
  const patched = await world.send(
    'PATCH',
    '/api/v1/namespaces/default/configmaps/one',
    { data: { a: 'b' } },
    { headers: { 'content-type': 'application/merge-patch+json' } },
  );
  expect([patched.code, patched.body['data']]).toEqual([200, { a: 'b' }]);
  expect(patched.body['metadata']).toMatchObject({ labels: { meanwhile: 'yes' } });
});

test('a webhook for a resource sees its subresources only when a rule names them', async () => {
  const seen: string[] = [];
  const handler = ({ subResource = '', operation }: { subResource?: string | undefined; operation: string }) => {
    seen.push(`${operation} ${subResource}`);
    return { allowed: true };
  };
  const rule = { ...RULE, operations: ['*'], resources: ['pods'] };
  const world = await HookWorld.start('function', hooks, [
    { name: 'main.example.com', rules: [rule], handler },
    { name: 'status.example.com', rules: [{ ...rule, resources: ['pods/status', 'pods/eviction'] }], handler },
  ]);
  worlds.push(world);
  const pods = '/api/v1/namespaces/default/pods';
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  await world.send('POST', pods, pod);
  await world.send(
    'PATCH',
    `${pods}/p/status`,
    { status: { phase: 'Running' } },
    { headers: { 'content-type': 'application/merge-patch+json' } },
  );
  await world.send('POST', `${pods}/p/eviction?dryRun=All`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'p' },
  });
  await world.send(
    'PATCH',
    `${pods}/q?fieldManager=me`,
    { apiVersion: 'v1', kind: 'Pod', ...pod, metadata: { name: 'q' } },
    { headers: { 'content-type': 'application/apply-patch+yaml' } },
  );
  await world.send('DELETE', pods);
  expect(seen).toEqual(['CREATE ', 'UPDATE status', 'CREATE eviction', 'CREATE ', 'DELETE ', 'DELETE ']);
});

test('the answers of two requests, exchanged, patch neither of them', async () => {
  const waiting: { readonly response: Parameters<typeof sendJson>[0]; readonly received: Received }[] = [];
  hooks.on('/exchanged', (response, received) => {
    waiting.push({ response, received });
    const [one, other] = waiting;
    if (one === undefined || other === undefined) return;
    const labelled = ({ received: asked }: typeof one) =>
      reviewed(asked, {
        allowed: true,
        patch: [{ op: 'add', path: '/metadata/labels', value: { of: asked.review.request.name ?? '' } }],
      });
    sendJson(one.response, labelled(other));
    sendJson(other.response, labelled(one));
  });
  const world = await mutatedBy('/exchanged');
  const made = await Promise.all([world.create('one'), world.create('other')]);
  for (const { code, message } of made) {
    expect(code).toBe(500);
    expect(message).toContain('expected response.uid=');
  }
});

test('an answer that trickles does not hold its request beyond the timeout', async () => {
  let ended = false;
  hooks.on('/trickle', (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{');
    response.on('close', () => (ended = true));
  });
  const world = await mutatedBy('/trickle');
  const pending = world.create('one');
  await vi.waitFor(() => expect(hooks.received.some(({ url }) => url?.startsWith('/trickle') === true)).toBe(true));
  await world.clock.advance(10_000);
  const { code, message } = await pending;
  expect(code).toBe(500);
  expect(message).toContain('context deadline exceeded');
  await vi.waitFor(() => expect(ended).toBe(true));
});

test('slow webhooks share the time of the request: the last ones are not called', async () => {
  const called: string[] = [];
  const slow = (name: string) =>
    webhook({
      ...{ name, phase: 'Mutating', rules: [{ ...RULE }], failurePolicy: 'Ignore', timeout: '30s' },
      handler: () => {
        called.push(name);
        return new Promise(() => undefined);
      },
    });
  const world: HookWorld = await HookWorld.start('function', hooks, [], {
    admission: { plugins: ['a', 'b', 'c', 'd'].map((name) => slow(`${name}.example.com`)) },
  });
  worlds.push(world);
  const pending = world.create('one', {}, '?timeout=40s');
  for (let index = 0; index < 45; index += 1) await world.clock.advance(1000);
  expect((await pending).code).toBe(504);
  expect(called).toEqual(['a.example.com', 'b.example.com']);
});

test('a redirect gets neither the review nor the credentials', async () => {
  const before = hooks.received.length;
  hooks.on('/there', (response, received) => sendJson(response, reviewed(received, { allowed: true })));
  hooks.on('/redirect', (response) => void response.writeHead(307, { location: `${hooks.origin}/there` }).end());
  const world = await mutatedBy('/redirect');
  expect((await world.create('one')).message).toContain('status code 307');
  expect(hooks.received.slice(before).map(({ url }) => url?.split('?')[0])).toEqual(['/redirect']);
});

test('a webhook that is called for what it writes itself ends its request at the timeout, and blocks nothing', async () => {
  let depth = 0;
  const world: HookWorld = await HookWorld.start('function', hooks, [], {
    admission: {
      plugins: [
        webhook({
          ...{ name: 'a.example.com', rules: [{ ...RULE, operations: ['CREATE'] }], timeout: '1s' },
          handler: async () => {
            depth += 1;
            // It would go on for ever, but then the test could not tell when the server is at rest.
            if (depth === 40) await new Promise(() => undefined);
            await world.client
              .resource(ConfigMap)
              .namespace('default')
              .create({ metadata: { name: `inner-${depth}` } });
            return { allowed: true };
          },
        }),
      ],
    },
  });
  worlds.push(world);
  const pending = world.create('outer');
  await vi.waitFor(() => expect(depth).toBe(40), 10_000);
  // The server still answers others, and ends the requests in time.
  expect((await world.send('GET', '/api/v1/namespaces/default')).code).toBe(200);
  await world.clock.advance(1000);
  const { code, message } = await pending;
  expect([code, message]).toEqual([
    500,
    'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: context deadline exceeded',
  ]);
  expect((await world.send('GET', '/api/v1/namespaces/default/configmaps/outer')).code).toBe(404);
});

test('a webhook for its own configuration cannot keep it from being deleted', async () => {
  const before = hooks.received.length;
  const world = await mutatedBy('/missing');
  const configurations = world.client.resource(MutatingWebhookConfiguration);
  await configurations.create({
    metadata: { name: 'own' },
    webhooks: [
      {
        name: 'own.example.com',
        rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: `${hooks.origin}/missing`, caBundle: hooks.caBundle },
      },
    ],
  });
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  expect((await world.send('GET', `${path}/own`)).code).toBe(200);
  const patch = { metadata: { labels: { a: 'b' } } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  expect((await world.send('PATCH', `${path}/own`, patch, { headers })).code).toBe(200);
  expect((await world.send('DELETE', path)).code).toBe(200);
  // Controllers may write other objects meanwhile.
  const resources = hooks.received.slice(before).map(({ review }) => review.request.resource.resource);
  expect(resources).not.toContain('mutatingwebhookconfigurations');
  expect((await world.create('one')).code).toBe(201);
});
