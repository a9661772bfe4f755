/** Field ownership that was recorded in another served version of a kind of which one version is stored. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineResource } from '../../src/entries/index.js';
import { kubernetes } from '../../src/foundation/dialect/dialect.js';
import { builtinResources } from '../../src/kinds/builtin/index.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { SAMPLES } from '../support/samples.js';
import { world, type Answer, type Json, type World } from './custom/world.js';

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';

const names = { group: 'shop.example', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' } as const;
const Widget = defineResource({
  ...names,
  version: 'v2',
  schema: () => z.object({ paint: z.object({ color: z.string(), gloss: z.string().optional() }) }),
});
/** Its functions rely on a whole object, as their types say. */
const OldWidget = defineResource({
  ...names,
  version: 'v1',
  schema: () =>
    z.object({ color: z.string(), gloss: z.string().optional(), more: z.object({ size: z.number().default(1) }) }),
  conversion: {
    hub: Widget,
    toHub: ({ metadata, color, gloss, more: { size } }) => ({
      metadata: { ...metadata, annotations: { ...metadata.annotations, size: size.toFixed(0) } },
      paint: { color: color.toUpperCase(), ...(gloss === undefined ? {} : { gloss }) },
    }),
    fromHub: ({ metadata: { annotations: { size = '1', ...annotations } = {}, ...metadata }, paint }) => ({
      metadata: { ...metadata, annotations },
      color: paint.color.toLowerCase(),
      more: { size: Number(size) },
      ...(paint.gloss === undefined ? {} : { gloss: paint.gloss }),
    }),
  },
});

let own: World;
beforeAll(async () => {
  own = await world({
    resources: [Widget, OldWidget],
    runtimeConfig: 'api/all=true',
    featureGates: { VolumeAttributesClass: true },
  });
}, 300_000);
afterAll(() => own[Symbol.asyncDispose]());

type Entry = readonly [manager: string, operation: string, apiVersion: string, fields: unknown];
type Managed = {
  readonly metadata: {
    readonly managedFields?: readonly Readonly<Record<string, unknown>>[];
  };
};

/** Returns the records of an answer, without those of the server's controllers. */
const entriesOf = ({ body }: Pick<Answer, 'body'>): Entry[] =>
  ((body as Managed).metadata.managedFields ?? [])
    .filter(({ manager }) => !CONTROLLERS.has(manager))
    .map(({ manager, operation, apiVersion, fieldsV1 }) => [
      manager as string,
      operation as string,
      apiVersion as string,
      fieldsV1,
    ]);

/** Managers of controllers that write while the test runs. */
const CONTROLLERS = new Set<unknown>([
  'validatingadmissionpolicy-status',
  'api-priority-and-fairness-config-consumer-v1',
]);

/** The requests of a test to one object, in the versions of its kind. */
class Sender {
  readonly #kind: string;
  readonly #name: string;
  readonly #path: (version: string) => string;
  readonly #group: string;

