import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineResource, Lease } from '../../src/entries/index.js';
import { Node } from '../../src/entries/kinds.js';
import { kubernetes } from '../../src/foundation/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf, textOf } from './ask.js';

const Gauge = defineResource({
  group: 'meters.example',
  version: 'v1',
  kind: 'Gauge',
  plural: 'gauges',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z
        .object({ count: z.number().int().optional(), ratio: z.number().optional(), free: z.unknown() })
        .optional(),
    }),
});

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const GAUGES = '/apis/meters.example/v1/namespaces/default/gauges';
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const YAML = 'application/yaml';
const HANDLED = 'Lease in version "v1" cannot be handled as a Lease: ';
const FIELD = 'into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32';

let running: TestServer;
const send = async (method: string, path: string, body: string, type = 'application/json') => {
  const answer = await ask(running.server, method, path, { body, headers: { 'content-type': type } });
  return {
    status: answer.status,
    body: jsonOf(answer) as {
      message?: string;
      spec?: Record<string, unknown>;
      details?: { causes?: { field: string; message: string }[] };
    },
  };
};

beforeEach(async () => {
  running = await startTestServer({
    dialect: kubernetes,
    resources: [Gauge],
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await running.client
    .resource(Lease)
    .namespace('default')
    .create({ metadata: { name: 'old', annotations: { b: '2', a: '<1>' } }, spec: { leaseDurationSeconds: 5 } });
  await running.client
    .resource(Gauge)
    .namespace('default')
    .create({ metadata: { name: 'old' }, spec: { count: 1, free: {} } });
});
afterEach(() => running.close());

/** Numbers that Go does not read as a 32-bit integer. */
const NOT_INT32 = [
  '4.0',
  '1e1',
  '1E+2',
  '4.50',
  '-0.0',
  '2147483648',
  '-2147483649',
  '3000000000',
  '9223372036854775808',
  '123456789012345678901234567890',
];

describe.each(NOT_INT32)('%s is not an int32', (number) => {
  test.each([
    ['POST', LEASES, 'new'],
    ['PUT', `${LEASES}/old`, 'old'],
  ])('%s', async (method, path, name) => {
    const { status, body } = await send(
      method,
      path,
      `{"metadata":{"name":"${name}"},"spec":{"leaseDurationSeconds":${number}}}`,
    );
    expect([status, body.message]).toEqual([400, `${HANDLED}json: cannot unmarshal number ${number} ${FIELD}`]);
  });

  test.each([
    ['merge patch', MERGE, `{"spec":{"leaseDurationSeconds":${number}}}`],
    [
      'JSON Patch, of the field',
      JSON_PATCH,
      `[{"op":"replace","path":"/spec/leaseDurationSeconds","value":${number}}]`,
    ],
    [
      'JSON Patch, of the parent, through another place',
      JSON_PATCH,
      `[{"op":"add","path":"/x","value":{"leaseDurationSeconds":${number}}},{"op":"move","from":"/x","path":"/spec"}]`,
    ],
  ])('%s', async (_, type, patch) => {
    const { status, body } = await send('PATCH', `${LEASES}/old`, patch, type);
    expect(status).toBe(422);
    expect(body.details?.causes?.map(({ field }) => field)).toEqual(['patch']);
    expect(body.message).toMatch(/^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":/);
    expect(body.message?.endsWith(`: json: cannot unmarshal number ${number} ${FIELD}`)).toBe(true);
  });
});

test('a patched object is re-encoded with sorted keys only where the patch applied', async () => {
  const { body } = await send(
    'PATCH',
    `${LEASES}/old`,
    '{"spec":{"preferredHolder":"b","leaseDurationSeconds":4.0}}',
    MERGE,
  );
  expect(body.message).toContain(
    '\\"kind\\":\\"Lease\\",\\"metadata\\":{\\"name\\":\\"old\\",\\"namespace\\":\\"default\\",\\"uid\\":',
  );
  expect(body.message).toContain('\\"annotations\\":{\\"b\\":\\"2\\",\\"a\\":\\"\\\\u003c1\\\\u003e\\"}');
  expect(body.message).toContain('\\"spec\\":{\\"leaseDurationSeconds\\":4.0,\\"preferredHolder\\":\\"b\\"}}"');
});

test.each([
  ['6.0', 6],
  ['2e1', 20],
  ['4294967303', 7],
  ['2147483655.0', -2147483641],
])('a strategic merge patch converts %s by its value', async (number, expected) => {
  const { status, body } = await send(
    'PATCH',
    `${LEASES}/old`,
    `{"spec":{"leaseDurationSeconds":${number}}}`,
    STRATEGIC,
  );
  // Values that wrap around below zero are rejected by the rules of the kind.
  if (expected < 0)
    expect([status, body.details?.causes?.[0]?.message]).toEqual([
      422,
      `Invalid value: ${expected}: must be greater than 0`,
    ]);
  else expect([status, body.spec?.['leaseDurationSeconds']]).toEqual([200, expected]);
});

test.each([
  [
    '{"spec":{"leaseDurationSeconds":6.5}}',
    'map[spec:map[leaseDurationSeconds:6.5]]',
    'cannot convert float64 to int32',
  ],
  ['{"spec":{"leaseDurationSeconds":"6"}}', 'map[spec:map[leaseDurationSeconds:6]]', 'unrecognized type: int32'],
  ['{"spec":{"holderIdentity":6}}', 'map[spec:map[holderIdentity:6]]', 'cannot convert int64 to string'],
  ['{"spec":{"holderIdentity":true}}', 'map[spec:map[holderIdentity:true]]', 'unrecognized type: string'],
  [
    '{"spec":{"acquireTime":0}}',
    'map[spec:map[acquireTime:0]]',
    'json: cannot unmarshal number into Go value of type string',
  ],
  ['{"spec":[]}', 'map[spec:[]]', 'cannot restore struct from: slice'],
  ['{"metadata":{"labels":"x"}}', 'map[metadata:map[labels:x]]', 'cannot restore map from string'],
  ['{"metadata":{"managedFields":7}}', 'map[metadata:map[managedFields:7]]', 'cannot restore slice from int64'],
])('a strategic merge patch does not convert %s', async (patch, shown, why) => {
  const { status, body } = await send('PATCH', `${LEASES}/old`, patch, STRATEGIC);
  expect([status, body.message]).toEqual([422, ` "" is invalid: patch: Invalid value: "${shown}": ${why}`]);
});

test.each([
  ['4.0', 4],
  ['1e1', 10],
  ['0x10', 16],
])('YAML converts %s by its value, in a body and in an apply', async (number, expected) => {
  const text = (name: string): string =>
    `apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata:\n  name: ${name}\nspec:\n  leaseDurationSeconds: ${number}\n`;
  expect((await send('POST', LEASES, text('yaml'), YAML)).body.spec).toEqual({ leaseDurationSeconds: expected });
  expect((await send('PATCH', `${LEASES}/old?fieldManager=a&force=true`, text('old'), APPLY)).body.spec).toEqual({
    leaseDurationSeconds: expected,
  });
  const json = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"json"},"spec":{"leaseDurationSeconds":4.0}}`;
  expect((await send('POST', LEASES, json, YAML)).body.spec).toEqual({ leaseDurationSeconds: 4 });
});

test('minus zero is the integer zero', async () => {
  const { status, body } = await send('POST', LEASES, '{"metadata":{"name":"new"},"spec":{"leaseTransitions":-0}}');
  expect([status, body.spec]).toEqual([201, { leaseTransitions: 0 }]);
});

test.each(['2.0', '2e3', '-0', '1E0'])('a custom kind accepts %s as an integer', async (number) => {
  for (const [method, path, type, body] of [
    ['POST', GAUGES, 'application/json', `{"metadata":{"name":"new"},"spec":{"count":${number}}}`],
    ['PUT', `${GAUGES}/old`, 'application/json', `{"metadata":{"name":"old"},"spec":{"count":${number}}}`],
    ['PATCH', `${GAUGES}/old`, MERGE, `{"spec":{"count":${number}}}`],
    ['PATCH', `${GAUGES}/old`, JSON_PATCH, `[{"op":"add","path":"/spec/count","value":${number}}]`],
  ] as const) {
    const answer = await send(method, path, body, type);
    expect([method, answer.body.message, answer.body.spec?.['count']]).toEqual([method, undefined, Number(number) + 0]);
  }
});

test('in a custom kind, an integer beyond 64 bits is a number, and one of 64 bits is exact', async () => {
  const body = (count: string): string => `{"metadata":{"name":"new"},"spec":{"count":${count}}}`;
  expect((await send('POST', GAUGES, body('9223372036854775808'))).body.message).toBe(
    'Gauge.meters.example "new" is invalid: spec.count: Invalid value: "number": spec.count in body must be of type integer: "number"',
  );
  const exact = await ask(running.server, 'POST', GAUGES, { body: body('9007199254740993') });
  expect([exact.status, textOf(exact)]).toEqual([201, expect.stringContaining('"count":9007199254740993')]);
  expect(
    (await send('POST', GAUGES, '{"metadata":{"name":"other"},"spec":{"ratio":9223372036854775808}}')).body.spec,
  ).toEqual({ ratio: 9223372036854776000 });
});

test('a client cannot pass text off as a number', async () => {
  const { status, body } = await send(
    'POST',
    LEASES,
    '{"metadata":{"name":"new"},"spec":{"leaseDurationSeconds":"\\ud8004","leaseTransitions":1,"holderIdentity":"\\ud8004.0","x":4.0}}',
  );
  expect([status, body.message]).toEqual([400, `${HANDLED}json: cannot unmarshal string ${FIELD}`]);
  const taken = await send(
    'POST',
    `${LEASES}?fieldValidation=Ignore`,
    '{"metadata":{"name":"new"},"spec":{"holderIdentity":"\\ud8004.0","x":4.0}}',
  );
  expect([taken.status, taken.body.spec]).toEqual([201, { holderIdentity: '\ufffd4.0' }]);
});

describe('the quantities of a node', () => {
  const node = (cpu: string): string => `{"metadata":{"name":"node"},"status":{"capacity":{"cpu":${cpu}}}}`;
  test.each([
    ['1e3', '1e3'],
    ['1.0', '1'],
    ['1.50', '1500m'],
    ['0.5', '500m'],
    ['-0', '0'],
    ['" 2 "', '2'],
    ['"\u00a01Gi"', '1Gi'],
    ['1000000000000000000000', '1000E'],
  ])('%s', async (given, expected) => {
    const answer = await ask(running.server, 'POST', '/api/v1/nodes', { body: node(given) });
    expect(jsonOf(answer)).toMatchObject({ status: { capacity: { cpu: expected } } });
    expect((await running.client.resource(Node).get('node')).status?.capacity).toEqual({ cpu: expected });
  });
  test.each([['" "'], ['"\\t1"'], ['true'], ['{}'], ['"1 2"']])('%s is rejected', async (given) => {
    const answer = await ask(running.server, 'POST', '/api/v1/nodes', { body: node(given) });
    expect([answer.status, jsonOf(answer)['message']]).toEqual([
      400,
      `Node in version "v1" cannot be handled as a Node: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    ]);
  });
});

