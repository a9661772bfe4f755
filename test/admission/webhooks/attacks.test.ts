/** Webhooks that harm: by what they answer, or by what they do meanwhile. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ConfigMap, MutatingWebhookConfiguration, webhook } from '../../../src/index.js';
import type { LogFields } from '../../../src/meta/logger.js';
import { HookServer, HookWorld, RULE, reviewed, sendJson } from './support.js';

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
  const world = await HookWorld.start('https', hooks, [], { logger });
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
    admission: [
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
  });
  worlds.push(world);
  expect((await world.create('outer')).code).toBe(201);
  expect((await world.send('GET', '/api/v1/namespaces/default/configmaps/inner')).code).toBe(200);
});

test('a webhook that changes the object meanwhile makes its request conflict or try again', async () => {
  let changes = 0;
  const world: HookWorld = await HookWorld.start('function', hooks, [], {
    admission: [
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
  const handler = ({ subResource = '', operation }: { subResource?: string; operation: string }) => {
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