  constructor(group: string, kind: string, plural: string, name: string, namespaced = true) {
    [this.#group, this.#kind, this.#name] = [group, kind, name];
    this.#path = (version) =>
      `/${group === '' ? 'api' : `apis/${group}`}/${version}/${namespaced ? 'namespaces/default/' : ''}${plural}`;
  }

  object(version: string, fields: Json, metadata: Json = {}): Json {
    const apiVersion = this.#group === '' ? version : `${this.#group}/${version}`;
    return { apiVersion, kind: this.#kind, metadata: { name: this.#name, ...metadata }, ...fields };
  }

  create(version: string, manager: string, fields: Json, metadata: Json = {}): Promise<Answer> {
    return own.send('POST', `${this.#path(version)}?fieldManager=${manager}`, this.object(version, fields, metadata));
  }

  get(version: string): Promise<Answer> {
    return own.get(`${this.#path(version)}/${this.#name}`);
  }

  put(version: string, manager: string, object: Json, part = ''): Promise<Answer> {
    return own.send('PUT', `${this.#path(version)}/${this.#name}${part}?fieldManager=${manager}`, object);
  }

  patch(version: string, manager: string, body: unknown, type = MERGE, part = '', query = ''): Promise<Answer> {
    const path = `${this.#path(version)}/${this.#name}${part}?fieldManager=${manager}${query}`;
    return own.send('PATCH', path, JSON.stringify(body), { 'content-type': type });
  }

  apply(version: string, manager: string, fields: Json, query = '', metadata: Json = {}): Promise<Answer> {
    return this.patch(version, manager, this.object(version, fields, metadata), APPLY, '', query);
  }
}

let count = 0;
const autoscaler = (): Sender =>
  new Sender('autoscaling', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', `a-${(count += 1)}`);
const V1 = 'autoscaling/v1';
const V2 = 'autoscaling/v2';
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
/** The record of an applier of the reference: version v1 has it as a whole. */
const REFERENCE_V1 = { 'f:scaleTargetRef': {} };
const REFERENCE_V2 = { 'f:scaleTargetRef': { 'f:apiVersion': {}, 'f:kind': {}, 'f:name': {} } };
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
};
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

/** Begins with an applier of version v1. */
async function appliedInV1(spec: Json = { minReplicas: 2, targetCPUUtilizationPercentage: 50 }): Promise<Sender> {
  const object = autoscaler();
  const made = await object.apply('v1', 'one', { spec: { scaleTargetRef, maxReplicas: 5, ...spec } });
  expect(made.status).toBe(201);
  return object;
}
const ONE: Entry = [
  'one',
  'Apply',
  V1,
  {
    'f:spec': { 'f:maxReplicas': {}, 'f:minReplicas': {}, ...REFERENCE_V1, 'f:targetCPUUtilizationPercentage': {} },
  },
];

describe('a record of version v1 of an autoscaler', () => {
  test('loads its version where nothing has done so', async () => {
    const object = new Sender('storage.k8s.io', 'VolumeAttributesClass', 'volumeattributesclasses', 'first', false);
    const entry = { manager: 'one', operation: 'Update', apiVersion: 'storage.k8s.io/v1alpha1' };
    const made = await object.create(
      'v1beta1',
      'two',
      { driverName: 'd', parameters: { a: 'b' } },
      { managedFields: [{ ...entry, fieldsType: 'FieldsV1', fieldsV1: { 'f:metadata': { 'f:labels': {} } } }] },
    );
    expect(made.status).toBe(201);
    expect(entriesOf(made).map(([manager, , apiVersion]) => [manager, apiVersion])).toEqual([
      ['one', 'storage.k8s.io/v1alpha1'],
      ['two', 'storage.k8s.io/v1beta1'],
    ]);
  });

  test.each<[string, string, unknown]>([
    ['merge patch', MERGE, { metadata: { labels: { a: 'b' } } }],
    ['strategic merge patch', STRATEGIC, { metadata: { labels: { a: 'b' } } }],
    ['JSON Patch', JSON_PATCH, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]],
  ])('stays as it is after a %s through version v2', async (_name, type, body) => {
    const object = await appliedInV1();
    const after = await object.patch('v2', 'two', body, type);
    expect(entriesOf(after)).toEqual([
      ONE,
      ['two', 'Update', V2, { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } }],
    ]);
    expect(entriesOf(await object.get('v1'))).toEqual(entriesOf(after));
  });

  test('stays as it is after a PUT, an apply and a call in the process', async () => {
    const object = await appliedInV1();
    const read = (await object.get('v2')).body as Json & { metadata: Json & { name: string } };
    const put = await object.put('v2', 'two', { ...read, metadata: { ...read.metadata, labels: { a: 'b' } } });
    const two: Entry = ['two', 'Update', V2, { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } }];
    expect(entriesOf(put)).toEqual([ONE, two]);
    const applied = await object.apply('v2', 'three', { spec: { scaleTargetRef, maxReplicas: 5 } });
    const three: Entry = ['three', 'Apply', V2, { 'f:spec': { 'f:maxReplicas': {}, ...REFERENCE_V2 } }];
    expect(entriesOf(applied)).toEqual([three, ONE, two]);
    const inProcess = await own.test.client.apply(
      { apiVersion: V2, kind: 'HorizontalPodAutoscaler', metadata: { name: read.metadata.name, namespace: 'default' } },
      { fieldManager: 'four' },
    );
    expect(entriesOf({ body: inProcess })).toEqual([three, ONE, two]);
  });

