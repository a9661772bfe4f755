import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtinResources } from '../../../src/kinds/builtin/index.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { ask, textOf } from '../../server/ask.js';
import {
  comparable,
  fieldsOf,
  kinds,
  publishedDefinition,
  scalarTypes,
  servedKinds,
  typeOf,
  types,
  type TypeFacts,
} from './published.js';

const OWNER = 'owner-of-the-catalogue-test';
const PATCH = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';

/** Its items are a map by a key that they do not have. This mistake of the release is not copied. */
const MERGED_LIST = 'io.k8s.api.storagemigration.v1alpha1.StorageVersionMigrationList';

const withAtomicItems = (type: TypeFacts): TypeFacts => ({
  ...type,
  fields: type.fields.map((field) => {
    if (field.name !== 'items') return field;
    const { listType: _type, listMapKeys: _keys, patchStrategy: _strategy, patchMergeKey: _key, ...plain } = field;
    return plain;
  }),
});

type Schemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Operations = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

let server: TestServer;
let version2: { readonly definitions: Schemas; readonly paths: Operations };
const version3 = new Map<string, { readonly components: { readonly schemas: Schemas }; readonly paths: Operations }>();

beforeAll(async () => {
  server = await startTestServer({
    dialect: 'kubernetes',
    authentication: { ownerToken: OWNER },
    featureGates: { AllAlpha: true, AllBeta: true },
    runtimeConfig: 'api/all=true',
  });
  const read = async (path: string): Promise<unknown> =>
    JSON.parse(textOf(await ask(server.server, 'GET', path, { token: OWNER })));
  version2 = (await read('/openapi/v2')) as typeof version2;
  const { paths } = (await read('/openapi/v3')) as { paths: object };
  for (const path of Object.keys(paths))
    version3.set(path, (await read(`/openapi/v3/${path}`)) as { components: { schemas: Schemas }; paths: Operations });
}, 300_000);
afterAll(() => server.close());

test('every kind of the release is there, and no other', () => {
  const ours = builtinResources
    .map((definition) => new ResourceInfo(definition, kubernetes))
    .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const theirs = kinds.map(({ group, version, kind }) => `${group === '' ? '' : `${group}/`}${version} ${kind}`);
  expect(ours.sort()).toEqual([...theirs].sort());
});

describe('the definitions are those of release 1.31', () => {
  const expected = (version: 'v2' | 'v3', name: string): unknown => {
    const scalar = Object.values(scalarTypes).find((one) => one.name === name);
    if (scalar !== undefined) return scalar[version] ?? scalar.v2;
    if (name === PATCH) return { type: 'object' };
    const type = name === MERGED_LIST ? withAtomicItems(typeOf(name)) : types.get(name);
    return type === undefined ? 'no such type' : publishedDefinition(type, version);
  };

  test('version 2', () => {
    expect(Object.keys(version2.definitions).length).toBeGreaterThan(200);
    for (const [name, schema] of Object.entries(version2.definitions))
      expect(comparable(schema), name).toEqual(expected('v2', name));
  });

  test('version 3', () => {
    for (const [path, { components }] of version3) {
      for (const [name, schema] of Object.entries(components.schemas))
        expect(comparable(schema), `${path} ${name}`).toEqual(expected('v3', name));
    }
  });

  test('every type that a kind references is defined', () => {
    const reached = new Set<string>();
    const reach = (name: string): void => {
      if (reached.has(name)) return;
      reached.add(name);
      for (const { ref, items, values } of fieldsOf(typeOf(name)))
        for (const inner of [ref, items?.ref, values?.ref, values?.items?.ref]) if (inner !== undefined) reach(inner);
    };
    for (const { type } of servedKinds) reach(type);
    expect(reached.size).toBeGreaterThan(500);
    expect([...reached].filter((name) => !(name in version2.definitions))).toEqual([]);
  });
});

test('every type of a kind and every field of it has a description', () => {
  const schemas = [version2.definitions, ...[...version3.values()].map(({ components }) => components.schemas)];
  const bare = schemas.flatMap((all) =>
    Object.entries(all).flatMap(([name, schema]) => [
      ...('description' in schema ? [] : [name]),
      ...Object.entries((schema['properties'] ?? {}) as Schemas)
        .filter(([, property]) => !('description' in property))
        .map(([field]) => `${name} ${field}`),
    ]),
  );
  expect([...new Set(bare)]).toEqual([]);
});

test('the description of a closed set lists its values', () => {
  const { properties } = version2.definitions['io.k8s.api.core.v1.ContainerPort'] as {
    properties: Record<string, { description: string }>;
  };
  expect(properties['protocol']?.description).toMatch(
    /^[^\n]+\n\nPossible enum values:\n - `"SCTP"`\n - `"TCP"`\n - `"UDP"`$/,
  );
});

