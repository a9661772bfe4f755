import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { resourcesFromCrd } from '../../../src/kinds/custom/sources/index.js';
import { defineResource, Deployment, Pod, type ApiServer } from '../../../src/entries/index.js';
import { Binding, builtinResources } from '../../../src/kinds/builtin/index.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import { fake, startTestServer, type TestServer } from '../../../src/entries/testing.js';

/** Kinds of which there are no fakes, because their objects cannot be created. */
const NOT_CREATED = new Map([['ComponentStatus', 'the server computes it']]);
/** Kinds that are created at a subresource of another object. */
const OF_SUBRESOURCES = ['Binding'];

const everything = () =>
  startTestServer({
    dialect: 'kubernetes',
    runtimeConfig: 'api/all=true',
    featureGates: { AllAlpha: true, AllBeta: true },
    controllers: { enable: [] },
  });
const titleOf = ({ group, version, kind }: ResourceDefinition): string =>
  `${kind} of ${typeof group === 'string' ? group : group.system} ${version}`;

const created = builtinResources.filter(({ kind }) => !NOT_CREATED.has(kind) && !OF_SUBRESOURCES.includes(kind));

/** Creates an object, in the default namespace if its kind has namespaces. */
async function create(
  { client, server }: Pick<TestServer, 'client'> & { server: ApiServer },
  kind: ResourceDefinition,
  object: never,
) {
  const served = server.resources.find({ apiVersion: (object as { apiVersion: string }).apiVersion, kind: kind.kind });
  if (served === undefined) throw new Error(`${titleOf(kind)} is not served`);
  const resource = client.resource(served);
  return (kind.scope === 'Namespaced' ? resource.namespace('default') : resource).create(object, {
    fieldValidation: 'Strict',
    dryRun: false,
  });
}