  test('loses the fields that an update through version v2 changes or removes', async () => {
    const object = await appliedInV1();
    const changed = await object.patch('v2', 'two', { spec: { maxReplicas: 6, metrics: [memory] } });
    expect(changed).toMatchObject({ status: 200, body: { spec: { maxReplicas: 6, metrics: [memory] } } });
    expect(entriesOf(changed)).toEqual([
      ['one', 'Apply', V1, { 'f:spec': { 'f:minReplicas': {}, ...REFERENCE_V1 } }],
      ['two', 'Update', V2, { 'f:spec': { 'f:maxReplicas': {}, 'f:metrics': {} } }],
    ]);
    const renamed = await object.patch('v2', 'two', { spec: { scaleTargetRef: { name: 'other' } } });
    expect(entriesOf(renamed)[0]).toEqual(['one', 'Apply', V1, { 'f:spec': { 'f:minReplicas': {} } }]);
  });

  test('a dry run shows the same, and changes nothing', async () => {
    const object = await appliedInV1();
    const shown = await object.patch('v2', 'two', { spec: { maxReplicas: 6 } }, MERGE, '', '&dryRun=All');
    expect(entriesOf(shown).map(([manager, , version]) => [manager, version])).toEqual([
      ['one', V1],
      ['two', V2],
    ]);
    expect(entriesOf(await object.get('v2'))).toEqual([ONE]);
  });

  test('conflicts with an apply through version v2, in its own fields; force takes them', async () => {
    const object = await appliedInV1();
    const spec = { scaleTargetRef, maxReplicas: 6, metrics: [cpu(70)] };
    expect(await object.apply('v2', 'two', { spec })).toMatchObject({
      status: 409,
      body: {
        message:
          'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.maxReplicas\n- .spec.targetCPUUtilizationPercentage',
      },
    });
    const shared = await object.apply('v2', 'two', { spec: { scaleTargetRef, maxReplicas: 5, metrics: [cpu(50)] } });
    expect(entriesOf(shared)).toContainEqual(ONE);
    const forced = await object.apply('v2', 'two', { spec }, '&force=true');
    expect(entriesOf(forced)).toEqual([
      ['one', 'Apply', V1, { 'f:spec': { 'f:minReplicas': {}, ...REFERENCE_V1 } }],
      ['two', 'Apply', V2, { 'f:spec': { 'f:maxReplicas': {}, 'f:metrics': {}, ...REFERENCE_V2 } }],
    ]);
  });

