import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { kubernetes, orch, systemGroup, type Dialect } from '../../src/foundation/index.js';
import { defineResource, defineServerKind } from '../../src/registry/definition/definition.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { compileSchema, objectSchema } from '../../src/machinery/index.js';
import { omitted, struct } from '../../src/machinery/schema/define/vocabulary.js';
import { handleOpenApi, OpenApi, type OpenApiResource } from '../../src/server/openapi/index.js';

const text = (): z.ZodOptional<z.ZodString> => omitted(1, z.string(), { description: 'A text.' });

const crate = defineServerKind({
  group: '',
  version: 'v1',
  kind: 'Crate',
  plural: 'crates',
  scope: 'Namespaced',
  schema: () =>
    struct(
      'Crate',
      { content: text(), nested: omitted(2, struct('CrateNest', { a: text() })) },
      { description: 'Holds things.' },
    ),
  origin: 'builtin',
});
const lid = defineServerKind({
  group: systemGroup('rbac.authorization'),
  version: 'v1',
  kind: 'Lid',
  plural: 'lids',
  scope: 'Cluster',
  schema: () => struct('Lid', {}),
  origin: 'builtin',
  subresources: { status: { verbs: ['get', 'update', 'patch'], strategy: { prepareForUpdate: () => undefined } } },
});
const review = defineServerKind({
  group: systemGroup('authentication'),
  version: 'v1',
  kind: 'Review',
  plural: 'reviews',
  scope: 'Cluster',
  verbs: ['create'],
  schema: () => struct('Review', {}),
  origin: 'builtin',
});
const widget = defineResource({
  group: 'tools.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => struct('Widget', { status: omitted(1, struct('Status', { mine: text() })) }),
});

/** The text of a document; `null` when there is none. */
const textOf = async (document: ReturnType<OpenApi['document']>): Promise<string> =>
  Buffer.from((await (await document)?.read()) ?? 'null').toString();

interface Json {
  [key: string]: Json;
}

function setUp(dialect: Dialect): { openApi: OpenApi; document: (path: string) => Promise<Json> } {
  const infos = [crate, lid, review, widget].map(
    (definition): OpenApiResource => new ResourceInfo(definition, dialect),
  );
  const tokenSchema = objectSchema({ kind: 'Token', schema: compileSchema(struct('Token', { value: text() })) });
  const [first, ...others] = infos;
  if (first === undefined) throw new Error('no resources');
  const group = `authentication.${dialect.groupSuffix}`;
  const withToken: OpenApiResource = {
    group: first.group,
    version: first.version,
    kind: first.kind,
    listKind: first.listKind,
    resource: first.resource,
    singular: first.singular,
    namespaced: first.namespaced,
    verbs: first.verbs,
    definition: first.definition,
    schema: first.schema,
    subresources: new Map([
      ['token', { verbs: ['create'], responseKind: { group, version: 'v1', kind: 'Token' }, schema: tokenSchema }],
    ]),
  };
  const openApi = new OpenApi({ resources: [withToken, ...others], dialect });
  return { openApi, document: async (path) => JSON.parse(await textOf(openApi.document(path))) as Json };
}

const { openApi, document } = setUp(kubernetes);

