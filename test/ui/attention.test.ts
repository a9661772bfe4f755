import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Namespace,
  Pod,
  Role,
  RoleBinding,
  Secret,
} from '../../src/entries/index.js';
import { CertificateSigningRequest, Event } from '../../src/entries/kinds.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { findingOf } from '../../src/ui/endpoints/attention-rules.js';
import { readableCertificates } from '../../src/security/index.js';
import { withPage } from '../../src/ui/index.js';
import { concernGroups } from '../../src/ui/web/data/attention.js';
import { requestOf, textOf } from '../server/ask.js';
import { base64, certificatePem, requestPem } from '../support/certificates.js';
import { turnsDuring } from '../support/turns.js';

const NOW = Date.parse('2024-01-01T12:00:00Z');
/** Type of TLS Secrets in the dialect `kubernetes`. */
const TLS = 'kubernetes.io/tls';
const AGO = '2024-01-01T11:50:00Z';

describe('an object needs attention', () => {
  const signOf = (kind: string, object: object) =>
    findingOf({ kind, object: JSON.parse(JSON.stringify(object)), now: NOW, tlsType: TLS });
  const conditions = (...all: object[]) => ({ status: { conditions: all } });
  const ready = { type: 'Ready', status: 'True' };

  test.each([
    ['Pod', conditions({ ...ready, status: 'False', message: 'no', lastTransitionTime: AGO }), 'warning not Ready: no'],
    ['Node', conditions({ ...ready, status: 'Unknown', reason: 'Lost' }), 'warning Ready is not known: Lost'],
    ['Node', conditions(ready, { type: 'DiskPressure', status: 'True' }), 'failed DiskPressure'],
    ['Job', conditions({ type: 'Failed', status: 'True', reason: 'Deadline' }), 'failed Failed: Deadline'],
    ['Widget', conditions({ type: 'Stalled', status: 'True' }, { ...ready, status: 'False' }), 'failed Stalled'],
    ['Pod', { metadata: { deletionTimestamp: AGO, finalizers: ['a/b'] } }, 'deleting its deletion waits for a/b'],
    ['Event', { type: 'Warning', reason: 'Back', message: 'off', lastTimestamp: AGO }, 'warning Back: off'],
    ['Event', { type: 'Warning', reason: 'Back', note: 'off', series: { lastObservedTime: AGO } }, 'warning Back: off'],
    ['CertificateSigningRequest', { status: {} }, 'warning waits to be approved or denied'],
  ])('a %s %o', (kind, object, expected) => {
    const found = signOf(kind, object);
    expect(`${found?.sign} ${found?.words}`).toBe(expected);
  });

  test.each([
    ['Pod', conditions(ready)],
    ['Pod', { status: { phase: 'Succeeded', conditions: [{ ...ready, status: 'False' }] } }],
    // The name of a condition says nothing of what it should be.
    ['Widget', conditions({ type: 'Painted', status: 'False' })],
    ['Deployment', conditions({ type: 'Progressing', status: 'True' })],
    ['Pod', { metadata: { deletionTimestamp: '2024-01-01T11:59:30Z', finalizers: ['a/b'] } }],
    ['Event', { type: 'Normal', reason: 'Back', lastTimestamp: AGO }],
    ['Event', { type: 'Warning', reason: 'Back', lastTimestamp: '2024-01-01T10:00:00Z' }],
    ['CertificateSigningRequest', conditions({ type: 'Denied', status: 'True' })],
    ['Secret', { type: TLS, data: { 'tls.crt': 'bm90IGEgY2VydGlmaWNhdGU=' } }],
    ['Widget', { status: { conditions: 'none' }, metadata: 'none' }],
  ])('but not a %s %o', (kind, object) => {
    expect(signOf(kind, object)).toBeUndefined();
  });
});

test('a certificate is named two weeks before it ends', async () => {
  const pem = await certificatePem();
  const object = { type: TLS, data: { 'tls.crt': base64(pem) } };
  const [end] = readableCertificates(pem).map(({ notAfter }) => notAfter);
  const wordsAt = (daysBefore: number) =>
    findingOf({ kind: 'Secret', object, now: (end ?? NaN) - daysBefore * 86_400_000, tlsType: TLS })?.words;
  expect([15, 3, 1, -1].map(wordsAt)).toEqual([
    undefined,
    'its certificate expires in 3 days',
    'its certificate expires in 1 day',
    'its certificate has expired',
  ]);
});