  test('names its version in a conflict with an updater', async () => {
    const object = autoscaler();
    await object.create('v1', 'one', { spec: { scaleTargetRef, maxReplicas: 5 } });
    expect(await object.apply('v2', 'two', { spec: { scaleTargetRef, maxReplicas: 6 } })).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "one" using autoscaling/v1: .spec.maxReplicas' },
    });
  });

  test('moves with its applier to version v2, which gives up what it no longer applies', async () => {
    const object = await appliedInV1();
    const moved = await object.apply('v2', 'one', { spec: { scaleTargetRef, maxReplicas: 5 } });
    // As in Kubernetes, the conversion from version v1 always has a metric, and the current one stays.
    expect(moved).toMatchObject({ status: 200, body: { spec: { minReplicas: 1, metrics: [cpu(50)] } } });
    expect(entriesOf(moved)).toEqual([['one', 'Apply', V2, { 'f:spec': { 'f:maxReplicas': {}, ...REFERENCE_V2 } }]]);
  });

  test('keeps a field that another manager of its version gives up through version v2', async () => {
    const object = await appliedInV1();
    await object.apply('v1', 'other', { spec: { scaleTargetRef, maxReplicas: 5, minReplicas: 2 } });
    const moved = await object.apply('v2', 'other', { spec: { scaleTargetRef, maxReplicas: 5 } });
    expect(moved).toMatchObject({ status: 200, body: { spec: { minReplicas: 2 } } });
    const given = await object.apply('v2', 'one', { spec: { scaleTargetRef, maxReplicas: 5 } });
    expect(given).toMatchObject({ status: 200, body: { spec: { minReplicas: 1 } } });
  });

  test('does not change by an unchanged intent of version v2, which writes nothing', async () => {
    const object = await appliedInV1();
    const intent = { spec: { scaleTargetRef, maxReplicas: 5 } };
    const first = await object.apply('v2', 'two', intent);
    const version = ({ body }: Answer): unknown => (body as { metadata: Json }).metadata['resourceVersion'];
    expect(version(await object.apply('v2', 'two', intent))).toBe(version(first));
    expect(version(await object.apply('v2', 'two', intent))).toBe(version(first));
  });

  test('is taken over by an apply that tracks an object for the first time', async () => {
    const object = autoscaler();
    await object.create('v1', 'one', { spec: { scaleTargetRef, maxReplicas: 5 } }, { managedFields: [] });
    await object.patch('v1', 'one', { metadata: { managedFields: [{}] } });
    const tracked = await object.apply('v1', 'two', { spec: { maxReplicas: 5 } });
    const before = entriesOf(tracked).find(([manager]) => manager === 'before-first-apply');
    expect(before?.[2]).toBe(V1);
    const after = await object.apply('v2', 'three', { spec: { minReplicas: 3 } }, '&force=true');
    expect(after.status).toBe(200);
    const fields = (entries: Entry[]) =>
      entries.find(([manager]) => manager === 'before-first-apply')?.[3] as { 'f:spec': Json };
    expect(fields(entriesOf(tracked))['f:spec']).toHaveProperty('f:minReplicas');
    expect(fields(entriesOf(after))['f:spec']).not.toHaveProperty('f:minReplicas');
    expect(fields(entriesOf(after))['f:spec']).toHaveProperty('f:maxReplicas');
  });
});