/** Every `$ref` in a value. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === '$ref' ? [String(member)] : references(member)));
}

describe('OpenAPI version 3', () => {
  it('reads the facts of a kind once, whatever other kinds change', async () => {
    let reads = 0;
    const publishedFrom = (): object => ({ reads: (reads += 1) });
    const stays = new ResourceInfo({ ...crate, publishedFrom }, kubernetes);
    const changes = new ResourceInfo({ ...widget, publishedFrom }, kubernetes);
    const first = new OpenApi({ resources: [stays, changes], dialect: kubernetes });
    const { etag } = await first.version2();
    expect(reads).toBe(2);
    const changed = new ResourceInfo({ ...widget, publishedFrom }, kubernetes);
    const second = new OpenApi({ resources: [stays, changed], dialect: kubernetes }, first);
    expect((await second.version2()).etag).not.toBe(etag);
    expect(reads).toBe(3);
  });

  it('has an index with the hash of every document', async () => {
    const { paths } = JSON.parse(await textOf(openApi.index())) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(paths)).toEqual([
      'api/v1',
      'apis/authentication.k8s.io/v1',
      'apis/rbac.authorization.k8s.io/v1',
      'apis/tools.example.com/v1',
    ]);
    expect(paths['api/v1']?.serverRelativeURL).toBe(
      `/openapi/v3/api/v1?hash=${(await openApi.document('api/v1'))?.hash}`,
    );
  });

  it.each([kubernetes, orch])('refers only to existing components, in dialect $name', async (dialect) => {
    const { document: of } = setUp(dialect);
    for (const path of [
      'api/v1',
      `apis/rbac.authorization.${dialect.groupSuffix}/v1`,
      `apis/authentication.${dialect.groupSuffix}/v1`,
      'apis/tools.example.com/v1',
    ]) {
      const value = await of(path);
      const known = new Set(
        Object.keys(value['components']?.['schemas'] ?? {}).map((name) => `#/components/schemas/${name}`),
      );
      const used = references(value);
      expect(used.length).toBeGreaterThan(5);
      expect(used.filter((reference) => !known.has(reference))).toEqual([]);
      expect(JSON.stringify(value)).not.toMatch(dialect === orch ? /k8s|kubernetes/ : /orch/);
    }
  });

  it('names components as Kubernetes does', async () => {
    expect(Object.keys((await document('api/v1'))['components']?.['schemas'] ?? {})).toEqual(
      expect.arrayContaining([
        'io.k8s.api.core.v1.Crate',
        'io.k8s.api.core.v1.CrateList',
        'io.k8s.api.core.v1.CrateNest',
        'io.k8s.api.authentication.v1.Token',
        'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
        'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
        'io.k8s.apimachinery.pkg.runtime.RawExtension',
      ]),
    );
    expect((await document('apis/rbac.authorization.k8s.io/v1'))['components']?.['schemas']).toHaveProperty([
      'io.k8s.api.rbac.v1.Lid',
    ]);
    // A custom Status kind is not the built-in one.
    const strange = (await document('apis/tools.example.com/v1'))['components']?.['schemas'];
    expect(strange?.['com.example.tools.v1.Status']?.['properties']).toHaveProperty('mine');
    expect(strange?.['io.k8s.apimachinery.pkg.apis.meta.v1.Status']?.['properties']).toHaveProperty('reason');
  });

  it('names the kind of a component', async () => {
    const schemas = (await document('api/v1'))['components']?.['schemas'];
    const kinds = (name: string): unknown => schemas?.[name]?.['x-kubernetes-group-version-kind'];
    expect(kinds('io.k8s.api.core.v1.Crate')).toEqual([{ group: '', version: 'v1', kind: 'Crate' }]);
    expect(kinds('io.k8s.api.core.v1.CrateList')).toEqual([{ group: '', version: 'v1', kind: 'CrateList' }]);
    expect(kinds('io.k8s.api.core.v1.CrateNest')).toBeUndefined();
    expect(kinds('io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent')).toHaveLength(4);
    expect(schemas?.['io.k8s.api.core.v1.Crate']?.['description']).toBe('Holds things.');
  });

  it('has the paths and operations of a namespaced kind', async () => {
    const { paths } = await document('api/v1');
    const ids = Object.fromEntries(
      Object.entries(paths ?? {}).map(([path, item]) => [
        path,
        Object.entries(item).flatMap(([method, operation]) =>
          method === 'parameters' ? [] : [`${method} ${String(operation['operationId'])}`],
        ),
      ]),
    );
    expect(ids).toEqual({
      '/api/v1/': ['get getCoreV1APIResources'],
      '/api/v1/crates': ['get listCoreV1CrateForAllNamespaces'],
      '/api/v1/namespaces/{namespace}/crates': [
        'get listCoreV1NamespacedCrate',
        'post createCoreV1NamespacedCrate',
        'delete deleteCoreV1CollectionNamespacedCrate',
      ],
      '/api/v1/namespaces/{namespace}/crates/{name}': [
        'get readCoreV1NamespacedCrate',
        'put replaceCoreV1NamespacedCrate',
        'patch patchCoreV1NamespacedCrate',
        'delete deleteCoreV1NamespacedCrate',
      ],
      '/api/v1/namespaces/{namespace}/crates/{name}/token': ['post createCoreV1NamespacedCrateToken'],
      '/api/v1/watch/crates': ['get watchCoreV1CrateListForAllNamespaces'],
      '/api/v1/watch/namespaces/{namespace}/crates': ['get watchCoreV1NamespacedCrateList'],
      '/api/v1/watch/namespaces/{namespace}/crates/{name}': ['get watchCoreV1NamespacedCrate'],
    });
  });

  it('lists the options that custom kinds read', async () => {
    const { paths } = JSON.parse(await textOf(openApi.version2())) as {
      paths: Record<string, Record<string, { consumes: string[] }>>;
    };
    const item = paths['/apis/tools.example.com/v1/namespaces/{namespace}/widgets/{name}'];
    expect(item?.['put']?.consumes).toEqual(['application/json', 'application/yaml']);
    expect(item?.['get']?.consumes).toEqual(['application/json', 'application/yaml']);
    expect(item?.['patch']?.consumes).toEqual([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
    ]);
  });

  it('has only the served verbs', async () => {
    expect(Object.keys((await document('apis/authentication.k8s.io/v1'))['paths'] ?? {})).toEqual([
      '/apis/authentication.k8s.io/v1/',
      '/apis/authentication.k8s.io/v1/reviews',
    ]);
    expect((await document('apis/rbac.authorization.k8s.io/v1'))['paths']).toHaveProperty(
      ['/apis/rbac.authorization.k8s.io/v1/lids/{name}/status', 'patch', 'operationId'],
      'patchRbacAuthorizationV1LidStatus',
    );
  });

  it('announces field validation on the patch operation', async () => {
    const patch = (await document('api/v1'))['paths']?.['/api/v1/namespaces/{namespace}/crates/{name}']?.['patch'];
    expect(patch).toMatchObject({
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Crate' },
      tags: ['core_v1'],
    });
    expect((patch?.['parameters'] as unknown as { name: string }[]).map(({ name }) => name)).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ]);
  });

  it('offers no protobuf and no strategic merge patch for custom kinds', async () => {
    expect(await textOf(openApi.document('apis/tools.example.com/v1'))).not.toMatch(/strategic|paths.*Widget.*vnd/);
    expect(await textOf(openApi.document('api/v1'))).toMatch(/strategic-merge-patch/);
  });
});

it('OpenAPI version 2 contains everything, and refers only to existing definitions', async () => {
  const value = JSON.parse(await textOf(openApi.version2())) as Json;
  expect(value).toMatchObject({ swagger: '2.0', info: { title: 'Kubernetes' } });
  const known = new Set(Object.keys(value['definitions'] ?? {}).map((name) => `#/definitions/${name}`));
  expect(references(value).filter((reference) => !known.has(reference))).toEqual([]);
  expect(value['paths']).toHaveProperty(
    ['/api/v1/namespaces/{namespace}/crates', 'post', 'parameters', 0, 'name'],
    'body',
  );
  expect(value['paths']).toHaveProperty(['/apis/tools.example.com/v1/widgets']);
});

describe('handleOpenApi', async () => {
  const ask = (path: string, query = '', accept?: string, ifNoneMatch?: string) =>
    handleOpenApi(openApi, {
      path,
      query: new URLSearchParams(query),
      accept,
      ifNoneMatch,
      nowMs: Date.UTC(2024, 0, 1),
    });
  const hash = (await openApi.document('api/v1'))?.hash ?? '';

  it.each([
    ['/openapi/v3', '', 'application/json', 200],
    ['/openapi/v3/api/v1', '', undefined, 200],
    ['/openapi/v3/api/v1', '', 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf', 406],
    ['/openapi/v2', '', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 200],
    ['/openapi/v2', '', 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf', 406],
    ['/openapi/v2', '', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf,application/json', 200],
    ['/openapi/v2', '', 'application/json;q=0', 406],
    ['/openapi/v2', '', '*/*', 200],
    ['/openapi/v3/api/v1', `hash=${hash}`, undefined, 200],
    ['/openapi/v3/api/v1', 'hash=OLD', undefined, 301],
    ['/openapi/v3/api/v9', '', undefined, undefined],
    ['/openapi', '', undefined, undefined],
  ])('%s?%s %s', async (path, query, accept, status) => {
    expect((await ask(path, query, accept))?.status).toBe(status);
  });

  it('allows caching of a document under its hash for ever', async () => {
    expect((await ask('/openapi/v3/api/v1', `hash=${hash}`))?.headers).toEqual({
      'content-type': 'application/json',
      etag: `"${hash}"`,
      vary: 'Accept',
      'cache-control': 'public, immutable',
      expires: 'Tue, 31 Dec 2024 00:00:00 GMT',
    });
    expect((await ask('/openapi/v3/api/v1'))?.headers).not.toHaveProperty('cache-control');
  });

  it('redirects to the current hash', async () => {
    expect((await ask('/openapi/v3/api/v1', 'hash=OLD'))?.headers['location']).toBe(`/openapi/v3/api/v1?hash=${hash}`);
  });

  it('does not send a document that the client has', async () => {
    expect(await ask('/openapi/v3/api/v1', '', undefined, `"${hash}"`)).toMatchObject({ status: 304, body: undefined });
    expect(await ask('/openapi/v3/api/v1', '', undefined, '"other"')).toMatchObject({ status: 200 });
  });
});
