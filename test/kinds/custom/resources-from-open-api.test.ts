import { describe, expect, test } from 'vitest';
import { resourcesFromOpenApi } from '../../../src/kinds/custom/sources/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { ask, jsonOf } from '../../server/ask.js';
import { WIDGETS } from './definitions.js';

const TOKEN = 'owner';

/** Returns a document of a server in the names of Kubernetes, with the kind Widget. */
async function documentOf(path: string): Promise<object> {
  await using running = await startTestServer({
    dialect: 'kubernetes',
    authentication: { ownerToken: TOKEN },
    crds: [WIDGETS],
  });
  return jsonOf(await ask(running.server, 'GET', path, { token: TOKEN }));
}

const namesOf = (resources: readonly { group: unknown; version: string; plural: string }[]) =>
  resources.map(({ group, version, plural }) => `${String(group)}/${version}/${plural}`);

const resourceOf = ({ client }: TestServer, apiVersion: string, kind: string) =>
  client.resource({ apiVersion, kind }).namespace('default');

describe('resourcesFromOpenApi', () => {
  test.each([
    ['2', ['/openapi/v2']],
    ['3', ['/openapi/v3/apis/shop.example/v1', '/openapi/v3/apis/shop.example/v1alpha1']],
  ])('declares the kinds of custom resource definitions, from version %s', async (_version, paths) => {
    const documents = await Promise.all(paths.map(documentOf));
    const select = ({ group }: { group: string }) => group === 'shop.example';
    const resources = resourcesFromOpenApi(documents, { select });
    expect(namesOf(resources)).toEqual(['shop.example/v1/widgets', 'shop.example/v1alpha1/widgets']);
    await using running = await startTestServer({ resources });
    const widgets = resourceOf(running, 'shop.example/v1', 'Widget');
    const spec = { color: 'red', port: 'http', free: { a: 1 }, other: 1 };
    const made = await widgets.create({ metadata: { name: 'a' }, spec, status: { ready: true } });
    // Both versions publish the defaults of custom kinds.
    expect(made['spec']).toEqual({ color: 'red', port: 'http', free: { a: 1 }, size: 1 });
    expect(made).not.toHaveProperty('status');
    await expect(widgets.create({ metadata: { name: 'b' }, spec: { color: 'blue' } })).rejects.toThrow(
      'spec.color: Unsupported value: "blue"',
    );
    await expect(widgets.create({ metadata: { name: 'b' } })).rejects.toThrow('spec: Required value');
    expect(await resourceOf(running, 'shop.example/v1alpha1', 'Widget').get('a')).toMatchObject({
      spec: { color: 'red' },
    });
  });

  test.each(['/openapi/v2', '/openapi/v3/apis/coordination.k8s.io/v1'])(
    'declares kinds of types, from %s',
    async (path) => {
      const resources = resourcesFromOpenApi(await documentOf(path), {
        select: ({ kind, version }) => kind === 'Lease' && version === 'v1',
      });
      expect(namesOf(resources)).toEqual(['coordination.k8s.io/v1/leases']);
      await using running = await startTestServer({ dialect: 'orch', resources });
      const leases = resourceOf(running, 'coordination.k8s.io/v1', 'Lease');
      const spec = { holderIdentity: 'me', renewTime: '2024-01-01T00:00:00.000000Z', leaseDurationSeconds: 5 };
      const made = await leases.create({ metadata: { name: 'a' }, spec: { ...spec, other: 1 } });
      expect(made['spec']).toEqual(spec);
      await expect(leases.create({ metadata: { name: 'b' }, spec: { leaseDurationSeconds: 'x' } })).rejects.toThrow(
        'spec.leaseDurationSeconds: Invalid value: "string"',
      );
    },
  );

  test('declares all kinds of a document with a list', async () => {
    const all = resourcesFromOpenApi(await documentOf('/openapi/v2'));
    expect(namesOf(all)).toEqual(expect.arrayContaining(['/v1/pods', '/v1/namespaces', 'shop.example/v1/widgets']));
    expect(all.find(({ kind }) => kind === 'Namespace')?.scope).toBe('Cluster');
    expect(all.find(({ kind }) => kind === 'Pod')?.scope).toBe('Namespaced');
    // Reviews are operations, and have no list.
    expect(all.filter(({ kind }) => kind.endsWith('Review'))).toEqual([]);
    for (const definition of all) expect(definition.structural?.({} as never)).toMatchObject({ type: 'object' });
  });

  test('notes what the kinds do not express', async () => {
    const mark = { group: 'trees.example', version: 'v1', kind: 'Tree' };
    const list = { get: { 'x-kubernetes-group-version-kind': mark } };
    const document = {
      paths: {
        '/apis/trees.example/v1/namespaces/{namespace}/trees': list,
        '/apis/trees.example/v1/namespaces/{namespace}/trees/{name}/scale': {},
        '/apis/trees.example/v1/trees': list,
        '/apis/trees.example/v1/forests': { get: { 'x-kubernetes-group-version-kind': { ...mark, kind: 'Forest' } } },
      },
      components: {
        schemas: {
          Tree: {
            type: 'object',
            properties: {
              spec: { allOf: [{ $ref: '#/components/schemas/Node' }], default: {} },
              other: { $ref: '#/components/schemas/Node' },
              absent: { $ref: '#/components/schemas/Absent' },
              size: { oneOf: [{ type: 'string' }, { type: 'number' }], description: 'A size.' },
            },
            'x-kubernetes-group-version-kind': [mark],
          },
          Node: {
            type: 'object',
            properties: {
              name: { type: 'string', default: '' },
              children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
            },
          },
        },
      },
    };
    const notes: string[] = [];
    const resources = resourcesFromOpenApi(document, { onNote: (note) => notes.push(note) });
    expect(notes).toEqual([
      'Tree.spec.children[*]: Node contains itself; any value is accepted here',
      'Tree.other.children[*]: Node contains itself; any value is accepted here',
      'Tree.absent: the component Absent does not exist; any value is accepted',
      'Tree of trees.example/v1: the fields of its scale subresource are not known; it is left out',
      'Forest of trees.example/v1: there is no component with its schema; it is left out',
    ]);
    await using running = await startTestServer({ resources });
    const fields = { spec: { name: 'a', children: [{ any: { value: 1 } }] }, absent: [1], size: '1Gi' };
    const made = await resourceOf(running, 'trees.example/v1', 'Tree').create({
      metadata: { name: 'a' },
      ...fields,
      other: { name: 'b', unknown: 1 },
    });
    expect(made).toMatchObject(fields);
    expect(made['other']).toEqual({ name: 'b' });
  });

  test('serves scale at the usual paths', async () => {
    const mark = { group: 'trees.example', version: 'v1', kind: 'Tree' };
    const replicas = { type: 'object', properties: { replicas: { type: 'integer' } } };
    const document = {
      paths: {
        '/apis/trees.example/v1/trees': { get: { 'x-orch-group-version-kind': mark } },
        '/apis/trees.example/v1/trees/{name}/scale': {},
      },
      definitions: {
        Tree: { type: 'object', properties: { spec: replicas, status: replicas }, 'x-orch-group-version-kind': [mark] },
      },
    };
    const resources = resourcesFromOpenApi(document);
    await using running = await startTestServer({ authentication: { ownerToken: TOKEN }, resources });
    const trees = running.client.resource({ apiVersion: 'trees.example/v1', kind: 'Tree' });
    await trees.create({ metadata: { name: 'a' }, spec: { replicas: 3 } });
    const scale = await ask(running.server, 'GET', '/apis/trees.example/v1/trees/a/scale', { token: TOKEN });
    expect(jsonOf(scale)).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
  });

  test('refuses other values', () => {
    expect(() => resourcesFromOpenApi({ paths: {} })).toThrow(
      'resourcesFromOpenApi: a document must be an OpenAPI document with paths and components, got an object',
    );
    expect(() => resourcesFromOpenApi('x' as never)).toThrow('got "x"');
    expect(() => resourcesFromOpenApi({}, { selected: 1 } as never)).toThrow('unknown option "selected"');
  });
});
