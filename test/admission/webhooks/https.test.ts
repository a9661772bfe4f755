/** Webhooks behind an https server: addresses, certificates, versions, failures and changes of the configuration. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ApiServerOptions, InputOf } from '../../../src/entries/index.js';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../../src/entries/kinds.js';
import { createServingCertificate } from '../../../src/transport/node/index.js';
import { HookServer, HookWorld, RULE, reviewed, sendJson } from './support.js';

let hooks: HookServer;
const worlds: HookWorld[] = [];
beforeAll(async () => (hooks = await HookServer.start()));
afterAll(() => hooks.close());
afterEach(async () => {
  hooks.received.length = 0;
  for (const world of worlds.splice(0)) await world[Symbol.asyncDispose]();
});

type Stored = NonNullable<InputOf<typeof ValidatingWebhookConfiguration>['webhooks']>[number];

const stored = (path: string, more: Partial<Stored> = {}): Stored => ({
  name: 'a.example.com',
  rules: [{ ...RULE }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: hooks.origin + path, caBundle: hooks.caBundle },
  ...more,
});

/** A server with one validating webhook. */
async function withWebhook(
  path: string,
  more: Partial<Stored> = {},
  options: ApiServerOptions = {},
): Promise<HookWorld> {
  const world = await HookWorld.start('https', hooks, [], options);
  worlds.push(world);
  await world.client
    .resource(ValidatingWebhookConfiguration)
    .create({ metadata: { name: 'hooks' }, webhooks: [stored(path, more)] });
  return world;
}

const FAILED = 'Internal error occurred: failed calling webhook "a.example.com": ';
const INVALID = `${FAILED}received invalid webhook response: `;
const CALL = `${FAILED}failed to call webhook: `;

const review = (response: object | undefined, more: object = {}): object => ({
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  response,
  ...more,
});