describe('a fake', () => {
  test('of every built-in kind is accepted by the server, with and without optional fields', async () => {
    await using server = await everything();
    const problems: string[] = [];
    for (const kind of created)
      for (const [seed, optional] of [
        [1, 0],
        [2, 8],
        [3, 25],
      ] as const) {
        const object = await fake(kind, { seed, optional, dialect: 'kubernetes' });
        await create(server, kind, object as never).catch((error: Error) =>
          problems.push(`${titleOf(kind)}, seed ${seed}: ${error.message}\n${JSON.stringify(object)}`),
        );
      }
    expect(problems).toEqual([]);
    // It makes 240 objects, whose kinds it loads all.
  }, 300_000);

  test('of an operation is accepted by its subresource', async () => {
    await using server = await startTestServer();
    const pods = server.client.resource(Pod).namespace('default');
    const pod = await pods.create(await fake(Pod));
    const name = pod.metadata.name ?? '';
    const binding = await fake(Binding, { optional: 5, overrides: { metadata: { name } } });
    await pods.perform(name, Binding, binding);
    expect((await pods.get(name)).spec?.nodeName).toBe(binding.target.name);
  });

  test('is repeatable, and has its overrides', async () => {
    const overrides = { metadata: { name: 'web', namespace: 'team' }, spec: { replicas: 3, selector: null } };
    const made = await fake(Deployment, { seed: 'x', optional: 5, overrides });
    expect(made).toMatchObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 3 },
    });
    expect(made.spec).not.toHaveProperty('selector');
    expect(await fake(Deployment, { seed: 'x', optional: 5, overrides })).toEqual(made);
    const names = await Promise.all([0, 1, 2].map((seed) => fake(Pod, { seed })));
    expect(new Set(names.map(({ metadata }) => metadata.name)).size).toBe(3);
    expect((await fake(Pod)).metadata.name).toBe(names[0]?.metadata.name);
    const minimal = (await fake(Pod)).spec ?? {};
    expect(Object.keys(minimal)).toEqual(['containers']);
    expect(Object.keys((await fake(Pod, { optional: 20 })).spec ?? {}).length).toBeGreaterThan(3);
  });

  test('of a kind declared with zod obeys its types, bounds and refinements', async () => {
    const Backup = defineResource({
      ...{ group: 'example.com', version: 'v1', kind: 'Backup', plural: 'backups', scope: 'Namespaced' },
      schema: () =>
        z.object({
          spec: z.object({
            target: z.string().regex(/^[a-z]{3,5}-[0-9]+$/),
            keep: z.number().int().min(7).max(9),
            ratio: z.number().gt(0).lt(1),
            mode: z.enum(['full', 'delta']),
            tags: z.array(z.string().min(12)).min(2),
            until: z.object({ hours: z.number().int() }).refine(({ hours }) => hours % 2 === 0, 'even'),
            note: z.string().optional(),
          }),
        }),
    });
    await using server = await startTestServer({ resources: [Backup] });
    for (let seed = 0; seed < 20; seed += 1)
      await create(server, Backup, (await fake(Backup, { seed, optional: 2 })) as never);
    const { items } = await server.client.resource(Backup).namespace('default').list();
    expect(items).toHaveLength(20);
    expect(new Set(items.map(({ spec }) => spec.mode)).size).toBe(2);
  });

  test('of a custom resource definition obeys its schema and its rules', async () => {
    const text = (pattern: string) => ({ type: 'string', pattern });
    const properties = {
      min: { type: 'integer', minimum: 0, maximum: 20 },
      max: { type: 'integer', minimum: 0, maximum: 20 },
      step: { type: 'integer', multipleOf: 5, minimum: 6 },
      host: text('^(www|api)\\.[a-z0-9-]{2,8}\\.(com|org)$'),
      version: text('^v[1-9][0-9]*(?:(alpha|beta)[1-9][0-9]*)?$'),
      not: text('^[^/:]+$'),
      free: text('^\\S+$'),
      email: { type: 'string', format: 'email' },
      at: { type: 'string', format: 'date-time' },
      port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      list: { type: 'array', minItems: 3, 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 4 } },
      byName: {
        type: 'array',
        minItems: 2,
        ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, note: { type: 'string' } },
        },
      },
      source: {
        type: 'object',
        properties: { git: { type: 'string' }, oci: { type: 'string' } },
        oneOf: [{ required: ['git'] }, { required: ['oci'] }],
      },
      labels: { type: 'object', minProperties: 2, additionalProperties: { type: 'string', enum: ['a', 'b'] } },
      embedded: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    };
    const rule = { rule: 'self.min <= self.max', message: 'min must not exceed max' };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        ...{ group: 'example.com', scope: 'Cluster', names: { kind: 'Widget', plural: 'widgets' } },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                required: ['spec'],
                properties: {
                  spec: {
                    type: 'object',
                    required: Object.keys(properties),
                    properties,
                    'x-kubernetes-validations': [rule],
                  },
                },
              },
            },
          },
        ],
      },
    };
    const [Widget] = await resourcesFromCrd(crd);
    if (Widget === undefined) throw new Error('there is no kind');
    await using server = await startTestServer({ dialect: 'kubernetes', crds: [crd] });
    const widgets = server.client.resource({ apiVersion: 'example.com/v1', kind: 'Widget' });
    for (let seed = 0; seed < 20; seed += 1)
      await widgets.create((await fake(Widget, { seed, optional: 3, dialect: 'kubernetes' })) as never, {
        fieldValidation: 'Strict',
      });
    expect((await widgets.list()).items).toHaveLength(20);
  });

  test('tells why there is none', async () => {
    const Never = defineResource({
      ...{ group: 'example.com', version: 'v1', kind: 'Never', plural: 'nevers', scope: 'Cluster' },
      schema: () =>
        z.object({ spec: z.object({ a: z.string().refine((text) => text === 'the word', 'say the word') }) }),
    });
    await expect(fake(Never)).rejects.toThrow(/give the fields .* as overrides.*say the word/);
    expect(await fake(Never, { overrides: { spec: { a: 'the word' } } })).toMatchObject({ spec: { a: 'the word' } });
  });

  test('refuses mistakes', async () => {
    await expect(fake('Pod' as never)).rejects.toThrow('must be a kind');
    await expect(fake(Pod, { sead: 1 } as object)).rejects.toThrow('did you mean "seed"');
    await expect(fake(Pod, { overrides: [] as never })).rejects.toThrow('overrides must be an object');
    await expect(fake(Pod, { optional: -1 })).rejects.toThrow('optional must be');
    await expect(fake(Pod, { dialect: 'kubernets' as 'kubernetes' })).rejects.toThrow('did you mean "kubernetes"');
  });

  test('is not made of kinds whose objects nobody creates', () => {
    const verbs = builtinResources.filter(({ kind }) => NOT_CREATED.has(kind)).map((kind) => kind.verbs);
    expect(verbs).toEqual([['get', 'list']]);
  });
});
