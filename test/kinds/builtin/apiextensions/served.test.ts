import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition, DEFINITIONS, world, type World } from './world.js';

let own: World;
beforeAll(async () => {
  own = await world();
}, 300_000);
afterAll(() => own[Symbol.asyncDispose]());

const named = (name: string) => `${DEFINITIONS}/${name}`;

it('a new definition is stored with its defaults and without conditions', async () => {
  const { status, body } = await own.send(
    'POST',
    `${DEFINITIONS}?fieldManager=golden`,
    definition({
      metadata: { name: 'rockets.run.example.com' },
      names: { plural: 'rockets', kind: 'Rocket', singular: 'rocket', shortNames: ['rk'], categories: ['fleet'] },
      spec: { group: 'run.example.com' },
      version: {
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 10 },
                  mode: { type: 'string', default: 'auto', enum: ['auto', 'manual'] },
                  code: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
                  port: { 'x-kubernetes-int-or-string': true },
                  tags: { type: 'array', maxItems: 2, items: { type: 'string', minLength: 1 } },
                  opts: { type: 'object', maxProperties: 2, additionalProperties: { type: 'string' } },
                  raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      },
    }),
  );
  expect([status, body]).toMatchObject([201, {}]);
  expect(body['spec']).toEqual({
    group: 'run.example.com',
    names: {
      plural: 'rockets',
      singular: 'rocket',
      shortNames: ['rk'],
      kind: 'Rocket',
      listKind: 'RocketList',
      categories: ['fleet'],
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', maximum: 10, minimum: 1 },
                  mode: { type: 'string', default: 'auto', enum: ['auto', 'manual'] },
                  code: { type: 'string', maxLength: 5, pattern: '^[a-z]+$' },
                  port: { 'x-kubernetes-int-or-string': true },
                  tags: { type: 'array', maxItems: 2, items: { type: 'string', minLength: 1 } },
                  opts: { type: 'object', maxProperties: 2, additionalProperties: { type: 'string' } },
                  raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      },
    ],
    conversion: { strategy: 'None' },
  });
  expect(body['status']).toEqual({
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: ['v1'],
  });
  expect(body['metadata']).toMatchObject({
    generation: 1,
    managedFields: [
      {
        manager: 'golden',
        fieldsV1: {
          'f:spec': {
            'f:conversion': { '.': {}, 'f:strategy': {} },
            'f:group': {},
            'f:names': {
              'f:categories': {},
              'f:kind': {},
              'f:listKind': {},
              'f:plural': {},
              'f:shortNames': {},
              'f:singular': {},
            },
            'f:scope': {},
            'f:versions': {},
          },
        },
      },
    ],
  });
  expect(
    Object.keys((body['metadata'] as { managedFields: [{ fieldsV1: object }] }).managedFields[0].fieldsV1),
  ).toEqual(['f:spec']);
});

describe('a definition is refused', () => {
  it.each<[string, object, string]>([
    [
      'whose name is not its plural and group',
      definition({ metadata: { name: 'worse.example.com' } }),
      'metadata.name: Invalid value: "worse.example.com": must be spec.names.plural+"."+spec.group',
    ],
    [
      'whose schema has no types',
      definition({ schema: { type: 'object', properties: { spec: { properties: { a: {} } } } } }),
      '[spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields, spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields]',
    ],
    [
      'with a version without a schema',
      definition({ version: { schema: undefined } }),
      'spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required',
    ],
    [
      'that keeps unknown fields',
      definition({ spec: { preserveUnknownFields: true } }),
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ])('%s', async (_case, body, problem) => {
    const answer = await own.send('POST', DEFINITIONS, body);
    const { name } = (body as { metadata: { name: string } }).metadata;
    expect([answer.status, answer.body['message']]).toEqual([
      422,
      `CustomResourceDefinition.apiextensions.k8s.io "${name}" is invalid: ${problem}`,
    ]);
  });

  it('with two storage versions', async () => {
    const version = (name: string) => ({
      name,
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
    });
    const answer = await own.send(
      'POST',
      DEFINITIONS,
      definition({ spec: { versions: [version('v1'), version('v2')] } }),
    );
    expect(answer.status).toBe(422);
    expect(answer.body['details']).toMatchObject({
      causes: [
        { field: 'spec.versions', reason: 'FieldValueInvalid' },
        { field: 'status.storedVersions', reason: 'FieldValueInvalid' },
      ],
    });
    expect(answer.body['message']).toContain(
      '[]apiextensions.CustomResourceDefinitionVersion{apiextensions.CustomResourceDefinitionVersion{Name:"v1", Served:true, Storage:true, Deprecated:false, DeprecationWarning:(*string)(nil), Schema:(*apiextensions.CustomResourceValidation)(nil)',
    );
  });
});

it('a definition is deleted in two phases', async () => {
  await own.send(
    'POST',
    DEFINITIONS,
    definition({ metadata: { name: 'gone.example.com' }, names: { plural: 'gone' } }),
  );
  const path = named('gone.example.com');
  const marked = await own.send('DELETE', path);
  expect([marked.status, marked.body]).toMatchObject([
    200,
    {
      kind: 'CustomResourceDefinition',
      metadata: { generation: 1, finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
      status: {
        conditions: [
          {
            type: 'Terminating',
            status: 'True',
            reason: 'InstanceDeletionPending',
            message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
          },
        ],
      },
    },
  ]);
  expect(marked.body['metadata']).not.toHaveProperty('deletionGracePeriodSeconds');
  const { metadata, ...rest } = (await own.send('GET', path)).body as { metadata: { finalizers?: string[] } };
  const freed = await own.send('PUT', `${path}/status`, { ...rest, metadata: { ...metadata, finalizers: [] } });
  expect(freed.status).toBe(200);
  expect((await own.send('GET', path)).status).toBe(404);
});
