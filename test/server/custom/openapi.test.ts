import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { customKinds, noConversion } from '../../../src/kinds/custom/index.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { OpenApi } from '../../../src/server/openapi/index.js';
import { definition, world, type Json, type World } from './world.js';

interface Tree {
  readonly [key: string]: Tree;
}

const GVK = 'x-kubernetes-group-version-kind';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const DESCRIBED = expect.any(String) as string;
const TEXT = { type: 'string', description: DESCRIBED };

const schema = {
  type: 'object',
  title: 'A rocket',
  description: 'Flies.',
  required: ['spec'],
  'x-kubernetes-validations': [{ rule: 'self.metadata.name.size() < 40', message: 'too long' }],
  properties: {
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 40 } } },
    spec: {
      type: 'object',
      required: ['size', 'note'],
      properties: {
        size: { type: 'integer', format: 'int32', minimum: 0, maximum: 10, default: 1 },
        note: { type: 'string', nullable: true, default: 'none', maxLength: 10 },
        maybe: { type: 'string', nullable: true, default: null },
        port: { 'x-kubernetes-int-or-string': true },
        limit: {
          'x-kubernetes-int-or-string': true,
          anyOf: [{ type: 'integer' }, { type: 'string' }],
          pattern: '^[0-9]+$',
        },
        either: { 'x-kubernetes-int-or-string': true, anyOf: [{ minimum: 1 }, { maximum: 9 }] },
        raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
        open: { type: 'array', nullable: true, items: { type: 'string' } },
        inner: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
        any: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        free: { type: 'object', additionalProperties: true },
        labels: { type: 'object', additionalProperties: { type: 'string', minLength: 1 }, maxProperties: 2 },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            'x-kubernetes-map-type': 'atomic',
            properties: { name: { type: 'string', enum: ['a', 'b'] } },
          },
        },
      },
      oneOf: [{ required: ['port'] }, { properties: { size: { minimum: 3 } }, not: { required: ['port'] } }],
    },
  },
} as const;

let own: World;
beforeAll(async () => {
  own = await world();
  await own.define(
    definition({
      names: { shortNames: ['rk'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
          selectableFields: [{ jsonPath: '.spec.note' }],
        },
      ],
    }),
  );
  await own.define(
    definition({
      group: 'open.example.com',
      plural: 'blobs',
      kind: 'Blob',
      scope: 'Cluster',
      schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, description: 'Anything.' },
    }),
  );
}, 300_000);
afterAll(() => own[Symbol.asyncDispose]());

const read = async (path: string): Promise<Tree> => (await own.get(path)).body as Tree;
const version3 = (): Promise<Tree> => read('/openapi/v3/apis/example.com/v1');
const componentOf = async (name: string): Promise<Tree | undefined> =>
  (await version3())['components']?.['schemas']?.[name];

describe('version 3 of a custom kind', () => {
  const metadata = { allOf: [{ $ref: `#/components/schemas/${META}.ObjectMeta` }], description: DESCRIBED };
  const { spec } = schema.properties;
  const intOrString = [{ type: 'integer' }, { type: 'string' }];

  it('is the schema as written, with the fields of every object', async () => {
    expect(await componentOf('com.example.v1.Rocket')).toEqual({
      type: 'object',
      title: 'A rocket',
      description: 'Flies.',
      required: ['spec'],
      'x-kubernetes-validations': schema['x-kubernetes-validations'],
      'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.note' }],
      [GVK]: [{ group: 'example.com', version: 'v1', kind: 'Rocket' }],
      properties: {
        apiVersion: TEXT,
        kind: TEXT,
        metadata,
        spec: {
          ...spec,
          properties: {
            ...spec.properties,
            maybe: { type: 'string', nullable: true },
            port: { 'x-kubernetes-int-or-string': true, anyOf: intOrString },
            either: { ...spec.properties.either, allOf: [{ anyOf: intOrString }] },
            inner: {
              ...spec.properties.inner,
              required: ['kind', 'apiVersion'],
              properties: { apiVersion: TEXT, kind: TEXT, metadata, spec: { type: 'object' } },
            },
            any: {
              ...spec.properties.any,
              required: ['kind', 'apiVersion'],
              properties: { apiVersion: TEXT, kind: TEXT, metadata },
            },
          },
        },
      },
    });
  });

  it('has a list, which repeats the selectable fields', async () => {
    expect(await componentOf('com.example.v1.RocketList')).toEqual({
      type: 'object',
      description: DESCRIBED,
      required: ['items'],
      properties: {
        apiVersion: TEXT,
        kind: TEXT,
        metadata: { allOf: [{ $ref: `#/components/schemas/${META}.ListMeta` }], description: DESCRIBED },
        items: { type: 'array', description: DESCRIBED, items: { $ref: '#/components/schemas/com.example.v1.Rocket' } },
      },
      'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.note' }],
      [GVK]: [{ group: 'example.com', version: 'v1', kind: 'RocketList' }],
    });
  });

  it('has the fields of every object also when it keeps unknown ones', async () => {
    const document = await read('/openapi/v3/apis/open.example.com/v1');
    expect(document['components']?.['schemas']?.['com.example.open.v1.Blob']).toEqual({
      type: 'object',
      description: 'Anything.',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { apiVersion: TEXT, kind: TEXT, metadata },
      [GVK]: [{ group: 'open.example.com', version: 'v1', kind: 'Blob' }],
    });
  });

  it('refers only to its own components, and has no others', async () => {
    const document = await version3();
    expect(document['info']).toEqual({ title: 'Kubernetes CRD Swagger', version: 'v0.1.0' });
    const known = Object.keys(document['components']?.['schemas'] ?? {});
    const used = JSON.stringify(document).match(/(?<="#\/components\/schemas\/)[^"]+/g) ?? [];
    expect([...new Set(used)].sort()).toEqual(known.sort());
    expect(Object.keys(document['components'] ?? {})).toEqual(['schemas']);
    expect(known).toContain('io.k8s.api.autoscaling.v1.Scale');
  });
});

