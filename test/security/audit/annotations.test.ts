/** Annotations of the server's own: of credentials, and of the times of slow requests. */
import { afterEach, describe, expect, test } from 'vitest';
import { Secret, ServiceAccount, webhook, type WebhookDefinition } from '../../../src/entries/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { decorateStorage } from '../../../src/entries/storage.js';
import { keptOpenStorage } from '../../support/kept-open-storage.js';
import { ask } from '../../server/ask.js';
import { auditWorld, EVERYTHING, type AuditWorld } from './audit-world.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MAP = '{"metadata":{"name":"a"}}';

let world: AuditWorld;
afterEach(() => world.close());

const annotationsOf = async (prefix: string) => {
  const events = (await world.taken()).filter(({ stage }) => stage !== 'RequestReceived');
  return events.map(({ annotations = {} }) =>
    Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(prefix))),
  );
};

describe('a slow request', () => {
  /** A webhook that answers after a time. */
  const slow = (name: string, seconds: number, more: Partial<WebhookDefinition> = {}) =>
    webhook({
      ...{ name, ...more },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      handler: () => new Promise((resolve) => void world.clock.after(seconds * 1000, () => resolve({ allowed: true }))),
    });

  test('says how long webhooks took: mutating ones together, the longest of the validating ones', async () => {
    world = await auditWorld(EVERYTHING, {
      admission: {
        plugins: [
          slow('a.example.com', 0.2, { phase: 'Mutating' }),
          slow('b.example.com', 0.3, { phase: 'Mutating' }),
          slow('c.example.com', 1),
          slow('d.example.com', 2),
        ],
      },
    });
    const created = ask(world.server, 'POST', MAPS, { body: MAP });
    for (let index = 0; index < 10; index += 1) await world.advance(250);
    expect((await created).status).toBe(201);
    const [{ 'apiserver.latency.k8s.io/total': total, ...parts } = {}] = await annotationsOf('apiserver.latency');
    expect(parts).toEqual({
      'apiserver.latency.k8s.io/mutating-webhook': '500ms',
      'apiserver.latency.k8s.io/validating-webhook': '2s',
    });
    expect(total).toBe('2.5s');
  });

  test('says how long the storage took', async () => {
    const clock = createManualClock();
    const engine = keptOpenStorage(clock);
    let delayMs = 0;
    const later = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (delayMs > 0) await new Promise<void>((resolve) => void world.clock.after(delayMs, resolve));
      return work();
    };
    const storage = decorateStorage(engine, {
      get: (key) => later(() => engine.get(key)),
      update: (...given) => later(() => engine.update(...given)),
      list: (...given) => later(() => engine.list(...given)),
    });
    world = await auditWorld(EVERYTHING, { storage });
    await ask(world.server, 'POST', MAPS, { body: MAP });
    await world.taken();
    delayMs = 600;
    const asked = async (method: string, path: string, body?: string) => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const answer = ask(world.server, method, path, body === undefined ? {} : { body, headers });
      for (let index = 0; index < 4; index += 1) await world.advance(600);
      expect((await answer).status).toBe(200);
      return annotationsOf('apiserver.latency');
    };
    const of = (etcd: string) => [{ 'apiserver.latency.k8s.io/etcd': etcd, 'apiserver.latency.k8s.io/total': etcd }];
    expect(await asked('GET', `${MAPS}/a`)).toEqual(of('600ms'));
    expect(await asked('GET', MAPS)).toEqual(of('600ms'));
    expect(await asked('PATCH', `${MAPS}/a`, '{"data":{"a":"b"}}')).toEqual(of('1.2s'));
    delayMs = 0;
  });

  test('up to 500 ms says nothing', async () => {
    world = await auditWorld(EVERYTHING, { admission: { plugins: [slow('a.example.com', 0.5)] } });
    const created = ask(world.server, 'POST', MAPS, { body: MAP });
    for (let index = 0; index < 3; index += 1) await world.advance(250);
    expect((await created).status).toBe(201);
    expect(await annotationsOf('apiserver.latency')).toEqual([{}]);
  });
});

describe('the event of a request with a token', () => {
  const account = { metadata: { name: 'robot' } };
  const annotation = 'authentication.k8s.io/';
  const accounts = () => world.client.resource(ServiceAccount).namespace('default');

  /** Creates a Secret with a token of the account, and returns the token. */
  async function legacyToken(name: string): Promise<string> {
    const secrets = world.client.resource(Secret).namespace('default');
    await secrets.create({
      metadata: { name, annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type: 'kubernetes.io/service-account-token',
    });
    await world.settled();
    const { data } = await secrets.get(name);
    return Buffer.from(data?.['token'] ?? '', 'base64').toString();
  }

  test('of a Secret says so, and whether the server made the Secret', async () => {
    world = await auditWorld(EVERYTHING, { controllers: { disable: [] } });
    await accounts().create(account);
    const token = await legacyToken('robot-token');
    await world.taken();
    await ask(world.server, 'GET', MAPS, { token });
    const legacy = { [`${annotation}legacy-token`]: 'system:serviceaccount:default:robot' };
    expect(await annotationsOf(annotation)).toEqual([
      { ...legacy, [`${annotation}legacy-token-manual-secret`]: 'robot-token' },
    ]);
    await accounts().patch('robot', { secrets: [{ name: 'robot-token' }] });
    await world.taken();
    await ask(world.server, 'GET', MAPS, { token });
    expect(await annotationsOf(annotation)).toEqual([
      { ...legacy, [`${annotation}legacy-token-autogenerated-secret`]: 'robot-token' },
    ]);
    await world.client
      .resource(Secret)
      .namespace('default')
      .patch('robot-token', { metadata: { labels: { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' } } });
    await world.taken();
    expect((await ask(world.server, 'GET', MAPS, { token })).status).toBe(401);
    expect(await annotationsOf(annotation)).toEqual([
      { ...legacy, [`${annotation}legacy-token-invalidated`]: 'robot-token/default' },
    ]);
  });

  test('says that the token is stale, and the one of its request which token it was', async () => {
    world = await auditWorld(EVERYTHING, { authentication: { serviceAccounts: { extendTokenExpiration: true } } });
    await accounts().create(account);
    const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
    const spec = { expirationSeconds: 3607 };
    const pod = await ask(world.server, 'POST', '/api/v1/namespaces/default/pods', {
      body: JSON.stringify({
        metadata: { name: 'p' },
        spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
      }),
    });
    expect(pod.status).toBe(201);
    await world.taken();
    const { status } = JSON.parse(
      String(
        (
          await ask(world.server, 'POST', path, {
            body: JSON.stringify({ spec: { ...spec, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } } }),
          })
        ).body,
      ),
    ) as { status: { token: string } };
    const [issued] = await annotationsOf('authentication.kubernetes.io/');
    const { jti } = JSON.parse(Buffer.from(status.token.split('.')[1] ?? '', 'base64url').toString()) as {
      jti: string;
    };
    expect(issued).toEqual({ 'authentication.kubernetes.io/issued-credential-id': `JTI=${jti}` });
    await ask(world.server, 'GET', MAPS, { token: status.token });
    expect(await annotationsOf(annotation)).toEqual([{}]);
    await world.advance(3_607_000 + 5000);
    await world.taken();
    await ask(world.server, 'GET', MAPS, { token: status.token });
    expect(await annotationsOf(annotation)).toEqual([
      {
        [`${annotation}stale-token`]:
          'subject: system:serviceaccount:default:robot, seconds after warning threshold: 5',
      },
    ]);
  });
});