test.each([
  ['0.0001', '1m'],
  ['"100u"', '1m'],
  ['"1001u"', '2m'],
  ['"1.000001"', '1001m'],
  ['"0.0005Ki"', '512m'],
  ['"1e-6"', '1e-3'],
  ['"1500u"', '2m'],
  ['"1.500"', '1.500'],
  ['"3E"', '3E'],
])('a list of resources keeps %s as %s', async (given, expected) => {
  const list = `{"cpu":${given}}`;
  await ask(running.server, 'POST', '/api/v1/nodes', {
    body: `{"metadata":{"name":"node"},"status":{"capacity":${list},"allocatable":${list}}}`,
  });
  expect((await running.client.resource(Node).get('node')).status).toMatchObject({
    capacity: { cpu: expected },
    allocatable: { cpu: expected },
  });
  await send('PATCH', '/api/v1/nodes/node/status', `{"status":{"capacity":{"memory":${given}}}}`, MERGE);
  const applied = await send(
    'PATCH',
    '/api/v1/nodes/node/status?fieldManager=a&force=true',
    `apiVersion: v1\nkind: Node\nmetadata:\n  name: node\nstatus:\n  allocatable:\n    memory: ${given}\n`,
    APPLY,
  );
  expect([applied.status, applied.body.message]).toEqual([200, undefined]);
  expect((await running.client.resource(Node).get('node')).status).toMatchObject({
    capacity: { memory: expected },
    allocatable: { memory: expected },
  });
});