describe('the paths of a custom kind', () => {
  const base = '/apis/example.com/v1';
  const many = `${base}/namespaces/{namespace}/rockets`;

  it('are those of Kubernetes, with their operations', async () => {
    const { paths = {} } = await version3();
    const operations = Object.entries(paths).map(([path, item]) => [
      path,
      ...Object.entries(item)
        .filter(([method]) => method !== 'parameters')
        .map(([, operation]) => String(operation['operationId'])),
    ]);
    expect(operations).toEqual([
      [
        many,
        'listExampleComV1NamespacedRocket',
        'createExampleComV1NamespacedRocket',
        'deleteExampleComV1CollectionNamespacedRocket',
      ],
      [
        `${many}/{name}`,
        'readExampleComV1NamespacedRocket',
        'replaceExampleComV1NamespacedRocket',
        'patchExampleComV1NamespacedRocket',
        'deleteExampleComV1NamespacedRocket',
      ],
      [
        `${many}/{name}/scale`,
        'readExampleComV1NamespacedRocketScale',
        'replaceExampleComV1NamespacedRocketScale',
        'patchExampleComV1NamespacedRocketScale',
      ],
      [
        `${many}/{name}/status`,
        'readExampleComV1NamespacedRocketStatus',
        'replaceExampleComV1NamespacedRocketStatus',
        'patchExampleComV1NamespacedRocketStatus',
      ],
      [`${base}/rockets`, 'listExampleComV1RocketForAllNamespaces'],
    ]);
  });

  it('have the media types, parameters and responses of Kubernetes', async () => {
    const { paths } = await version3();
    const operation = (path: string, method: string): Tree => paths?.[path]?.[method] ?? {};
    const namesOf = (list: unknown): unknown[] => (list as Json[]).map(({ name }) => name);
    const both = ['application/json', 'application/yaml'];
    const list = operation(many, 'get');
    expect(Object.keys(list['responses']?.['200']?.['content'] ?? {})).toEqual(both);
    const deletion = operation(many, 'delete');
    expect(deletion).not.toHaveProperty('requestBody');
    expect(namesOf(deletion['parameters'])).toEqual(namesOf(list['parameters']));
    expect(namesOf(deletion['parameters'])).toContain('watch');
    expect(namesOf(operation(`${many}/{name}`, 'get')['parameters'])).toEqual(['resourceVersion']);
    const patch = operation(`${many}/{name}`, 'patch');
    expect(Object.keys(patch['responses'] ?? {})).toEqual(['200', '401']);
    expect(Object.keys(patch['requestBody']?.['content'] ?? {})).toEqual([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
    ]);
    const scale = operation(`${many}/{name}/scale`, 'put');
    expect(scale[GVK]).toEqual({ group: 'example.com', version: 'v1', kind: 'Rocket' });
    expect(scale['responses']?.['201']?.['content']?.['application/json']?.['schema']).toEqual({
      $ref: '#/components/schemas/io.k8s.api.autoscaling.v1.Scale',
    });
    expect(Object.keys(operation(many, 'post')['responses'] ?? {})).toEqual(['200', '201', '202', '401']);
    expect(Object.keys(operation(`${many}/{name}`, 'delete')['responses'] ?? {})).toEqual(['200', '202', '401']);
  });
});

