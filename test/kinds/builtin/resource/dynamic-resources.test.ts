import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { ResourceDefinition } from '../../../../src/registry/definition/definition.js';
import {
  DeviceClass,
  PodSchedulingContext,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../../../src/kinds/builtin/index.js';
import { startTestServer } from '../../../../src/entries/testing.js';
import { ask, jsonOf } from '../../../server/ask.js';
import { cells, changed, context, create, decode, freeze, problems, subresourceStrategy, texts } from '../support.js';

const cel = (expression: string) => ({ cel: { expression } });

beforeAll(async () => {
  for (const kind of [DeviceClass, PodSchedulingContext, ResourceClaim, ResourceClaimTemplate, ResourceSlice])
    await kind.prepare?.();
  await DeviceClass.strategy?.load?.(decode(DeviceClass, { spec: { selectors: [cel('true')] } }));
});

const REQUEST = { name: 'gpu', deviceClassName: 'gpu.example.com' };
const IDENTIFIER =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('a claim', () => {
  const claim = (devices: JsonObject, more: JsonObject = {}): JsonObject => ({
    metadata: { name: 'a' },
    spec: { devices, ...more },
  });
  const of = (devices: JsonObject): string[] =>
    problems(ResourceClaim, claim(devices)).map((text) => text.replace('spec.devices.', ''));

  test('requests one device by default', () => {
    const requests = [REQUEST, { ...REQUEST, name: 'all', allocationMode: 'All' }];
    expect(create(ResourceClaim, claim({ requests }, { controller: 'c.example.com' }))['spec']).toEqual({
      devices: {
        requests: [
          { ...REQUEST, allocationMode: 'ExactCount', count: 1 },
          { ...REQUEST, name: 'all', allocationMode: 'All' },
        ],
      },
    });
  });

  test.each<[string, JsonObject, string[]]>([
    [
      'with an empty request',
      { requests: [{}] },
      [`requests[0].name: Invalid value: "": ${LABEL}`, 'requests[0].deviceClassName: Required value'],
    ],
    ['with two requests of one name', { requests: [REQUEST, REQUEST] }, ['requests[1].name: Duplicate value: "gpu"']],
    [
      'with invalid counts',
      {
        requests: [
          { ...REQUEST, allocationMode: 'All', count: 2 },
          { ...REQUEST, name: 'b', count: -1 },
          { ...REQUEST, name: 'c', allocationMode: 'Some' },
        ],
      },
      [
        "requests[0].count: Invalid value: 2: must not be specified when allocationMode is 'All'",
        'requests[1].count: Invalid value: -1: must be greater than zero',
        'requests[2].allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
      ],
    ],
    [
      'with invalid selectors',
      { requests: [{ ...REQUEST, selectors: [{}, cel('device.driver'), cel('device.model == "x"')] }] },
      [
        'requests[0].selectors[0].cel: Required value',
        'requests[0].selectors[1].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string',
        'requests[0].selectors[2].cel.expression: Invalid value: "device.model == \\"x\\"": compilation failed: ERROR: <input>:1:7: undefined field \'model\'\n | device.model == "x"\n | ......^',
      ],
    ],
    [
      'with invalid constraints',
      { requests: [REQUEST], constraints: [{ requests: ['gpu', 'tpu', 'gpu'] }, { matchAttribute: 'model' }] },
      [
        'constraints[0].requests[1]: Invalid value: "tpu": must be the name of a request in the claim',
        'constraints[0].requests[2]: Duplicate value: "gpu"',
        'constraints[0].matchAttribute: Required value',
        'constraints[1].matchAttribute.domain: Required value: must include a prefix',
      ],
    ],
    [
      'with invalid configurations',
      {
        requests: [REQUEST],
        config: [
          {},
          { opaque: { driver: '', parameters: {} } },
          { requests: ['x'], opaque: { driver: 'a_b', parameters: {} } },
        ],
      },
      [
        'config[0].opaque: Required value',
        'config[1].opaque.driver: Required value',
        `config[1].opaque.driver: Invalid value: "": ${SUBDOMAIN}`,
        'config[2].requests[0]: Invalid value: "x": must be the name of a request in the claim',
        `config[2].opaque.driver: Invalid value: "a_b": ${SUBDOMAIN}`,
      ],
    ],
    [
      'with too many requests',
      { requests: Array.from({ length: 33 }, (_, index) => ({ ...REQUEST, name: `r${index}` })) },
      ['requests: Too long: may not be longer than 32'],
    ],
  ])('%s is refused', (_, devices, expected) => expect(of(devices)).toEqual(expected));

  test('selects devices by driver, attributes and capacity', () => {
    const selectors = [
      'device.driver == "gpu.example.com"',
      'device.attributes["gpu.example.com"].fast',
      'device.attributes["gpu.example.com"].version.isGreaterThan(semver("1.2.3"))',
      'cel.bind(gpu, device.attributes["gpu.example.com"], gpu.fast && gpu.quiet)',
      'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Gi"))',
    ].map(cel);
    expect(of({ requests: [{ ...REQUEST, selectors }] })).toEqual([]);
  });

  const statusProblems = (status: JsonObject, before: JsonObject = {}): string[] => {
    const empty = create(ResourceClaim, claim({ requests: [REQUEST] }));
    const old = freeze(changed(empty, { status: before })) as typeof empty;
    const object = freeze(changed(empty, { status })) as typeof empty;
    return texts(subresourceStrategy(ResourceClaim, 'status').validateUpdate?.(object, old, context));
  };
  const RESULT = { request: 'gpu', driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' };
  const ALLOCATION = { devices: { results: [RESULT] } };
  const CONSUMER = { resource: 'pods', name: 'a', uid: '1' };

  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['allocated and reserved', { allocation: ALLOCATION, reservedFor: [CONSUMER] }, {}, []],
    [
      'reserved only',
      { reservedFor: [CONSUMER, CONSUMER, { resource: '', name: '', uid: '' }] },
      {},
      [
        'status.reservedFor[2].resource: Required value',
        'status.reservedFor[2].name: Required value',
        'status.reservedFor[2].uid: Required value',
        'status.reservedFor[1].uid: Duplicate value: "1"',
        'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
      ],
    ],
    [
      'allocated otherwise',
      { allocation: { devices: { results: [{ ...RESULT, request: 'x', pool: '' }], config: [{ source: '' }] } } },
      { allocation: ALLOCATION },
      [
        'status.allocation.devices.results[0].request: Invalid value: "x": must be the name of a request in the claim',
        'status.allocation.devices.results[0].pool: Required value',
        'status.allocation.devices.config[0].source: Required value',
        'status.allocation.devices.config[0].opaque: Required value',
        'status.allocation: Invalid value: {"devices":{"results":[{"request":"x","driver":"gpu.example.com","pool":"","device":"gpu-0"}],"config":[{"source":""}]}}: field is immutable',
      ],
    ],
    [
      'released while it is reserved',
      { allocation: ALLOCATION, deallocationRequested: true, reservedFor: [CONSUMER] },
      { allocation: ALLOCATION },
      [
        'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
        'status.deallocationRequested: Forbidden: deallocation cannot be requested while `reservedFor` is set',
      ],
    ],
    [
      'released without an allocation',
      { deallocationRequested: true },
      {},
      ['status: Forbidden: `allocation` must be set when `deallocationRequested` is set'],
    ],
    [
      'no longer released',
      { allocation: ALLOCATION },
      { allocation: ALLOCATION, deallocationRequested: true },
      ['status.deallocationRequested: Forbidden: may not be cleared when `allocation` is set'],
    ],
  ])('that is %s is checked', (_, status, before, expected) =>
    expect(statusProblems(status, before)).toEqual(expected),
  );

  test('shows its state in tables', () => {
    const empty = create(ResourceClaim, claim({ requests: [REQUEST] }));
    const state = (changes: JsonObject) =>
      cells(ResourceClaim, freeze(changed(empty, changes)) as typeof empty)['State'];
    expect(state({})).toBe('pending');
    expect(state({ 'metadata.deletionTimestamp': '2024-05-01T12:00:00Z' })).toBe('deleted');
    expect(state({ status: { allocation: ALLOCATION } })).toBe('allocated');
    expect(
      state({
        'metadata.deletionTimestamp': '2024-05-01T12:00:00Z',
        status: { allocation: ALLOCATION, reservedFor: [CONSUMER] },
      }),
    ).toBe('deleted,allocated,reserved');
  });
});