describe('what only version v2 of an autoscaler has', () => {
  /** Begins with an applier of version v2. */
  async function appliedInV2(spec: Json): Promise<Sender> {
    const object = autoscaler();
    expect((await object.apply('v2', 'one', { spec: { scaleTargetRef, maxReplicas: 5, ...spec } })).status).toBe(201);
    return object;
  }
  const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
  const fieldsOf = (answer: Answer, manager: string): unknown =>
    entriesOf(answer).find(([name]) => name === manager)?.[3];

  test('belongs to its owner while a writer of version v1 keeps the annotation', async () => {
    const object = await appliedInV2({ metrics: [memory], behavior: { scaleDown: { selectPolicy: 'Disabled' } } });
    const labelled = await object.patch('v1', 'two', { metadata: { labels: { a: 'b' } } });
    expect(fieldsOf(labelled, 'one')).toEqual({
      'f:spec': {
        'f:behavior': { 'f:scaleDown': { 'f:selectPolicy': {} } },
        'f:maxReplicas': {},
        'f:metrics': {},
        ...REFERENCE_V2,
      },
    });
    expect(fieldsOf(labelled, 'two')).toEqual({ 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } });
  });

  test('is lost by its owner when a writer of version v1 changes the annotation', async () => {
    const object = await appliedInV2({ metrics: [memory] });
    const text = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"2Gi"}}]';
    const changed = await object.patch('v1', 'two', { metadata: { annotations: { [METRICS]: text } } });
    expect(fieldsOf(changed, 'one')).toEqual({ 'f:spec': { 'f:maxReplicas': {}, ...REFERENCE_V2 } });
    expect(fieldsOf(changed, 'two')).toEqual({ 'f:metadata': { 'f:annotations': { [`f:${METRICS}`]: {} } } });
    expect(await object.get('v2')).toMatchObject({
      body: { spec: { metrics: [{ resource: { target: { averageValue: '2Gi' } } }] } },
    });
  });

  test('is in conflict with an apply through version v1 that changes it', async () => {
    const object = await appliedInV2({ metrics: [memory] });
    const spec = { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 50 };
    expect(await object.apply('v1', 'two', { spec })).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "one": .spec.metrics' },
    });
    const forced = await object.apply('v1', 'two', { spec }, '&force=true');
    expect(fieldsOf(forced, 'one')).toEqual({ 'f:spec': { 'f:maxReplicas': {}, ...REFERENCE_V2 } });
    expect((await object.get('v2')).body).toMatchObject({ spec: { metrics: [memory, cpu(50)] } });
  });

  test('is removed when its owner gives it up through version v1', async () => {
    const object = await appliedInV2({ metrics: [memory], behavior: { scaleDown: { selectPolicy: 'Disabled' } } });
    const moved = await object.apply('v1', 'one', { spec: { scaleTargetRef, maxReplicas: 5 } });
    expect(entriesOf(moved)).toEqual([['one', 'Apply', V1, { 'f:spec': { 'f:maxReplicas': {}, ...REFERENCE_V1 } }]]);
    const { spec } = (await object.get('v2')).body as { spec: Json };
    expect(spec).not.toHaveProperty('behavior');
    // As above.
    expect(spec['metrics']).toEqual([memory]);
  });

  test('in the status belongs to the writer of the status, whatever a writer of version v1 sends', async () => {
    const object = await appliedInV2({ metrics: [memory] });
    const status = {
      currentMetrics: null,
      desiredReplicas: 3,
      conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2024-05-01T12:00:00Z' }],
    };
    const reported = await object.patch('v2', 'status', { status }, MERGE, '/status');
    const owned = fieldsOf(reported, 'status');
    expect(owned).toMatchObject({ 'f:status': { 'f:desiredReplicas': {}, 'f:conditions': {} } });
    const read = (await object.get('v1')).body as Json & { metadata: Json };
    const { metadata } = read;
    const sent = {
      ...read,
      metadata: { ...metadata, labels: { a: 'b' }, annotations: { note: 'x' } },
      status: { currentReplicas: 9, desiredReplicas: 9 },
    };
    const put = await object.put('v1', 'two', sent);
    expect(put.status).toBe(200);
    expect(fieldsOf(put, 'status')).toEqual(owned);
    // The annotation with the metrics is gone, and so are they.
    expect(fieldsOf(put, 'one')).toEqual({ 'f:spec': { 'f:maxReplicas': {}, ...REFERENCE_V2 } });
    const { metadata: current } = put.body as Json & { metadata: Json };
    const replicas = { currentReplicas: 4, desiredReplicas: 4 };
    const written = await object.put('v1', 'three', { ...sent, metadata: current, status: replicas }, '/status');
    expect(fieldsOf(written, 'one')).toEqual({ 'f:spec': { 'f:maxReplicas': {}, ...REFERENCE_V2 } });
    expect(fieldsOf(written, 'status')).not.toMatchObject({ 'f:status': { 'f:desiredReplicas': {} } });
    expect(fieldsOf(written, 'three')).toMatchObject({
      'f:status': { 'f:currentReplicas': {}, 'f:desiredReplicas': {} },
    });
  });
});

