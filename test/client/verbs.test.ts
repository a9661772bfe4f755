import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError, ConfigMap, isStatus, Lease, Namespace, Pod, Secret } from '../../src/entries/index.js';
import { Node } from '../../src/entries/kinds.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { Unknown, Widget } from './widget.js';

let running: TestServer;
beforeEach(async () => {
  running = await startTestServer({ resources: [Widget] });
});
afterEach(() => running.close());

const configMaps = () => running.client.resource(ConfigMap).namespace('default');

/** The ApiError of a promise that must reject with one. */
async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const outcome = await promise.then(
    (value) => new Error(`did not fail, but gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(outcome instanceof ApiError)) throw outcome;
  return outcome;
}

describe('create and get', () => {
  test("the answer includes the server's additions, and get returns the same", async () => {
    const made = await configMaps().create({ metadata: { name: 'a' }, data: { key: 'value' } });
    expect(made).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'a',
        namespace: 'default',
        creationTimestamp: '2024-01-01T00:00:00Z',
        managedFields: [{ manager: 'in-process', operation: 'Update' }],
      },
      data: { key: 'value' },
    });
    expect(made.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(await configMaps().get('a')).toEqual(made);
  });

  test('the namespace may come from the object or from the client', async () => {
    const byObject = await running.client.resource(ConfigMap).create({ metadata: { name: 'a', namespace: 'default' } });
    expect(byObject.metadata.namespace).toBe('default');
    const error = await failure(configMaps().create({ metadata: { name: 'b', namespace: 'other' } }));
    expect(error).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  test('a cluster-scoped kind is created without one', async () => {
    const node = await running.client.resource(Node).create({ metadata: { name: 'n1' } });
    expect(node.metadata.namespace).toBeUndefined();
    expect((await running.client.resource(Node).get('n1')).metadata.uid).toBe(node.metadata.uid);
  });

  test('generateName completes the name', async () => {
    const made = await configMaps().create({ metadata: { generateName: 'job-' } });
    expect(made.metadata.name).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});

describe('failures are ApiErrors with the same texts as over HTTP', () => {
  test.each<[string, () => Promise<unknown>, Partial<ApiError>]>([
    [
      'get of a missing object',
      () => configMaps().get('none'),
      { code: 404, reason: 'NotFound', message: 'configmaps "none" not found' },
    ],
    ['delete of a missing object', () => configMaps().delete('none'), { code: 404, reason: 'NotFound' }],
    [
      'update of a missing object',
      () => configMaps().update({ metadata: { name: 'none' } }),
      { code: 404, reason: 'NotFound' },
    ],
    [
      'a missing namespace',
      () =>
        running.client
          .resource(ConfigMap)
          .namespace('none')
          .create({ metadata: { name: 'a' } }),
      { code: 404, message: 'namespaces "none" not found' },
    ],
    ['an invalid name', () => configMaps().create({ metadata: { name: 'A_' } }), { code: 422, reason: 'Invalid' }],
    [
      'an invalid label selector',
      () => configMaps().list({ labelSelector: 'a in (' }),
      { code: 400, reason: 'BadRequest' },
    ],
    [
      'a field that cannot be selected',
      () => configMaps().list({ fieldSelector: 'data.key=1' }),
      { code: 400, message: '"data.key" is not a known field selector: only "metadata.name", "metadata.namespace"' },
    ],
    ['an invalid continue token', () => configMaps().list({ continue: 'x' }), { code: 400 }],
    ['a version that is not a number', () => configMaps().get('a', { resourceVersion: 'x' }), { code: 500 }],
    [
      'a failed precondition',
      async () => (
        await configMaps().create({ metadata: { name: 'p' } }),
        configMaps().delete('p', { preconditions: { uid: 'other' } })
      ),
      { code: 409, reason: 'Conflict' },
    ],
    [
      'an unknown subresource',
      async () => (
        await configMaps().create({ metadata: { name: 's' } }),
        configMaps().updateSubresource('scale', { metadata: { name: 's' } })
      ),
      { code: 404 },
    ],
  ])('%s', async (_name, act, expected) => {
    expect(await failure(act())).toMatchObject(expected);
  });

  test('a name in use, and a version that is not the current one', async () => {
    const made = await configMaps().create({ metadata: { name: 'a' } });
    expect(await failure(configMaps().create({ metadata: { name: 'a' } }))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
    });
    await configMaps().update({ ...made, data: { x: '1' } });
    const error = await failure(configMaps().update({ ...made, data: { x: '2' } }));
    expect(error).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(error.message).toContain(
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  test('a value of the wrong type', async () => {
    const wrong = { metadata: { name: 'a' }, data: { key: 1 } };
    expect(await failure(configMaps().create(wrong as never))).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  test('a kind that is not served is a programming error: TypeError', () => {
    expect(() => running.client.resource(Unknown)).toThrow(
      new TypeError("Unknown (unknowns, v1) is not served: pass it to the server's resources, and enable its version"),
    );
  });
});

describe('list', () => {
  beforeEach(async () => {
    for (const [name, app] of [
      ['a', 'web'],
      ['b', 'db'],
      ['c', 'web'],
      ['d', 'web'],
    ] as const)
      await configMaps().create({ metadata: { name, labels: { app } } });
    await running.client.resource(Namespace).create({ metadata: { name: 'other' } });
    await running.client
      .resource(ConfigMap)
      .namespace('other')
      .create({ metadata: { name: 'e' } });
  });

  const names = (list: { items: { metadata: { name?: string | undefined } }[] }): (string | undefined)[] =>
    list.items.map((item) => item.metadata.name);

  test('of one namespace and of all', async () => {
    const list = await configMaps().list();
    expect([list.apiVersion, list.kind, names(list)]).toEqual(['v1', 'ConfigMapList', ['a', 'b', 'c', 'd']]);
    expect(names(await running.client.resource(ConfigMap).list())).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('by labels, by fields, by both', async () => {
    expect(names(await configMaps().list({ labelSelector: 'app=web' }))).toEqual(['a', 'c', 'd']);
    expect(names(await configMaps().list({ labelSelector: 'app notin (web)' }))).toEqual(['b']);
    expect(names(await configMaps().list({ fieldSelector: 'metadata.name=c' }))).toEqual(['c']);
    expect(
      names(await running.client.resource(ConfigMap).list({ fieldSelector: 'metadata.namespace!=default' })),
    ).toEqual(['e']);
    expect(names(await configMaps().list({ labelSelector: 'app=web', fieldSelector: 'metadata.name!=c' }))).toEqual([
      'a',
      'd',
    ]);
  });

  test('page by page shows one state, whatever is written in between', async () => {
    const first = await configMaps().list({ limit: 2 });
    expect([names(first), first.metadata.remainingItemCount]).toEqual([['a', 'b'], 2]);
    await configMaps().create({ metadata: { name: 'bb' } });
    const second = await configMaps().list({
      limit: 2,
      ...(first.metadata.continue === undefined ? {} : { continue: first.metadata.continue }),
    });
    expect(names(second)).toEqual(['c', 'd']);
    expect(second.metadata.continue).toBeUndefined();
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test('of an exact version', async () => {
    const { metadata } = await configMaps().list();
    await configMaps().delete('a');
    const old = await configMaps().list({
      resourceVersion: metadata.resourceVersion ?? '',
      resourceVersionMatch: 'Exact',
    });
    expect(names(old)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('with an expired token gets 410', async () => {
    const first = await configMaps().list({ limit: 1 });
    await configMaps().delete('a');
    await running.advance(600_000);
    await configMaps().delete('b');
    const error = await failure(configMaps().list({ limit: 1, continue: first.metadata.continue ?? '' }));
    expect(error).toMatchObject({ code: 410, reason: 'Expired' });
  });
});

describe('update', () => {
  test('with and without a version; an update without changes writes nothing', async () => {
    const made = await configMaps().create({ metadata: { name: 'a' }, data: { x: '1' } });
    const bound = await configMaps().update({ ...made, data: { x: '2' } });
    expect(Number(bound.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    const free = await configMaps().update({ metadata: { name: 'a' }, data: { x: '3' } });
    expect(free).toMatchObject({ data: { x: '3' }, metadata: { uid: made.metadata.uid } });
    expect((await configMaps().update(free)).metadata.resourceVersion).toBe(free.metadata.resourceVersion);
  });

  test('the status is written by its own verb only', async () => {
    const pods = running.client.resource(Pod).namespace('default');
    const pod = await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    const withStatus = await pods.updateStatus({ ...pod, status: { ...pod.status, phase: 'Running' } });
    expect(withStatus.status?.phase).toBe('Running');
    const main = await pods.update({
      ...withStatus,
      metadata: { ...withStatus.metadata, labels: { a: 'b' } },
      status: { phase: 'Failed' },
    });
    expect([main.status?.phase, main.metadata.labels]).toEqual(['Running', { a: 'b' }]);
  });

  test('creates an object of a kind that allows it', async () => {
    const leases = running.client.resource(Lease).namespace('default');
    expect(await leases.update({ metadata: { name: 'l' }, spec: { holderIdentity: 'me' } })).toMatchObject({
      spec: { holderIdentity: 'me' },
    });
  });
});

describe('delete', () => {
  test('returns a Status; the object is gone', async () => {
    const made = await configMaps().create({ metadata: { name: 'a' } });
    const answer = await configMaps().delete('a', { preconditions: { uid: made.metadata.uid ?? '' } });
    expect(isStatus(answer) && answer.details).toEqual({ name: 'a', kind: 'configmaps', uid: made.metadata.uid });
    expect(await failure(configMaps().get('a'))).toMatchObject({ code: 404 });
  });

  test('with a finalizer returns the object, which is removed with the finalizer', async () => {
    await configMaps().create({ metadata: { name: 'a', finalizers: ['example.com/hold'] } });
    const ending = await configMaps().delete('a');
    if (isStatus(ending)) throw new Error('the object was not kept');
    expect(ending.metadata.deletionTimestamp).toBe('2024-01-01T00:00:00Z');
    const { finalizers, ...metadata } = ending.metadata;
    expect(finalizers).toEqual(['example.com/hold']);
    await configMaps().update({ ...ending, metadata });
    expect(await failure(configMaps().get('a'))).toMatchObject({ code: 404 });
  });

  test('of a collection deletes the objects that a list would return', async () => {
    for (const name of ['a', 'b', 'c'])
      await configMaps().create({ metadata: { name, labels: { keep: String(name === 'c') } } });
    const deleted = await configMaps().deleteCollection({ labelSelector: 'keep=false' });
    expect(deleted.map((item) => item.metadata.name)).toEqual(['a', 'b']);
    expect((await configMaps().list()).items.map((item) => item.metadata.name)).toEqual(['c']);
  });
});

describe('dry run changes nothing', () => {
  test('of create, update, delete and deleteCollection', async () => {
    const dry = await configMaps().create({ metadata: { name: 'a' } }, { dryRun: true });
    expect(dry.metadata.uid).toBeDefined();
    expect(await failure(configMaps().get('a'))).toMatchObject({ code: 404 });
    const made = await configMaps().create({ metadata: { name: 'a' }, data: { x: '1' } });
    expect((await configMaps().update({ ...made, data: { x: '2' } }, { dryRun: true })).data).toEqual({ x: '2' });
    await configMaps().delete('a', { dryRun: true });
    await configMaps().deleteCollection({ dryRun: true });
    expect(await configMaps().get('a')).toEqual(made);
  });

  test('is refused as the write would be', async () => {
    expect(await failure(configMaps().create({ metadata: { name: 'A_' } }, { dryRun: true }))).toMatchObject({
      code: 422,
    });
  });
});

describe('unknown fields', () => {
  const odd = { metadata: { name: 'a' }, data: { x: '1' }, colour: 'red' };

  test('are dropped with a warning', async () => {
    const warnings: string[] = [];
    const client = running.server.client({ onWarning: (text) => warnings.push(text) });
    const made = await client.resource(ConfigMap).namespace('default').create(odd);
    expect(made).not.toHaveProperty('colour');
    expect(warnings).toEqual(['unknown field "colour"']);
  });

  test('are dropped silently, or rejected', async () => {
    const warnings: string[] = [];
    const kind = running.server
      .client({ onWarning: (text) => warnings.push(text) })
      .resource(ConfigMap)
      .namespace('default');
    const error = await failure(kind.create(odd, { fieldValidation: 'Strict' }));
    expect(error).toMatchObject({
      code: 400,
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "colour"',
    });
    await kind.create(odd, { fieldValidation: 'Ignore' });
    expect(warnings).toEqual([]);
  });
});

describe('the user of a client', () => {
  const alice = { username: 'alice', groups: ['system:authenticated'] };

  test('may do what the authorizer allows', async () => {
    await using own = await startTestServer({
      authorization: {
        authorizer: ({ user, verb, resource }) => ({
          decision:
            user.groups.includes('system:masters') || (verb === 'get' && resource === 'configmaps')
              ? 'Allow'
              : 'NoOpinion',
          reason: '',
        }),
      },
    });
    await own.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    const hers = own.server.client({ user: alice });
    const kind = hers.resource(ConfigMap).namespace('default');
    expect((await kind.get('a')).metadata.name).toBe('a');
    const refused =
      'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "default"';
    expect(await failure(kind.list())).toMatchObject({ code: 403, reason: 'Forbidden', message: refused });
    for (const act of [
      () => kind.create({ metadata: { name: 'b' } }),
      () => kind.update({ metadata: { name: 'a' } }),
      () => kind.updateStatus({ metadata: { name: 'a' } }),
      () => kind.delete('a'),
      () => kind.deleteCollection(),
      () => kind.watch().next(),
      () => hers.resource(Secret).namespace('default').get('x'),
    ]) {
      expect(await failure(act())).toMatchObject({ code: 403, reason: 'Forbidden' });
    }
    expect(await failure(kind.updateStatus({ metadata: { name: 'a' } }))).toMatchObject({
      message: expect.stringContaining('cannot update resource "configmaps/status"') as string,
    });
  });

  test("has the client's field manager, or that of the call", async () => {
    const kind = running.server.client({ fieldManager: 'operator' }).resource(ConfigMap).namespace('default');
    const one = await kind.create({ metadata: { name: 'a' }, data: { x: '1' } });
    expect(one.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['operator']);
    const two = await kind.create({ metadata: { name: 'b' }, data: { x: '1' } }, { fieldManager: 'other' });
    expect(two.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['other']);
  });
});

describe('returned objects belong to the caller', () => {
  test('changing one never changes the store', async () => {
    const input = { metadata: { name: 'a' }, data: { x: '1' } };
    const made = await configMaps().create(input);
    const stored = structuredClone(made);
    input.data.x = 'changed';
    made.data = { x: 'changed' };
    made.metadata.labels = { changed: 'yes' };
    const read = await configMaps().get('a');
    expect(read).toEqual(stored);
    (read.data as Record<string, string>)['x'] = 'changed';
    const [item] = (await configMaps().list()).items;
    expect(item).toEqual(stored);
    if (item?.data !== undefined) item.data['x'] = 'changed';
    const updated = await configMaps().update({ ...stored, data: { x: '2' } });
    const kept = structuredClone(updated);
    if (updated.data !== undefined) updated.data['x'] = 'changed';
    expect(await configMaps().get('a')).toEqual(kept);
    const deleted = await configMaps().delete('a', { dryRun: true });
    if (!isStatus(deleted)) deleted.metadata.name = 'changed';
    expect(await configMaps().get('a')).toEqual(kept);
  });

  test('the object of an event too, for each watcher', async () => {
    await configMaps().create({ metadata: { name: 'a' }, data: { x: '1' } });
    const first = await configMaps().watch().next();
    const second = await configMaps().watch().next();
    if (first.done === true || first.value.type !== 'ADDED' || second.done === true || second.value.type !== 'ADDED')
      throw new Error('no event');
    first.value.object.data = { x: 'changed' };
    expect(second.value.object.data).toEqual({ x: '1' });
    expect((await configMaps().get('a')).data).toEqual({ x: '1' });
  });
});
