/** Webhooks that are functions of the process. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiServer, ConfigMap, webhook, type WebhookResponse } from '../../../src/entries/index.js';
import { ask } from '../../server/ask.js';
import { HookServer, HookWorld, RULE, type HookSpec } from './support.js';

let hooks: HookServer;
beforeAll(async () => (hooks = await HookServer.start()));
afterAll(() => hooks.close());

const start = (spec: Partial<HookSpec> & Pick<HookSpec, 'handler'>): Promise<HookWorld> =>
  HookWorld.start('function', hooks, [{ name: 'a.example.com', ...spec }]);
const FAILED = 'Internal error occurred: failed calling webhook "a.example.com": ';

test('that throw fail their request, and nothing else', async () => {
  let broken = true;
  await using world = await start({
    handler: () => {
      if (broken) throw new Error('out of order');
      return { allowed: true };
    },
  });
  expect((await world.create('one')).message).toBe(`${FAILED}failed to call webhook: out of order`);
  broken = false;
  expect((await world.create('one')).code).toBe(201);
});

test('that hang end at their timeout, with an aborted signal', async () => {
  let signal: AbortSignal | undefined;
  let called: () => void = () => undefined;
  const call = new Promise<void>((resolve) => (called = resolve));
  await using world = await start({
    timeout: '2s',
    handler: (_request, given) => {
      signal = given;
      called();
      return new Promise<WebhookResponse>(() => undefined);
    },
  });
  const made = world.create('one');
  await call;
  await world.clock.advance(2_000);
  expect((await made).message).toBe(`${FAILED}failed to call webhook: context deadline exceeded`);
  expect(signal?.aborted).toBe(true);
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'failed to call webhook: the function must return an object such as { allowed: true }'],
  [
    'a text',
    { allowed: 'yes' },
    'received invalid webhook response: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
  ],
  [
    'a patch',
    { allowed: true, patch: [{ op: 'test', path: '' }] },
    'received invalid webhook response: validating webhook may not return response.patch',
  ],
])('that answer %s fail their request', async (_what, answer, why) => {
  await using world = await start({ handler: () => answer as WebhookResponse });
  expect((await world.create('one')).message).toBe(FAILED + why);
});

test('cannot change the stored object through their copy', async () => {
  await using world = await start({
    handler: ({ object }) => {
      Object.assign(object?.['metadata'] as object, { labels: { changed: 'yes' } });
      return { allowed: true };
    },
  });
  expect((await world.create('one')).body['metadata']).not.toHaveProperty('labels');
});

test('are refused for a dry run when they have side effects', async () => {
  let calls = 0;
  await using world = await start({ sideEffects: 'Some', handler: () => ({ allowed: (calls += 1) > 0 }) });
  const { code, message } = await world.create('one', {}, '?dryRun=All');
  expect([code, message, calls]).toEqual([400, 'admission webhook "a.example.com" does not support dry run', 0]);
});

test('also see requests of the in-process client', async () => {
  const server = new ApiServer({
    admission: {
      plugins: [webhook({ name: 'a.example.com', rules: [{ ...RULE }], handler: () => ({ allowed: false }) })],
    },
  });
  const made = server
    .client()
    .resource(ConfigMap)
    .namespace('default')
    .create({ metadata: { name: 'one' } });
  await expect(made).rejects.toThrow('admission webhook "a.example.com" denied the request without explanation');
  await server.close();
});

test.each<[object, string]>([
  [{}, 'webhook: name must be a string, got undefined'],
  [{ name: 'a' }, "webhook: rules must be a list such as [{ apiGroups: [''],"],
  [{ name: 'a', rules: [RULE] }, 'webhook: handler must be a function of a request, got undefined'],
  [
    { name: 'a', rules: [RULE], handler: () => ({ allowed: true }), phase: 'Both' },
    'webhook: phase must be one of Mutating, Validating',
  ],
  [
    { name: 'a', rules: [RULE], handler: () => ({ allowed: true }), timeout: '60s' },
    'webhook: timeout must be milliseconds, or a string such as "10s", from 1s to 30s, got "60s"',
  ],
  [
    { name: 'a', rules: [RULE], handler: () => ({ allowed: true }), reinvocationPolicy: 'IfNeeded' },
    'webhook: reinvocationPolicy is only for webhooks with phase Mutating',
  ],
  [
    { name: 'a', rules: [RULE], handler: () => ({ allowed: true }), selector: {} },
    'webhook: there is no member selector',
  ],
])('definition %# is refused', (definition, message) => {
  expect(() => webhook(definition as never)).toThrow(message);
});

test('an object that webhook() has not checked is refused by the server', () => {
  const definition = { name: 'a', rules: [RULE], handler: () => ({ allowed: true }) };
  expect(() => new ApiServer({ admission: { plugins: [definition as never] } })).toThrow(/admission/);
});

test('are measured by their outcome', async () => {
  const answers: (() => WebhookResponse)[] = [
    () => ({ allowed: true }),
    () => ({ allowed: false, status: { code: 403 } }),
    () => {
      throw new Error('out of order');
    },
  ];
  let next = 0;
  await using world = await start({ handler: () => answers[next++]?.() ?? { allowed: true } });
  for (const name of ['one', 'two', 'three']) await world.create(name);
  const { body } = await ask(world.server, 'GET', '/metrics');
  const lines = String(body).split('\n');
  const labels = 'name="a.example.com",operation="CREATE"';
  expect(lines.filter((line) => line.startsWith('apiserver_admission_webhook_rejection_count{'))).toEqual([
    `apiserver_admission_webhook_rejection_count{error_type="no_error",${labels},rejection_code="403",type="validating"} 1`,
    `apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",${labels},rejection_code="0",type="validating"} 1`,
  ]);
  const duration = 'apiserver_admission_webhook_admission_duration_seconds_count';
  expect(lines.filter((line) => line.startsWith(duration))).toEqual([
    `${duration}{${labels},rejected="false",type="validating"} 1`,
    `${duration}{${labels},rejected="true",type="validating"} 2`,
  ]);
});

test('that fail with the failure policy Ignore are counted as failed open', async () => {
  await using world = await start({
    failurePolicy: 'Ignore',
    handler: () => {
      throw new Error('out of order');
    },
  });
  expect((await world.create('one')).code).toBe(201);
  const { body } = await ask(world.server, 'GET', '/metrics');
  expect(String(body)).toContain(
    'apiserver_admission_webhook_fail_open_count{name="a.example.com",type="validating"} 1',
  );
});