test.each<[string, (uid: string) => unknown, string]>([
  ['nothing', () => review(undefined), `${INVALID}webhook response was absent`],
  ['another uid', () => review({ uid: 'x', allowed: true }), `${INVALID}expected response.uid="UID", got "x"`],
  [
    'no kind',
    (uid) => ({ response: { uid, allowed: true } }),
    `${INVALID}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`,
  ],
  [
    'another version',
    (uid) => review({ uid, allowed: true }, { apiVersion: 'admission.k8s.io/v1beta1' }),
    `${CALL}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
  ],
  [
    'a patch of a validating webhook',
    (uid) => review({ uid, allowed: true, patch: 'W10=', patchType: 'JSONPatch' }),
    `${INVALID}validating webhook may not return response.patch`,
  ],
  [
    'a type for no patch',
    (uid) => review({ uid, allowed: true, patchType: 'JSONPatch' }),
    `${INVALID}validating webhook may not return response.patchType`,
  ],
  [
    'a text for allowed',
    (uid) => review({ uid, allowed: 'yes' }),
    `${INVALID}json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
  ],
  [
    'no JSON object',
    () => [],
    `${CALL}couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  ],
])('an answer with %s fails the request', async (_what, answer, message) => {
  hooks.on('/odd', (response, received) => sendJson(response, answer(received.review.request.uid)));
  const world = await withWebhook('/odd');
  const made = await world.create('one');
  expect([made.code, made.reason]).toEqual([500, 'InternalError']);
  expect(made.message.replace(/uid="[0-9a-f-]{36}"/, 'uid="UID"')).toBe(message);
});

test.each<[number, Record<string, string>, string, string]>([
  [500, {}, '', `${CALL}an error on the server ("") has prevented the request from succeeding`],
  [503, {}, 'overloaded', `${CALL}the server is currently unable to handle the request`],
  [
    302,
    { location: 'https://127.0.0.1:1/else' },
    '',
    `${CALL}the server responded with the status code 302 but did not return more information`,
  ],
])('status %i is a failed call, and no redirect is followed', async (status, headers, body, message) => {
  hooks.on('/status', (response) => void response.writeHead(status, headers).end(body));
  const world = await withWebhook('/status');
  expect((await world.create('one')).message).toBe(message);
  expect(hooks.received).toHaveLength(1);
});

test('failed calls let requests pass with the failure policy Ignore, refusals do not', async () => {
  hooks.on('/broken', (response) => void response.writeHead(500).end());
  const world = await withWebhook('/broken', { failurePolicy: 'Ignore' });
  expect((await world.create('one')).code).toBe(201);
  hooks.on('/broken', (response, received) => sendJson(response, reviewed(received, { allowed: false })));
  expect((await world.create('two')).code).toBe(400);
});

test('a webhook that does not answer fails at its timeout', async () => {
  let arrived: () => void = () => undefined;
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  hooks.on('/slow', () => arrived());
  const world = await withWebhook('/slow', { timeoutSeconds: 3 });
  const made = world.create('one');
  await arrival;
  await world.clock.advance(3_000);
  const { code, message } = await made;
  expect([code, message]).toEqual([500, `${CALL}Post "${hooks.origin}/slow?timeout=3s": context deadline exceeded`]);
});

test('the timeout is sent to the webhook, and the body is a review', async () => {
  hooks.on('/fine', (response, received) => sendJson(response, reviewed(received, { allowed: true })));
  const world = await withWebhook('/fine', { timeoutSeconds: 7 });
  expect((await world.create('one', {}, '', { token: 'alice' })).code).toBe(403);
  expect(hooks.received).toEqual([]);
  expect((await world.create('one')).code).toBe(201);
  const [{ url, headers, review: got } = { url: '', headers: {}, review: undefined }] = hooks.received;
  expect(url).toBe('/fine?timeout=7s');
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    accept: 'application/json, */*',
    'user-agent': 'kube-apiserver-admission',
  });
  expect(Object.keys(got ?? {})).toEqual(['kind', 'apiVersion', 'request']);
  expect(got?.apiVersion).toBe('admission.k8s.io/v1');
});

test('version v1beta1 is sent to webhooks that prefer it, whose answers need no uid and no kind', async () => {
  hooks.on('/beta', (response, { review: { request } }) =>
    sendJson(response, {
      response: {
        allowed: true,
        patch: Buffer.from(
          JSON.stringify([{ op: 'add', path: '/data', value: { v: request.uid === '' ? '' : 'beta' } }]),
        ).toString('base64'),
      },
    }),
  );
  const world = await HookWorld.start('https', hooks, []);
  worlds.push(world);
  await world.client.resource(MutatingWebhookConfiguration).create({
    metadata: { name: 'beta' },
    webhooks: [stored('/beta', { admissionReviewVersions: ['v0', 'v1beta1', 'v1'] })],
  });
  expect((await world.create('one')).body['data']).toEqual({ v: 'beta' });
  expect(hooks.received[0]?.review.apiVersion).toBe('admission.k8s.io/v1beta1');
});

test('a certificate of another authority is refused', async () => {
  hooks.on('/fine', (response, received) => sendJson(response, reviewed(received, { allowed: true })));
  const other = await createServingCertificate();
  const caBundle = Buffer.from(other.caPem).toString('base64');
  const world = await withWebhook('/fine', { clientConfig: { url: `${hooks.origin}/fine`, caBundle } });
  const { message } = await world.create('one');
  expect(message).toContain(`${CALL}Post "${hooks.origin}/fine?timeout=10s": `);
  expect(message).toContain('x509: certificate signed by unknown authority');
  expect(hooks.received).toEqual([]);
});

test('a service is resolved by an option, and its certificate is for the name of the service', async () => {
  hooks.on('/base/fine', (response, received) => sendJson(response, reviewed(received, { allowed: true })));
  const service = { namespace: 'default', name: 'hooks', path: '/fine', port: 8443 };
  const world = await withWebhook(
    '/fine',
    { clientConfig: { service, caBundle: hooks.caBundle } },
    { network: { resolveService: () => new URL(`${hooks.origin}/base`) } },
  );
  expect((await world.create('one')).code).toBe(201);
  expect(hooks.received[0]).toMatchObject({
    serverName: 'hooks.default.svc',
    headers: { host: 'hooks.default.svc:8443' },
  });
});

test('credentials of the option are sent, by the host of the webhook', async () => {
  hooks.on('/fine', (response, received) => sendJson(response, reviewed(received, { allowed: true })));
  const { certPem: certificate, keyPem: key } = await createServingCertificate({ names: ['the-api-server'] });
  const hosts: string[] = [];
  const credentials = (host: string) => {
    hosts.push(host);
    return { token: 'secret', certificate, key };
  };
  const world = await withWebhook('/fine', {}, { admission: { webhooks: { credentials } } });
  expect((await world.create('one')).code).toBe(201);
  expect(hosts).toEqual([new URL(hooks.origin).host]);
  expect(hooks.received[0]?.headers['authorization']).toBe('Bearer secret');
  expect(hooks.received[0]?.peer).toBeDefined();
});

test('credentials may be only for the webhooks of a phase, by the port too, and have headers of their own', async () => {
  hooks.on('/fine', (response, received) => sendJson(response, reviewed(received, { allowed: true })));
  const asked: [string, number][] = [];
  const world = await withWebhook(
    '/fine',
    {},
    {
      admission: {
        webhooks: { credentials: () => ({ token: 'for all' }) },
        validatingWebhooks: {
          credentials: (host: string, port: number) => {
            asked.push([host, port]);
            return { headers: { authorization: 'Basic YTpi', 'impersonate-group': ['a', 'b'] } };
          },
        },
      },
    },
  );
  await world.client
    .resource(MutatingWebhookConfiguration)
    .create({ metadata: { name: 'hooks' }, webhooks: [stored('/fine')] });
  expect((await world.create('one')).code).toBe(201);
  const { host, port } = new URL(hooks.origin);
  expect(asked).toEqual([[host, Number(port)]]);
  const [mutating, validating] = hooks.received;
  expect(mutating?.headers['authorization']).toBe('Bearer for all');
  expect(validating?.headers).toMatchObject({ authorization: 'Basic YTpi', 'impersonate-group': 'a, b' });
});

test('changes of the configuration apply to the next request', async () => {
  hooks.on('/no', (response, received) => sendJson(response, reviewed(received, { allowed: false })));
  const world = await withWebhook('/no');
  const configurations = world.client.resource(ValidatingWebhookConfiguration);
  expect((await world.create('one')).code).toBe(400);
  await configurations.patch(
    'hooks',
    { webhooks: [stored('/no', { rules: [{ ...RULE, operations: ['DELETE'] }] })] },
    { type: 'merge' },
  );
  expect((await world.create('one')).code).toBe(201);
  await configurations.patch('hooks', { webhooks: [stored('/no')] }, { type: 'merge' });
  expect((await world.create('two')).code).toBe(400);
  await configurations.delete('hooks');
  expect((await world.create('two')).code).toBe(201);
});

test('configurations are called by name, mutating ones in order', async () => {
  const world = await HookWorld.start('https', hooks, []);
  worlds.push(world);
  const mutating = world.client.resource(MutatingWebhookConfiguration);
  for (const name of ['b', 'a', 'c']) {
    hooks.on(`/${name}`, (response, received) => sendJson(response, reviewed(received, { allowed: true })));
    await mutating.create({ metadata: { name }, webhooks: [stored(`/${name}`)] });
  }
  await world.create('one');
  expect(hooks.received.map(({ url }) => url)).toEqual(['/a?timeout=10s', '/b?timeout=10s', '/c?timeout=10s']);
});

test('validating webhooks are called at the same time', async () => {
  const world = await HookWorld.start('https', hooks, []);
  worlds.push(world);
  const waiting: (() => void)[] = [];
  const webhooks = ['a', 'b', 'c'].map((name) => {
    hooks.on(`/${name}`, (response, received) => {
      waiting.push(() => sendJson(response, reviewed(received, { allowed: name !== 'b' })));
      if (waiting.length === 3) for (const answer of waiting) answer();
    });
    return stored(`/${name}`, { name: `${name}.example.com` });
  });
  await world.client.resource(ValidatingWebhookConfiguration).create({ metadata: { name: 'three' }, webhooks });
  expect((await world.create('one')).message).toBe(
    'admission webhook "b.example.com" denied the request without explanation',
  );
});

test('a configuration of admission is never sent to a webhook, so that it can be repaired', async () => {
  const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
  const world = await withWebhook('/missing', { rules: [everything] });
  expect((await world.create('one')).code).toBe(500);
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks';
  expect((await world.send('DELETE', path)).code).toBe(200);
  expect((await world.create('one')).code).toBe(201);
});