describe('the operations are those of release 1.31', () => {
  const ALL = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
  const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
  const operation = (path: string, method: string): Record<string, unknown> => version2.paths[path]?.[method] ?? {};
  const names = (path: string, method?: string): string[] => {
    const item = version2.paths[path] as Record<string, unknown> | undefined;
    const holder = method === undefined ? item : (item?.[method] as Record<string, unknown> | undefined);
    return ((holder?.['parameters'] ?? []) as { name: string }[]).map(({ name }) => name);
  };

  test.each(['/api/v1/', '/apis/rbac.authorization.k8s.io/v1/'])(
    '%s consumes the media types that it produces',
    (path) => {
      expect(operation(path, 'get')).toMatchObject({ consumes: ALL, produces: ALL });
    },
  );

  test('lists and watches stream', () => {
    const streaming = [
      '/api/v1/configmaps',
      '/api/v1/namespaces/{namespace}/configmaps',
      '/api/v1/watch/configmaps',
      '/api/v1/watch/namespaces/{namespace}/configmaps',
      '/api/v1/watch/namespaces/{namespace}/configmaps/{name}',
    ];
    for (const path of streaming) expect(operation(path, 'get')['produces'], path).toEqual([...ALL, ...STREAMS]);
    expect(operation('/api/v1/namespaces/{namespace}/configmaps/{name}', 'get')['produces']).toEqual(ALL);
    const response = version3.get('api/v1')?.paths['/api/v1/watch/configmaps']?.['get']?.['responses'] as {
      200: { content: object };
    };
    expect(Object.keys(response[200].content)).toEqual([...ALL, ...STREAMS]);
  });

  test('bodies may be of any type; patches of four', () => {
    const path = '/api/v1/namespaces/{namespace}/configmaps';
    expect(operation(path, 'post')['consumes']).toEqual(['*/*']);
    expect(operation(`${path}/{name}`, 'put')['consumes']).toEqual(['*/*']);
    expect(operation(`${path}/{name}`, 'patch')['consumes']).toEqual([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
      'application/apply-patch+yaml',
    ]);
  });

  test('parameters shared by all operations of a path are listed on the path, and only there', () => {
    const write = ['dryRun', 'fieldManager', 'fieldValidation'];
    expect(names('/apis/authentication.k8s.io/v1/tokenreviews')).toEqual([...write, 'pretty']);
    expect(names('/apis/authentication.k8s.io/v1/tokenreviews', 'post')).toEqual(['body']);
    expect(names('/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token')).toEqual([
      ...write,
      'name',
      'namespace',
      'pretty',
    ]);
    expect(names('/api/v1/namespaces/{name}/finalize')).toEqual([...write, 'name', 'pretty']);
    expect(names('/api/v1/namespaces/{name}/finalize', 'put')).toEqual(['body']);
    expect(names('/api/v1/namespaces/{namespace}/configmaps')).toEqual(['namespace', 'pretty']);
    expect(names('/api/v1/namespaces/{namespace}/configmaps', 'post')).toEqual(['body', ...write]);
    expect(names('/api/v1/namespaces/{namespace}/configmaps/{name}')).toEqual(['name', 'namespace', 'pretty']);
    const all = Object.entries(version2.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => method !== 'parameters')
        .map((method) => [path, method] as const),
    );
    for (const [path, method] of all)
      expect(
        names(path, method).filter((name) => names(path).includes(name)),
        `${method} ${path}`,
      ).toEqual([]);
  });

  test.each([
    ['/api/v1/namespaces/{namespace}/pods/{name}', 'io.k8s.api.core.v1.Pod'],
    ['/api/v1/namespaces/{namespace}/serviceaccounts/{name}', 'io.k8s.api.core.v1.ServiceAccount'],
    ['/api/v1/namespaces/{namespace}/configmaps/{name}', 'io.k8s.apimachinery.pkg.apis.meta.v1.Status'],
    ['/api/v1/namespaces/{name}', 'io.k8s.apimachinery.pkg.apis.meta.v1.Status'],
    ['/api/v1/namespaces/{namespace}/pods', 'io.k8s.apimachinery.pkg.apis.meta.v1.Status'],
  ])('DELETE %s answers %s', (path, definition) => {
    const responses = operation(path, 'delete')['responses'] as Record<string, { schema?: unknown }>;
    const statuses = path.endsWith('{name}') ? ['200', '202', '401'] : ['200', '401'];
    expect(Object.keys(responses)).toEqual(statuses);
    for (const status of statuses.slice(0, -1))
      expect(responses[status]?.schema).toEqual({ $ref: `#/definitions/${definition}` });
  });
});