test('equal objects are shown together', () => {
  const of = (kind: string, name: string) =>
    ({
      group: '',
      version: 'v1',
      kind,
      resource: kind,
      namespace: '',
      name,
      sign: 'warning',
      words: '',
      since: '',
    }) as const;
  const groups = concernGroups([of('Pod', 'a'), of('Node', 'b'), of('Pod', 'c')]);
  expect(groups.map(({ kind, items }) => [kind, items.map(({ name }) => name).join()])).toEqual([
    ['Pod', 'a,c'],
    ['Node', 'b'],
  ]);
});

describe('the endpoint', () => {
  const tokens = ['admin', 'viewer', 'local', 'nobody'].map((token) => ({
    token,
    user: { username: token, groups: token === 'admin' ? ['system:masters'] : ['system:authenticated'] },
  }));
  let api: TestServer;
  let handle: ReturnType<typeof withPage>['handle'];
  const read = async (token: string): Promise<any> => {
    const answer = await handle(requestOf('GET', '/ui/v1/attention', { token }));
    return answer.status === 200 ? JSON.parse(textOf(answer)) : answer.status;
  };
  const names = async (token: string): Promise<string[]> =>
    (await read(token)).items.map(({ sign, kind, name }: any) => `${sign} ${kind} ${name}`);

  beforeAll(async () => {
    api = await startTestServer({ dialect: 'kubernetes', authentication: { tokens } });
    ({ handle } = withPage(api.server.target));
    await read('admin');
  });
  afterAll(() => api.close());

  test('tells what needs attention, the gravest first, each object once', async () => {
    const client = api.server.client();
    expect(await read('admin')).toEqual({ items: [], more: 0, complete: true });
    const pods = client.resource(Pod).namespace('default');
    await pods.create({ metadata: { name: 'sick' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    const condition = {
      type: 'Ready',
      status: 'False',
      message: 'not yet',
      lastTransitionTime: new Date(api.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
    };
    const become = (status: object) => pods.patch('sick', { status }, { subresource: 'status' });
    await become({ conditions: [condition] });
    await client
      .resource(Event)
      .namespace('default')
      .create({
        metadata: { name: 'sick.1' },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'sick' },
        ...{
          type: 'Warning',
          reason: 'BackOff',
          message: 'again',
          lastTimestamp: new Date(api.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
        },
      });
    const maps = client.resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'stuck', finalizers: ['example.com/wait'] } });
    await maps.delete('stuck');
    await client.resource(CertificateSigningRequest).create({
      metadata: { name: 'asks' },
      spec: { request: base64(await requestPem()), signerName: 'example.com/s', usages: ['client auth'] },
    });
    expect(await names('admin')).toEqual(expect.arrayContaining(['warning Pod sick']));
    await api.advance(61_000);
    const all = await names('admin');
    expect(all[0]).toBe('deleting ConfigMap stuck');
    expect([...all].sort()).toEqual([
      'deleting ConfigMap stuck',
      'warning CertificateSigningRequest asks',
      'warning Pod sick',
    ]);
    // A concern that has passed is told no more.
    await maps.patch('stuck', { metadata: { finalizers: null } });
    await become({ conditions: [{ ...condition, status: 'True' }] });
    await api.advance(3_600_000);
    expect(await names('admin')).not.toContain('deleting ConfigMap stuck');
    expect(await names('admin')).not.toContain('warning Pod sick');
  });

  test('tells each user of the kinds that the user may list, and nothing to those who may not ask', async () => {
    const client = api.server.client();
    const pods = client.resource(Pod).namespace('default');
    await pods.create({
      metadata: { name: 'gone', finalizers: ['example.com/wait'] },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    await pods.delete('gone', { gracePeriodSeconds: 0 });
    await api.advance(61_000);
    expect(await names('admin')).toContain('deleting Pod gone');
    expect(await read('nobody')).toBe(403);
    const group = 'rbac.authorization.k8s.io';
    const bind = (name: string) =>
      client.resource(ClusterRoleBinding).create({
        metadata: { name },
        subjects: [{ kind: 'User', apiGroup: group, name: 'viewer' }],
        roleRef: { apiGroup: group, kind: 'ClusterRole', name },
      });
    await bind('ui-viewer');
    expect(await names('viewer')).toEqual([]);
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }];
    await client.resource(ClusterRole).create({ metadata: { name: 'lists-pods' }, rules });
    await bind('lists-pods');
    expect(await names('viewer')).toEqual(['deleting Pod gone']);
  });

  test('tells a user with rights in some namespaces of those', async () => {
    const client = api.server.client();
    const group = 'rbac.authorization.k8s.io';
    await client.resource(ClusterRoleBinding).create({
      metadata: { name: 'ui-local' },
      subjects: [{ kind: 'User', apiGroup: group, name: 'local' }],
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'ui-viewer' },
    });
    expect(await names('local')).toEqual([]);
    for (const namespace of ['mine', 'yours', 'ours']) {
      await client.resource(Namespace).create({ metadata: { name: namespace } });
      const maps = client.resource(ConfigMap).namespace(namespace);
      await maps.create({ metadata: { name: `stuck-${namespace}`, finalizers: ['example.com/wait'] } });
      await maps.delete(`stuck-${namespace}`);
      const secrets = client.resource(Secret).namespace(namespace);
      await secrets.create({ metadata: { name: `secret-${namespace}`, finalizers: ['example.com/wait'] } });
      await secrets.delete(`secret-${namespace}`);
    }
    await api.advance(61_000);
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    const bind = async (namespace: string, subject: object): Promise<void> => {
      await client
        .resource(Role)
        .namespace(namespace)
        .create({ metadata: { name: 'lists' }, rules });
      await client
        .resource(RoleBinding)
        .namespace(namespace)
        .create({
          metadata: { name: 'lists' },
          subjects: [{ apiGroup: group, kind: 'User', name: 'local', ...subject }],
          roleRef: { apiGroup: group, kind: 'Role', name: 'lists' },
        });
    };
    await bind('mine', {});
    await bind('ours', { kind: 'Group', name: 'system:authenticated' });
    await bind('yours', { name: 'admin' });
    expect((await names('local')).sort()).toEqual(['deleting ConfigMap stuck-mine', 'deleting ConfigMap stuck-ours']);
    await client.resource(RoleBinding).namespace('mine').delete('lists');
    await client.resource(RoleBinding).namespace('ours').delete('lists');
    expect(await names('local')).toEqual([]);
  });

  test('looks at some namespaces of a user, and says that there are more', async () => {
    const client = api.server.client();
    const group = 'rbac.authorization.k8s.io';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    await client.resource(ClusterRole).create({ metadata: { name: 'lists-maps' }, rules });
    const bindings = Array.from({ length: 51 }, async (_, index) => {
      const namespace = `many-${index}`;
      await client.resource(Namespace).create({ metadata: { name: namespace } });
      await client
        .resource(RoleBinding)
        .namespace(namespace)
        .create({
          metadata: { name: 'lists' },
          subjects: [{ apiGroup: group, kind: 'User', name: 'local' }],
          roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'lists-maps' },
        });
    });
    await Promise.all(bindings);
    expect(await read('local')).toEqual({ items: [], more: 0, complete: false });
    await client.resource(RoleBinding).namespace('many-0').delete('lists');
    expect((await read('local')).complete).toBe(true);
  });

  test('looks at some thousands of a kind, says that there are more, and lets others have their turns', async () => {
    const maps = api.server.client().resource(ConfigMap).namespace('default');
    const made: Promise<unknown>[] = [];
    for (let count = 0; count < 5_001; count += 1) made.push(maps.create({ metadata: { name: `many-${count}` } }));
    await Promise.all(made);
    const turns = await turnsDuring(async () => {
      const { items, complete } = await read('admin');
      // One kind with many objects does not hide the others.
      expect([complete, items.map(({ name }: any) => name)]).toEqual([false, expect.arrayContaining(['gone'])]);
    });
    expect(turns).toBeGreaterThan(2);
  });
});