describe.each(
  builtinResources
    .map((definition) => new ResourceInfo(definition, kubernetes))
    .filter((info) => info.hub !== info && info.hub.group === info.group)
    .map((info): [string, ResourceInfo] => [`${info.kind} of ${info.apiVersion}`, info]),
)('a record of %s', (_name, info) => {
  const { group, kind, resource, version, apiVersion, namespaced, hub } = info;
  const fields = SAMPLES[`${kind}.${group.split('.')[0] ?? ''}`] as Json | undefined;
  const make = async (of: ResourceInfo): Promise<Sender> => {
    const object = new Sender(of.group, kind, resource, `r-${(count += 1)}`, namespaced);
    const made = await object.create(of.version, 'one', fields ?? {}, { labels: { a: '1', b: '1' } });
    expect(made).toMatchObject({ status: 201 });
    return object;
  };

  test('stays beside one of the stored version, and loses what that changes', async () => {
    const object = await make(info);
    const [before] = entriesOf(await object.get(hub.version));
    expect(before?.slice(0, 3)).toEqual(['one', 'Update', apiVersion]);
    const added = await object.patch(hub.version, 'two', { metadata: { labels: { c: '1' } } });
    expect(entriesOf(added)).toEqual([
      before,
      ['two', 'Update', hub.apiVersion, { 'f:metadata': { 'f:labels': { 'f:c': {} } } }],
    ]);
    const changed = await object.patch(hub.version, 'two', { metadata: { labels: { a: '2', b: null } } });
    expect(entriesOf(changed)[0]?.[3]).toMatchObject({ 'f:metadata': { 'f:labels': {} } });
    expect(entriesOf(changed)[0]?.[3]).not.toHaveProperty(['f:metadata', 'f:labels', 'f:a']);
    expect(entriesOf(changed)[0]?.[3]).not.toHaveProperty(['f:metadata', 'f:labels', 'f:b']);
  });

  test('appears beside one of the stored version, in conflict with it', async () => {
    const object = await make(hub);
    const [before] = entriesOf(await object.get(version));
    const applied = await object.apply(version, 'two', {}, '', { labels: { a: '1', c: '1' } });
    expect(entriesOf(applied)).toEqual([
      ['two', 'Apply', apiVersion, { 'f:metadata': { 'f:labels': { 'f:a': {}, 'f:c': {} } } }],
      before,
    ]);
    expect(await object.apply(version, 'two', {}, '', { labels: { a: '2' } })).toMatchObject({
      status: 409,
      body: {
        message: `Apply failed with 1 conflict: conflict with "one" using ${hub.apiVersion}: .metadata.labels.a`,
      },
    });
    const given = await object.apply(hub.version, 'two', {}, '', { labels: { a: '1' } });
    expect(given).toMatchObject({ status: 200, body: { metadata: { labels: { a: '1', b: '1' } } } });
    expect(given.body).not.toHaveProperty('metadata.labels.c');
  });
});

describe('other kinds', () => {
  test('an event of the group of events is not known to the core group, nor the other way round', async () => {
    const event = {
      reason: 'Started',
      type: 'Normal',
      action: 'Start',
      reportingController: 'example.com/controller',
      reportingInstance: 'a',
      eventTime: '2024-05-01T12:00:00.000000Z',
      regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
    };
    const of = (group: string): Sender => new Sender(group, 'Event', 'events', 'started');
    expect((await of('events.k8s.io').create('v1', 'one', event)).status).toBe(201);
    const core = await of('').patch('v1', 'two', { metadata: { labels: { a: 'b' } } });
    expect(entriesOf(core).map(([manager, , apiVersion]) => [manager, apiVersion])).toEqual([['two', 'v1']]);
    const back = await of('events.k8s.io').patch('v1', 'one', { metadata: { labels: { c: 'd' } } });
    expect(entriesOf(back).map(([manager, , apiVersion]) => [manager, apiVersion])).toEqual([
      ['one', 'events.k8s.io/v1'],
    ]);
  });

  test('a version that is not served is dropped', async () => {
    await using other = await world();
    const path = '/apis/storage.k8s.io/v1/storageclasses';
    const entry = { manager: 'one', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:provisioner': {} } };
    const made = await other.send('POST', `${path}?fieldManager=two`, {
      ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'p' },
      metadata: {
        name: 'c',
        managedFields: [
          { ...entry, apiVersion: 'storage.k8s.io/v1beta1' },
          { ...entry, apiVersion: 'v1', manager: 'three' },
        ],
      },
    });
    expect(entriesOf(made).map(([manager]) => manager)).toEqual(['two']);
  });

  test('a field that is always written stays when it is given up through another version, as in Kubernetes', async () => {
    const object = new Sender('flowcontrol.apiserver.k8s.io', 'FlowSchema', 'flowschemas', 'kept', false);
    const priorityLevelConfiguration = { name: 'global-default' };
    const distinguisherMethod = { type: 'ByUser' };
    const spec = { priorityLevelConfiguration, matchingPrecedence: 500, distinguisherMethod };
    await object.apply('v1beta3', 'one', { spec });
    const moved = await object.apply('v1', 'one', { spec: { priorityLevelConfiguration } });
    expect(moved).toMatchObject({ status: 200, body: { spec: { matchingPrecedence: 500 } } });
    expect(moved.body).not.toHaveProperty('spec.distinguisherMethod');
    // Within a version it is removed, and gets its default.
    await object.apply('v1', 'one', { spec: { priorityLevelConfiguration, matchingPrecedence: 500 } });
    expect(await object.apply('v1', 'one', { spec: { priorityLevelConfiguration } })).toMatchObject({
      body: { spec: { matchingPrecedence: 1000 } },
    });
  });

  test('zero shares of a priority level, which version v1beta3 marks, belong to their owner', async () => {
    const level = new Sender(
      'flowcontrol.apiserver.k8s.io',
      'PriorityLevelConfiguration',
      'prioritylevelconfigurations',
      'zero',
      false,
    );
    const limited = (nominalConcurrencyShares: number): Json => ({
      spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse: { type: 'Reject' } } },
    });
    expect((await level.apply('v1', 'one', limited(0))).status).toBe(201);
    const labelled = await level.patch('v1beta3', 'two', { metadata: { labels: { a: 'b' } } });
    expect(labelled).toMatchObject({ status: 200, body: { spec: limited(0)['spec'] } });
    const [one] = entriesOf(labelled);
    expect(one?.slice(0, 3)).toEqual(['one', 'Apply', 'flowcontrol.apiserver.k8s.io/v1']);
    expect(one?.[3]).toMatchObject({ 'f:spec': { 'f:limited': { 'f:nominalConcurrencyShares': {} } } });
    expect(await level.apply('v1beta3', 'two', limited(3))).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "one": .spec.limited.nominalConcurrencyShares' },
    });
  });
});

