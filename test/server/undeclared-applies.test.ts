/** The merge of an apply refuses the fields that a schema does not declare, whatever the level of validation. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ConfigMap, defineResource } from '../../src/entries/index.js';
import { annotate } from '../../src/machinery/index.js';
import { definition, world, type Answer, type Json, type World } from './custom/world.js';

/** A kind with an embedded object, which is declared but for its open part. */
const Holder = defineResource({
  group: 'holders.example.com',
  version: 'v1',
  kind: 'Holder',
  plural: 'holders',
  scope: 'Namespaced',
  schema: () => z.object({ inner: annotate(z.object({ size: z.number() }), { embeddedResource: true }).optional() }),
});

const SPEC = {
  type: 'object',
  properties: {
    foo: { type: 'string' },
    open: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'integer' } },
    },
    list: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
    pairs: { type: 'array', items: { type: 'object', properties: { left: { type: 'string' } } } },
  },
};
const STATUS = { type: 'object', properties: { phase: { type: 'string' } } };

let own: World;
beforeAll(async () => {
  own = await world({ resources: [Holder] });
  await own.define(
    definition({
      schema: { type: 'object', properties: { spec: SPEC, status: STATUS } },
      subresources: { status: {}, scale: { specReplicasPath: '.spec.foo', statusReplicasPath: '.status.phase' } },
    }),
  );
  for (const [path, object] of [
    [`${MAPS}`, map('present', {})],
    [`${ROCKETS}`, rocket('present', {})],
    [`${DEPLOYMENTS}`, { ...deployment('present'), spec: { ...TEMPLATE } }],
  ] as const)
    await own.send('POST', path, object);
}, 300_000);
afterAll(() => own[Symbol.asyncDispose]());

const MAPS = '/api/v1/namespaces/default/configmaps';
const ROCKETS = '/apis/example.com/v1/namespaces/default/rockets';
const HOLDERS = '/apis/holders.example.com/v1/namespaces/default/holders';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const named = (name: string): Json => ({ name, namespace: 'default' });
const map = (name: string, more: Json): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: named(name),
  ...more,
});
const rocket = (name: string, more: Json): Json => ({
  apiVersion: 'example.com/v1',
  kind: 'Rocket',
  metadata: named(name),
  ...more,
});
const holder = (name: string, inner: Json): Json => ({
  apiVersion: 'holders.example.com/v1',
  kind: 'Holder',
  metadata: named(name),
  inner,
});
const TEMPLATE = {
  selector: { matchLabels: { a: 'b' } },
  template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
};
const deployment = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: named(name),
  spec,
});
const containers = (more: Json): Json => ({ template: { spec: { containers: [{ name: 'c', ...more }] } } });

const apply = (path: string, intent: Json | string, query = ''): Promise<Answer> =>
  own.send('PATCH', `${path}?fieldManager=m${query}`, intent, { 'content-type': 'application/apply-patch+yaml' });

const refusal = (kind: string, problem: string, name = 'default/present'): Json => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `failed to create typed patch object (${name}; ${kind}): ${problem}`,
  code: 500,
});
const CONFIG_MAP = '/v1, Kind=ConfigMap';
const ROCKET = 'example.com/v1, Kind=Rocket';

test('of very many undeclared fields the first thousand are named, and the others are counted', async () => {
  const fields = Object.fromEntries(Array.from({ length: 3_500 }, (_, index) => [`bad${index}`, 1]));
  const { status, body } = await apply(`${MAPS}/present`, map('present', fields));
  expect(status).toBe(500);
  const lines = String((body as Json)['message']).split('\n');
  expect(lines).toHaveLength(1_002);
  expect(lines[1]).toBe('  .bad0: field not declared in schema');
  expect(lines.at(-1)).toBe('  … and 2,500 more');
});