describe('a template', () => {
  const template = (metadata: JsonObject): JsonObject => ({
    metadata: { name: 'a' },
    spec: { metadata, spec: { devices: { requests: [REQUEST] } } },
  });

  test('sets labels and annotations of its claims only', () => {
    expect(create(ResourceClaimTemplate, template({}))).toMatchObject({
      spec: { spec: { devices: { requests: [{ count: 1 }] } } },
    });
    expect(problems(ResourceClaimTemplate, template({ labels: { a: 'b' }, annotations: { c: 'd' } }))).toEqual([]);
    expect(
      problems(ResourceClaimTemplate, template({ name: 'x', finalizers: ['a/b'], labels: { a: '-' } })).map((text) =>
        text.slice(0, 48),
      ),
    ).toEqual([
      'spec.metadata.labels: Invalid value: "-": a vali',
      'spec.metadata.Name: Forbidden: cannot be set',
      'spec.metadata.Finalizers: Forbidden: cannot be s',
    ]);
  });
});

describe('a class', () => {
  test('selects devices, and nodes only for drivers with a controller', () => {
    const spec = {
      selectors: [cel('1')],
      config: [{}],
      suitableNodes: { nodeSelectorTerms: [] },
    };
    expect(problems(DeviceClass, { metadata: { name: 'a' }, spec })).toEqual([
      'spec.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int',
      'spec.config[0].opaque: Required value',
    ]);
  });
});