describe('a kind in code with a conversion', () => {
  const widget = (): Sender => new Sender('shop.example', 'Widget', 'widgets', `w-${(count += 1)}`);
  const [OLD, NEW] = ['shop.example/v1', 'shop.example/v2'];

  test('keeps the records of its versions, and compares them in each', async () => {
    const object = widget();
    expect((await object.apply('v1', 'one', { color: 'red', gloss: 'high', more: { size: 3 } })).status).toBe(201);
    const one: Entry = ['one', 'Apply', OLD, { 'f:color': {}, 'f:gloss': {}, 'f:more': { 'f:size': {} } }];
    const shared = await object.apply('v2', 'two', { paint: { color: 'RED' } });
    // A record of a write that changed no value has no time, and comes first.
    expect(entriesOf(shared)).toEqual([['two', 'Apply', NEW, { 'f:paint': { 'f:color': {} } }], one]);
    expect(await object.apply('v2', 'two', { paint: { color: 'BLUE' } })).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "one": .color' },
    });
  });

  test('its functions get whole objects, also when an applier gives up fields in another version', async () => {
    const object = widget();
    await object.apply('v1', 'one', { color: 'red', gloss: 'high', more: { size: 3 } });
    await object.apply('v2', 'two', { paint: { color: 'RED' } });
    const moved = await object.apply('v2', 'one', { paint: { color: 'RED' } });
    expect(moved).toMatchObject({ status: 200, body: { paint: { color: 'RED' } } });
    expect(moved.body).not.toHaveProperty('paint.gloss');
    expect(entriesOf(moved)).toEqual([
      ['two', 'Apply', NEW, { 'f:paint': { 'f:color': {} } }],
      ['one', 'Apply', NEW, { 'f:paint': { 'f:color': {} } }],
    ]);
    const back = await object.apply('v1', 'one', { color: 'red', gloss: 'low' });
    expect(back).toMatchObject({ status: 200, body: { color: 'red', gloss: 'low' } });
    const given = await object.apply('v1', 'one', {});
    expect(given).toMatchObject({ status: 200, body: { color: 'red' } });
    expect(given.body).not.toHaveProperty('gloss');
  });
});