describe('an undeclared field is refused', () => {
  test.each<[string, string, Json, string, string]>([
    ['of a ConfigMap', `${MAPS}/present`, map('present', { bad: 1 }), CONFIG_MAP, '.bad: field not declared in schema'],
    [
      'of the metadata',
      `${MAPS}/present`,
      map('present', { metadata: { ...named('present'), bad: null } }),
      CONFIG_MAP,
      '.metadata.bad: field not declared in schema',
    ],
    [
      'of a custom resource',
      `${ROCKETS}/present`,
      rocket('present', { spec: { bar: 'x' } }),
      ROCKET,
      '.spec.bar: field not declared in schema',
    ],
    [
      'of the status of a custom resource',
      `${ROCKETS}/present/status`,
      rocket('present', { status: { bar: 'x' } }),
      ROCKET,
      '.status.bar: field not declared in schema',
    ],
    [
      'of an item with a key',
      `${ROCKETS}/present`,
      rocket('present', { spec: { list: [{ name: 'n', bar: 1 }] } }),
      ROCKET,
      '.spec.list[name="n"].bar: field not declared in schema',
    ],
    [
      'of an item of an atomic list',
      `${ROCKETS}/present`,
      rocket('present', { spec: { pairs: [{ left: 'n' }, { right: 'n' }] } }),
      ROCKET,
      '.spec.pairs[1].right: field not declared in schema',
    ],
    [
      'of a container',
      `${DEPLOYMENTS}/present`,
      deployment('present', containers({ bad: 1 })),
      'apps/v1, Kind=Deployment',
      '.spec.template.spec.containers[name="c"].bad: field not declared in schema',
    ],
    [
      'of the status of a Deployment',
      `${DEPLOYMENTS}/present/status`,
      { ...deployment('present'), status: { bad: 1 } },
      'apps/v1, Kind=Deployment',
      '.status.bad: field not declared in schema',
    ],
    [
      'of a scale',
      `${DEPLOYMENTS}/present/scale`,
      { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: named('present'), spec: { replicas: 1, bad: 1 } },
      'autoscaling/v1, Kind=Scale',
      '.spec.bad: field not declared in schema',
    ],
  ])('%s', async (_case, path, intent, kind, problem) => {
    const wanted = refusal(kind, problem);
    for (const query of [
      '',
      '&fieldValidation=Ignore',
      '&fieldValidation=Warn',
      '&fieldValidation=Strict',
      '&force=true',
      '&dryRun=All',
    ])
      expect(await apply(path, intent, query)).toMatchObject({ status: 500, body: wanted });
  });

  test('of embedded metadata, and of an embedded object', async () => {
    const kind = 'holders.example.com/v1, Kind=Holder';
    const inner = { apiVersion: 'v1', kind: 'Pod', metadata: { bad: 1 }, size: 1 };
    expect((await apply(`${HOLDERS}/one`, holder('one', inner))).body).toEqual(
      refusal(kind, '.inner.metadata.bad: field not declared in schema', 'default/one'),
    );
    expect((await apply(`${HOLDERS}/one`, holder('one', { ...inner, metadata: {}, other: 1 }))).body).toEqual(
      refusal(kind, '.inner.other: field not declared in schema', 'default/one'),
    );
  });

  test('before an object is created', async () => {
    expect((await apply(`${MAPS}/absent`, map('absent', { bad: 1 }))).body).toEqual(
      refusal(CONFIG_MAP, '.bad: field not declared in schema', 'default/absent'),
    );
    expect((await own.get(`${MAPS}/absent`)).status).toBe(404);
  });

  test('in-process', async () => {
    const maps = own.test.client.resource(ConfigMap).namespace('default');
    const intent = { metadata: { name: 'present' }, bad: 1 };
    for (const fieldValidation of ['Ignore', 'Warn', 'Strict'] as const)
      await expect(maps.apply(intent, { fieldManager: 'm', fieldValidation })).rejects.toMatchObject({
        code: 500,
        message:
          'failed to create typed patch object (/present; /v1, Kind=ConfigMap): .bad: field not declared in schema',
      });
  });

  test('before repeated keys, which only an intent that can be merged is asked for', async () => {
    const body = (more: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: present\n  namespace: default\ndata:\n  k: a\n  k: b\n${more}`;
    expect((await apply(`${MAPS}/present`, body('bad: 1\n'), '&fieldValidation=Strict')).body).toEqual(
      refusal(CONFIG_MAP, '.bad: field not declared in schema'),
    );
    const repeated = await apply(`${MAPS}/present`, body(''), '&fieldValidation=Strict');
    expect(repeated).toMatchObject({
      status: 400,
      body: {
        message:
          'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 8: key "k" already set in map',
      },
    });
    const again = await apply(`${MAPS}/present`, body(''));
    expect([again.status, again.headers['warning']]).toEqual([200, ['299 - "line 8: key \\"k\\" already set in map"']]);
  });
});

describe('a part that preserves unknown fields', () => {
  test('stays open, and its fields are owned', async () => {
    const open = { known: 1, other: { deep: [{ a: null }] } };
    const made = await apply(`${ROCKETS}/open`, rocket('open', { spec: { open } }));
    expect([made.status, (made.body as { spec: Json }).spec]).toEqual([201, { open }]);
    expect(made.body).toMatchObject({
      metadata: {
        managedFields: [
          { fieldsV1: { 'f:spec': { 'f:open': { 'f:known': {}, 'f:other': { '.': {}, 'f:deep': {} } } } } },
        ],
      },
    });
  });
});

test('a quantity counts as it was written: another notation is another value', async () => {
  const pod = (cpu: string): Json => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: named('amounts'),
    spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu } } }] },
  });
  const path = '/api/v1/namespaces/default/pods/amounts';
  expect((await apply(path, pod('1000m'))).status).toBe(201);
  const other = await own.send('PATCH', `${path}?fieldManager=other`, pod('1000m'), {
    'content-type': 'application/apply-patch+yaml',
  });
  expect(other).toMatchObject({
    status: 409,
    body: {
      message: 'Apply failed with 1 conflict: conflict with "m": .spec.containers[name="c"].resources.limits.cpu',
    },
  });
  expect((await apply(path, pod('1000m'))).status).toBe(200);
});