describe('a slice', () => {
  const slice = (change: JsonObject): JsonObject => ({
    metadata: { name: 'a' },
    spec: {
      driver: 'gpu.example.com',
      nodeName: 'node-1',
      pool: { name: 'node-1', generation: 1, resourceSliceCount: 1 },
      ...change,
    },
  });
  const of = (change: JsonObject): string[] => problems(ResourceSlice, slice(change));
  const device = (basic: JsonObject) => ({ devices: [{ name: 'gpu-0', basic }] });

  test.each<[string, JsonObject, string[]]>([
    [
      'that is complete',
      device({ attributes: { model: { string: 'x' }, 'a.example.com/b': { version: '1.0.0' } } }),
      [],
    ],
    [
      'without a pool',
      { pool: { generation: -1 } },
      [
        'spec.pool.name: Required value',
        'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
        'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
      ],
    ],
    [
      'of no node',
      { nodeName: '' },
      ['spec: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required'],
    ],
    [
      'with invalid attributes',
      device({
        attributes: {
          '1st': {},
          '/x': { bool: true },
          model: { string: 'x'.repeat(65) },
          version: { version: '1.0' },
        },
        capacity: { 'a.example.com/': '1' },
      }),
      [
        `spec.devices[0].basic.attributes: Invalid value: "1st": ${IDENTIFIER}`,
        'spec.devices[0].basic.attributes[1st]: Required value: exactly one value must be specified',
        'spec.devices[0].basic.attributes: Required value: the prefix must not be empty',
        `spec.devices[0].basic.attributes[model].string: Too long: may not be longer than 64`,
        'spec.devices[0].basic.attributes[version].version: Invalid value: "1.0": must be a string compatible with semver.org spec 2.0.0',
        'spec.devices[0].basic.capacity: Required value: the name must not be empty',
      ].toSorted((one, other) => Number(other.includes('1st')) - Number(one.includes('1st'))),
    ],
    ['with a device of an unknown form', { devices: [{ name: 'a' }] }, ['spec.devices[0].basic: Required value']],
    [
      'with too many attributes',
      device({
        attributes: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`a${index}`, { int: index }])),
      }),
      ['spec.devices[0].basic: Invalid value: 33: the total number of attributes and capacities must not exceed 32'],
    ],
  ])('%s is checked', (_, change, expected) => expect(of(change)).toEqual(expected));

  test('that belongs to several nodes is refused', () => {
    expect(of({ allNodes: true }).join()).toMatch(
      /^spec: Invalid value: .*: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required$/,
    );
  });

  test('keeps its pool, driver and node', () => {
    const old = create(ResourceSlice, slice({}));
    const object = freeze(
      changed(old, { 'spec.driver': 'b.example.com', 'spec.nodeName': 'node-2', 'spec.pool.name': 'p' }),
    ) as typeof old;
    const { strategy }: ResourceDefinition = ResourceSlice;
    expect(texts(strategy?.validate?.(object, context, old))).toEqual([
      'spec.pool.name: Invalid value: "p": field is immutable',
      'spec.driver: Invalid value: "b.example.com": field is immutable',
      'spec.nodeName: Invalid value: "node-2": field is immutable',
    ]);
  });

  test('is shown in tables', () => {
    expect(cells(ResourceSlice, create(ResourceSlice, slice({})))).toMatchObject({
      Node: 'node-1',
      Driver: 'gpu.example.com',
      Pool: 'node-1',
    });
  });
});

