/** Attacks: credentials must not reach the log, and a client must not write lines of its own. */
import { afterEach, describe, expect, test } from 'vitest';
import { webhook } from '../../../src/entries/index.js';
import { Secret } from '../../../src/kinds/builtin/index.js';
import { ask, textOf } from '../../server/ask.js';
import { auditWorld, type AuditWorld } from './audit-world.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
/** The secret value as text, and as it is in the body of a Secret. */
const VALUE = 'hunter2-of-the-king';
const ENCODED = Buffer.from(VALUE).toString('base64');
const PATCHES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

let world: AuditWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** Asserts that there are events, that none is above Metadata, and that none contains the value. */
async function expectClean(running: AuditWorld, least = 1): Promise<void> {
  const events = await running.taken();
  expect(events.length).toBeGreaterThanOrEqual(least);
  for (const event of events) {
    expect(event.level).toBe('Metadata');
    expect(event).not.toHaveProperty('requestObject');
    expect(event).not.toHaveProperty('responseObject');
  }
  const text = JSON.stringify(events);
  expect(text).not.toContain(VALUE);
  expect(text).not.toContain(ENCODED);
}

const body = (name: string): string => JSON.stringify({ metadata: { name }, stringData: { password: VALUE } });

describe('a secret is in no event', () => {
  test('of any verb over HTTP', async () => {
    world = await auditWorld();
    const { server } = world;
    const requests: [string, string, string?, string?][] = [
      ['POST', SECRETS, body('a')],
      ['POST', SECRETS, body('a')],
      ['POST', `${SECRETS}?dryRun=All`, body('b')],
      ['GET', `${SECRETS}/a`],
      ['GET', SECRETS],
      ['GET', '/api/v1/secrets'],
      ['GET', `${SECRETS}?watch=1&timeoutSeconds=1`],
      ['PUT', `${SECRETS}/a`, body('a')],
      ['PATCH', `${SECRETS}/a`, `{"data":{"x":"${ENCODED}"}}`, PATCHES.merge],
      ['PATCH', `${SECRETS}/a`, `{"data":{"y":"${ENCODED}"}}`, PATCHES.strategic],
      ['PATCH', `${SECRETS}/a`, `[{"op":"add","path":"/data/z","value":"${ENCODED}"}]`, PATCHES.json],
      [
        'PATCH',
        `${SECRETS}/c?fieldManager=me`,
        `apiVersion: v1\nkind: Secret\nmetadata: {name: c}\nstringData: {p: ${VALUE}}`,
        PATCHES.apply,
      ],
      ['DELETE', `${SECRETS}/a`],
      ['DELETE', SECRETS],
    ];
    for (const [method, path, content, type] of requests) {
      const gone = new AbortController();
      const answer = await ask(server, method, path, {
        ...(content === undefined ? {} : { body: content }),
        ...(type === undefined ? {} : { headers: { 'content-type': type } }),
        signal: gone.signal,
      });
      expect([method, path, answer.status]).toEqual([method, path, expect.any(Number)]);
      expect(answer.status).toBeLessThan(410);
      gone.abort();
    }
    await expectClean(world, requests.length * 2);
  });

  test.each<[string, string, string, string | undefined]>([
    ['a body of a wrong type', 'POST', SECRETS, undefined],
    ['a patch of a wrong type', 'PATCH', `${SECRETS}/a`, PATCHES.merge],
    ['a strategic patch of a wrong type', 'PATCH', `${SECRETS}/a`, PATCHES.strategic],
    ['an intent of a wrong type', 'PATCH', `${SECRETS}/a?fieldManager=me`, PATCHES.apply],
  ])('of a refusal that quotes it: %s', async (_, method, path, type) => {
    world = await auditWorld();
    await ask(world.server, 'POST', SECRETS, { body: body('a') });
    const content = JSON.stringify({
      ...(type === PATCHES.apply || method === 'POST' ? { apiVersion: 'v1', kind: 'Secret' } : {}),
      metadata: { name: 'a' },
      type: { [VALUE]: VALUE },
      data: { [VALUE]: [ENCODED], other: ENCODED },
    });
    const answer = await ask(world.server, method, path, {
      body: content,
      headers: { 'content-type': type ?? 'application/json' },
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    await expectClean(world, 4);
  });

  test('of a JSON patch that fails after it has read the secret', async () => {
    world = await auditWorld();
    await ask(world.server, 'POST', SECRETS, { body: body('a') });
    const answer = await ask(world.server, 'PATCH', `${SECRETS}/a`, {
      headers: { 'content-type': PATCHES.json },
      body: `[{"op":"copy","from":"/data/password","path":"/metadata/labels"},{"op":"test","path":"/kind","value":"${VALUE}"}]`,
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    await expectClean(world, 4);
  });

  test('of a webhook that patches it, or refuses it with its content', async () => {
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE' as const], resources: ['secrets'] }];
    world = await auditWorld(undefined, {
      admission: {
        plugins: [
          webhook({
            ...{ name: 'patches.example.com', rules, phase: 'Mutating' as const },
            handler: () => ({ allowed: true, patch: [{ op: 'add', path: '/data/added', value: ENCODED }] }),
          }),
          webhook({
            ...{ name: 'refuses.example.com', rules, phase: 'Validating' as const },
            handler: ({ object }) => ({
              allowed: false,
              status: { reason: 'NotFound', code: 404, message: `not ${JSON.stringify(object)} ${VALUE}` },
            }),
          }),
        ],
      },
    });
    const answer = await ask(world.server, 'POST', SECRETS, { body: body('a') });
    expect([answer.status, textOf(answer)]).toEqual([404, expect.stringContaining(VALUE)]);
    await expectClean(world, 2);
  });

  test('of the in-process client', async () => {
    world = await auditWorld();
    const user = { username: 'boss', groups: ['system:masters'] };
    const secrets = world.server.client({ user }).resource(Secret).namespace('default');
    await secrets.create({ metadata: { name: 'a' }, stringData: { p: VALUE } });
    await secrets.update({ metadata: { name: 'a' }, stringData: { q: VALUE } });
    await secrets.patch('a', { stringData: { r: VALUE } });
    await secrets.patch('a', [{ op: 'add', path: '/data/s', value: ENCODED }]);
    await secrets.apply({ metadata: { name: 'b' }, stringData: { p: VALUE } }, { fieldManager: 'me' });
    await secrets.get('a');
    await secrets.list();
    await secrets.delete('a');
    await secrets.deleteCollection();
    await expectClean(world, 18);
  });
});

describe('tokens and certificate requests', () => {
  test.each<[string, string, object]>([
    ['a token request', '/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} }],
    ['a token review', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: VALUE } }],
    [
      'a certificate request',
      '/apis/certificates.k8s.io/v1/certificatesigningrequests',
      { metadata: { name: 'x' }, spec: { request: ENCODED, signerName: 'a.b/c', usages: ['client auth'] } },
    ],
  ])('%s has no body in an event', async (_, path, object) => {
    world = await auditWorld();
    await ask(world.server, 'POST', '/api/v1/namespaces/default/serviceaccounts', {
      body: '{"metadata":{"name":"robot"}}',
    });
    await world.taken();
    const answer = await ask(world.server, 'POST', path, { body: JSON.stringify(object) });
    const { token } = (JSON.parse(textOf(answer)) as { status?: { token?: string } }).status ?? {};
    const events = await world.taken();
    if (token !== undefined) expect(JSON.stringify(events)).not.toContain(token);
    world.auditEvents.push(...events);
    await expectClean(world, 2);
  });

  test('a bearer token of the query is replaced in the URI', async () => {
    world = await auditWorld();
    await ask(world.server, 'GET', `/version?access_token=${VALUE}&a=1&access%5Ftoken=${VALUE}`);
    const [event] = await world.taken();
    expect(event?.requestURI).toBe('/version?access_token=REDACTED&a=1&access%5Ftoken=REDACTED');
  });

  test('the kind decides, not the name of a resource in another group', async () => {
    world = await auditWorld();
    await ask(world.server, 'GET', '/apis/example.com/v1/namespaces/default/secrets');
    expect((await world.taken()).map(({ level }) => level)).toEqual(['RequestResponse', 'RequestResponse']);
  });
});