test('the resource requests of a pod are rounded up to thousandths, in every place', async () => {
  const resources = { limits: { cpu: '0.00011' } };
  const claim = {
    metadata: {},
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1.0001' } } },
  };
  const body = JSON.stringify({
    metadata: { name: 'p' },
    spec: {
      containers: [{ name: 'c', image: 'i', resources }],
      initContainers: [{ name: 'd', image: 'i', resources }],
      volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: claim } }],
    },
  });
  const answer = jsonOf(await ask(running.server, 'POST', '/api/v1/namespaces/default/pods', { body }));
  const rounded = { limits: { cpu: '1m' }, requests: { cpu: '1m' } };
  expect(answer).toMatchObject({
    spec: {
      containers: [{ resources: rounded }],
      initContainers: [{ resources: rounded }],
      volumes: [{ ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1001m' } } } } } }],
    },
  });
});

test.each([
  ['{"gracePeriodSeconds":1.0}', 'number 1.0 into Go struct field DeleteOptions.gracePeriodSeconds of type int64'],
  ['{"gracePeriodSeconds":"1"}', 'string into Go struct field DeleteOptions.gracePeriodSeconds of type int64'],
  ['{"preconditions":{"uid":5}}', 'number into Go struct field Preconditions.preconditions.uid of type types.UID'],
  ['{"preconditions":[]}', 'array into Go struct field DeleteOptions.preconditions of type v1.Preconditions'],
  [
    '{"propagationPolicy":true}',
    'bool into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation',
  ],
  ['{"dryRun":[1]}', 'number into Go struct field DeleteOptions.dryRun of type string'],
])('the options of a DELETE are decoded like other bodies: %s', async (body, why) => {
  const answer = await send('DELETE', `${LEASES}/old`, body);
  expect([answer.status, answer.body.message]).toEqual([
    400,
    `DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal ${why}`,
  ]);
});