describe('a scheduling context', () => {
  const manifest = { metadata: { name: 'a' }, spec: { selectedNode: 'n', potentialNodes: ['n', 'n', 'A'] } };

  test('names nodes', () => {
    expect(problems(PodSchedulingContext, manifest)).toEqual([
      `spec.potentialNodes[2]: Invalid value: "A": ${SUBDOMAIN}`,
      'spec.potentialNodes[1]: Duplicate value: "n"',
    ]);
    const old = create(PodSchedulingContext, manifest);
    const status = { resourceClaims: [{ name: 'c', unsuitableNodes: ['n', 'n'] }, { name: 'c' }] };
    const object = freeze(changed(old, { status })) as typeof old;
    expect(texts(subresourceStrategy(PodSchedulingContext, 'status').validateUpdate?.(object, old, context))).toEqual([
      'status.claims[0].unsuitableNodes[1]: Duplicate value: "n"',
      'status.claims[1]: Duplicate value: "c"',
    ]);
    expect(cells(PodSchedulingContext, old)).toMatchObject({ SelectedNode: 'n' });
  });
});

test('the kinds are served behind their gates', async () => {
  const token = 'owner-of-the-dynamic-resources-test';
  await using running = await startTestServer({
    dialect: 'kubernetes',
    authentication: { ownerToken: token },
    featureGates: { DynamicResourceAllocation: true, DRAControlPlaneController: true },
    runtimeConfig: 'resource.k8s.io/v1alpha3=true',
  });
  const request = async (method: string, path: string, body: object) =>
    jsonOf(
      await ask(running.server, method, `/apis/resource.k8s.io/v1alpha3/${path}`, {
        token,
        body: JSON.stringify(body),
      }),
    ) as { message?: string; spec: object; metadata: { generation?: number } };
  const path = 'namespaces/default/resourceclaims';
  const spec = { controller: 'c.example.com', devices: { requests: [{ ...REQUEST, selectors: [cel('true')] }] } };
  const created = await request('POST', path, { metadata: { name: 'a' }, spec });
  expect(created.spec).toMatchObject({ controller: 'c.example.com' });
  expect(created.metadata.generation).toBeUndefined();
  const changedClaim = await request('PUT', `${path}/a`, { ...created, spec: { devices: {} } });
  expect(changedClaim.message).toMatch(/spec: Invalid value: .*: field is immutable$/);
  const deviceClass = await request('POST', 'deviceclasses', { metadata: { name: 'a' }, spec: {} });
  expect(deviceClass.metadata.generation).toBe(1);
});