describe('version 2', () => {
  it('leaves out what its clients misread', async () => {
    const definitions = (await read('/openapi/v2'))['definitions'];
    const metadata = { $ref: `#/definitions/${META}.ObjectMeta`, description: DESCRIBED };
    expect(definitions?.['com.example.v1.Rocket']).toEqual({
      type: 'object',
      title: 'A rocket',
      description: 'Flies.',
      required: ['spec'],
      'x-kubernetes-validations': schema['x-kubernetes-validations'],
      'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.note' }],
      [GVK]: [{ group: 'example.com', version: 'v1', kind: 'Rocket' }],
      properties: {
        apiVersion: TEXT,
        kind: TEXT,
        metadata,
        spec: {
          type: 'object',
          required: ['size'],
          properties: {
            size: { type: 'integer', format: 'int32', minimum: 0, maximum: 10, default: 1 },
            note: { default: 'none', maxLength: 10 },
            maybe: {},
            port: { 'x-kubernetes-int-or-string': true },
            limit: { 'x-kubernetes-int-or-string': true, pattern: '^[0-9]+$' },
            either: { 'x-kubernetes-int-or-string': true },
            raw: { 'x-kubernetes-preserve-unknown-fields': true },
            open: {},
            inner: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              required: ['kind', 'apiVersion'],
              properties: { apiVersion: TEXT, kind: TEXT, metadata, spec: { type: 'object' } },
            },
            any: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
            free: schema.properties.spec.properties.free,
            labels: schema.properties.spec.properties.labels,
            parts: schema.properties.spec.properties.parts,
          },
        },
      },
    });
    expect(definitions?.['com.example.open.v1.Blob']).toEqual({
      type: 'object',
      [GVK]: [{ group: 'open.example.com', version: 'v1', kind: 'Blob' }],
    });
  });

  it('is available in protobuf, too', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
    expect(await own.get('/openapi/v2', { accept })).toMatchObject({
      status: 200,
      body: expect.stringContaining('com.example.v1.Rocket') as string,
    });
  });
});

describe('the index', () => {
  const urls = async (): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries(
      Object.entries((await read('/openapi/v3'))['paths'] ?? {}).map(([path, entry]) => [
        path,
        String(entry['serverRelativeURL']),
      ]),
    );

  it('names the document of a custom kind by a hash that changes with its definition only', async () => {
    const before = await urls();
    const url = before['apis/example.com/v1'] ?? '';
    const answer = await own.get(url);
    expect(answer).toMatchObject({
      status: 200,
      headers: { etag: `"${url.split('=')[1]}"`, 'cache-control': 'public, immutable' },
    });
    await own.define(definition({ group: 'more.example.com', plural: 'probes', kind: 'Probe' }));
    const more = await urls();
    expect(more).toEqual({ ...before, 'apis/more.example.com/v1': expect.any(String) as string });
    await own.change('probes.more.example.com', { spec: { names: { shortNames: ['pr'] } } });
    const after = await urls();
    expect(after['apis/more.example.com/v1']).not.toBe(more['apis/more.example.com/v1']);
    expect({ ...after, 'apis/more.example.com/v1': '' }).toEqual({ ...before, 'apis/more.example.com/v1': '' });
    expect(await own.get(more['apis/more.example.com/v1'] ?? '')).toMatchObject({
      status: 301,
      headers: { location: after['apis/more.example.com/v1'] },
    });
  });

  it('compiles no schema', async () => {
    const compile = vi.fn(() => ({ type: 'object', presence: 'keep' }) as const);
    const version = { name: 'v1', served: true, storage: true };
    const source = {
      group: 'example.com',
      names: { plural: 'a', kind: 'A' },
      scope: 'Cluster',
      versions: [version, { ...version, name: 'v2', storage: false }],
    };
    const resources = customKinds(source, kubernetes, noConversion).map(
      (kind) => new ResourceInfo({ ...kind, structural: compile }, kubernetes),
    );
    const openApi = new OpenApi({ resources, dialect: kubernetes });
    expect(Buffer.from(await (await openApi.index()).read()).toString()).toContain('apis/example.com/v2?hash=');
    expect(compile).not.toHaveBeenCalled();
    expect(Buffer.from((await (await openApi.document('apis/example.com/v1'))?.read()) ?? '').toString()).toContain(
      'com.example.v1.A',
    );
    expect(compile).toHaveBeenCalled();
  });
});