test('an error in a self-decoding type is reported first, with its position', async () => {
  const pod = (spec: string): string => `{"metadata":{"name":"p"},"spec":${spec}}`;
  const text = async (spec: string): Promise<unknown> =>
    jsonOf(await ask(running.server, 'POST', '/api/v1/namespaces/default/pods', { body: pod(spec) }))['message'];
  const container = (port: string): string => `{"name":"c","image":"i","livenessProbe":{"tcpSocket":{"port":${port}}}}`;
  const where = 'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal';
  expect(await text(`{"containers":[${container('1.0')}]}`)).toBe(
    `${where} number 1.0 into Go struct field TCPSocketAction.spec.containers.livenessProbe.tcpSocket.port of type int32`,
  );
  expect(await text(`{"priority":"x","containers":[${container('true')}]}`)).toBe(
    `${where} bool into Go struct field TCPSocketAction.spec.containers.livenessProbe.tcpSocket.port of type int32`,
  );
  expect(await text('{"priority":"x","containers":{}}')).toBe(
    `${where} string into Go struct field PodSpec.spec.priority of type int32`,
  );
  const lease = await send('POST', LEASES, '{"metadata":{"name":"new"},"spec":{"acquireTime":0}}');
  expect(lease.body.message).toBe(
    `${HANDLED}json: cannot unmarshal number into Go struct field LeaseSpec.spec.acquireTime of type string`,
  );
});
