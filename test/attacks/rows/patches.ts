/** Patches and applies. */
import type { Request } from '../client.js';
import { ANYTHING, configMap, define, definition, MAPS, pathOf, thing } from '../kinds.js';
import type { Row } from '../row.js';
import { filled, once, repeated } from '../texts.js';
import type { World } from '../world.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** An object of a kind that keeps every field. */
const object = (spec: string) => async (world: World) => {
  await define(world, definition(ANYTHING));
  await world.owner.must({ method: 'POST', path: pathOf(), body: thing('patched', spec) });
};
const patch = (type: string, body: () => string, path = `${pathOf()}/patched`): Request => ({
  method: 'PATCH',
  path,
  type,
  body,
});

/** Operations of a JSON Patch on `{"x":[],"y":{}}`. */
const OPERATIONS: Readonly<Record<string, () => readonly object[]>> = {
  '10,000 insertions at the front': () => times(10_000, () => ({ op: 'add', path: '/spec/x/0', value: 1 })),
  '10,000 insertions of 250 bytes': () =>
    times(10_000, () => ({ op: 'add', path: '/spec/x/0', value: 'v'.repeat(250) })),
  '10,000 members': () => times(10_000, (i) => ({ op: 'add', path: `/spec/y/k${i}`, value: { a: 1 } })),
  '10,000 copies that double': () => times(10_000, (i) => ({ op: 'copy', from: '/spec/x', path: `/spec/x/${i}` })),
  '5,000 copies of a large list': () => [
    { op: 'add', path: '/spec/x', value: times(200_000, () => 1) },
    ...times(5_000, (i) => ({ op: 'copy', from: '/spec/x', path: `/spec/y/k${i}` })),
  ],
  '5,000 tests of a large list': () => [
    { op: 'add', path: '/spec/x', value: times(200_000, () => 1) },
    ...times(5_000, () => ({ op: 'test', path: '/spec/x', value: times(20, () => 1) })),
  ],
  '10,000 moves within a list': () => [
    { op: 'add', path: '/spec/x', value: times(100_000, () => 1) },
    ...times(9_999, () => ({ op: 'move', from: '/spec/x/0', path: '/spec/x/99999' })),
  ],
  'a path of 1 MB': () => [{ op: 'add', path: '/spec' + '/a'.repeat(500_000), value: 1 }],
  '100,000 operations': () => times(60_000, () => ({ op: 'test', path: '/a', value: 1 })),
};

const jsonPatches = Object.entries(OPERATIONS).flatMap(([name, operations]): Row[] => {
  const body = once(() => JSON.stringify(operations()));
  return [1, 6].map((count): Row => ({
    name: `JSON Patch with ${name}, ${count}`,
    rights: 'edit',
    prepare: object('{"x":[],"y":{}}'),
    sends: [{ request: patch(JSON_PATCH, body), times: count }],
    statuses: [200, 400, 409, 413, 422, 500],
    says: /"status":"Failure"|"kind":"Thing"/,
    keepsMb: 32,
  }));
});

const POD = '/api/v1/namespaces/attack/pods/patched';
const containers = (count: number): object[] => times(count, (i) => ({ name: `c${i}`, image: 'i' }));
const pod = (count: number) => (world: World) =>
  world.owner.must({
    ...{ method: 'POST', path: '/api/v1/namespaces/attack/pods' },
    body: JSON.stringify({ metadata: { name: 'patched' }, spec: { containers: containers(count) } }),
  });

/** Strategic merge patches of a pod of 2,000 containers. */
const STRATEGIES: Readonly<Record<string, () => object>> = {
  'of all containers': () => ({ spec: { containers: times(2_000, (i) => ({ name: `c${i}`, image: 'j' })) } }),
  'that deletes containers': () => ({
    spec: { containers: times(30_000, (i) => ({ name: `c${i}`, $patch: 'delete' })) },
  }),
  'with an order': () => ({
    spec: {
      '$setElementOrder/containers': times(2_000, (i) => ({ name: `c${1_999 - i}` })),
      containers: [{ name: 'c0', image: 'j' }],
    },
  }),
  'with a long order': () => ({
    spec: {
      '$setElementOrder/containers': times(60_000, (i) => ({ name: `d${i}` })),
      containers: [{ name: 'c0', image: 'j' }],
    },
  }),
  'that deletes values of a list': () => ({
    metadata: { '$deleteFromPrimitiveList/finalizers': times(100_000, (i) => `a/b${i}`) },
  }),
  'that keeps keys': () => ({ metadata: { labels: { $retainKeys: times(100_000, (i) => `k${i}`) } } }),
};

const strategies = Object.entries(STRATEGIES).flatMap(([name, make]): Row[] => {
  const body = once(() => JSON.stringify(make()));
  return [1, 6].map((count): Row => ({
    name: `strategic merge ${name}, ${count}`,
    rights: 'edit',
    prepare: pod(2_000),
    sends: [{ request: patch(STRATEGIC, body, POD), times: count }],
    statuses: [200, 400, 409, 413, 422, 500],
  }));
});

const keys = (count: number): string => Array.from({ length: count }, (_, i) => `  k${i}: v\n`).join('');
const applied = (lines: string, path: string, type = APPLY): Request =>
  patch(type, () => lines, `${path}?fieldManager=attacker&force=true`);

/** The record of a manager of 20,000 keys. */
const recordOf = (index: number): object => ({
  ...{ manager: `m${index}`, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' },
  fieldsV1: { 'f:data': Object.fromEntries(times(20_000, (i) => [`f:k${i}`, {}])) },
});
/** A configuration map of 40,000 keys that some managers own together. */
const ownedMap = (managers: number, value = 'v', count = 40_000): string =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: {
      name: 'applied',
      // An empty list would clear the records.
      ...(managers > 0 && { managedFields: times(managers, recordOf) }),
    },
    data: Object.fromEntries(times(count, (i) => [`k${i}`, value])),
  });
const createOwned = (managers: number) => (world: World) =>
  world.owner.must({ method: 'POST', path: MAPS, body: ownedMap(managers) });

/** Writes to an object whose fields some managers own together. */
const ownedWrites: Readonly<Record<string, () => Request>> = {
  'a PUT that changes all keys of 4 managers': () => ({
    ...{ method: 'PUT', path: `${MAPS}/applied` },
    body: ownedMap(0, 'w'),
  }),
  'a PUT that removes all keys of 4 managers': () => ({
    ...{ method: 'PUT', path: `${MAPS}/applied` },
    body: ownedMap(0, 'w', 0),
  }),
  'a PUT that removes one of 4 managers': () => ({
    ...{ method: 'PUT', path: `${MAPS}/applied` },
    body: ownedMap(3),
  }),
  'a merge patch of one of 40,000 keys of 4 managers': () =>
    patch(MERGE, () => '{"data":{"k5":"w"}}', `${MAPS}/applied`),
  'an apply that gives up 20,000 keys of 4 managers': () =>
    patch(
      APPLY,
      () => '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":{"new":"v"}}',
      `${MAPS}/applied?fieldManager=m1&force=true`,
    ),
  'an apply in conflict with 4 managers in 20,000 keys': () =>
    patch(APPLY, () => ownedMap(0, 'w'), `${MAPS}/applied?fieldManager=other`),
  'a dry run of a merge patch of one of 40,000 keys': () =>
    patch(MERGE, () => '{"data":{"k5":"w"}}', `${MAPS}/applied?dryRun=All`),
};

const owned = Object.entries(ownedWrites).flatMap(([name, make]): Row[] => {
  const request = once(make);
  return [1, 6].map((count): Row => ({
    name: `${name}, ${count}`,
    rights: 'edit',
    prepare: createOwned(4),
    sends: [{ request: () => request(), times: count }],
    statuses: [200, 409, 413, 422],
    keepsMb: 48,
  }));
});

/** The rows. */
export const patches: readonly Row[] = [
  ...jsonPatches,
  ...strategies,
  ...owned,
  ...[1, 10].flatMap((count): Row[] => [
    {
      name: `an apply of 40,000 keys in YAML, ${count}`,
      rights: 'edit',
      sends: [
        {
          request: applied(
            `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata:\n${keys(40_000)}`,
            `${MAPS}/applied`,
          ),
          times: count,
        },
      ],
      statuses: [200, 201, 409, 413, 422],
      keepsMb: 32,
    },
    {
      name: `an apply of 40,000 keys in JSON by ${count} managers`,
      rights: 'edit',
      sends: [
        {
          request: (index) =>
            patch(
              APPLY,
              () =>
                JSON.stringify({
                  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
                  metadata: { name: 'applied' },
                  data: Object.fromEntries(times(40_000, (i) => [`k${i}`, 'v'])),
                }),
              `${MAPS}/applied?fieldManager=m${index}&force=true`,
            ),
          times: count,
        },
      ],
      statuses: [200, 201, 409, 413, 422],
      keepsMb: 48,
    },
    {
      name: `an apply with a conflict in 40,000 keys, ${count}`,
      rights: 'edit',
      prepare: (world) =>
        world.owner.must({
          ...{ method: 'PATCH', path: `${MAPS}/applied?fieldManager=owner`, type: APPLY },
          body: JSON.stringify({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'applied' },
            data: Object.fromEntries(times(40_000, (i) => [`k${i}`, 'v'])),
          }),
        }),
      sends: [
        {
          request: patch(
            APPLY,
            once(() =>
              JSON.stringify({
                apiVersion: 'v1',
                kind: 'ConfigMap',
                metadata: { name: 'applied' },
                data: Object.fromEntries(times(40_000, (i) => [`k${i}`, 'w'])),
              }),
            ),
            `${MAPS}/applied?fieldManager=other`,
          ),
          times: count,
        },
      ],
      statuses: [409, 413],
    },
    {
      name: `an apply of a pod of 5,000 containers, ${count}`,
      rights: 'edit',
      sends: [
        {
          request: patch(
            APPLY,
            once(() =>
              JSON.stringify({
                apiVersion: 'v1',
                kind: 'Pod',
                metadata: { name: 'patched' },
                spec: { containers: containers(5_000) },
              }),
            ),
            `${POD}?fieldManager=attacker&force=true`,
          ),
          times: count,
        },
      ],
      statuses: [200, 201, 409, 413, 422],
      keepsMb: 48,
    },
    {
      name: `a pod of 5,000 containers, ${count} created`,
      rights: 'edit',
      sends: [
        {
          request: {
            method: 'POST',
            path: '/api/v1/namespaces/attack/pods',
            body: once(() =>
              JSON.stringify({ metadata: { generateName: 'many-' }, spec: { containers: containers(5_000) } }),
            ),
          },
          times: count,
        },
      ],
      statuses: [201, 403, 413, 422],
      keepsMb: 64,
    },
    {
      name: `a merge patch of 100,000 keys, ${count}`,
      rights: 'edit',
      prepare: object('{"x":[],"y":{}}'),
      sends: [
        {
          request: patch(
            MERGE,
            once(() => `{"spec":{${filled((i) => `"k${i}":1`, ',', 1_400_000)}}}`),
          ),
          times: count,
        },
      ],
      statuses: [200, 409, 413, 422],
      keepsMb: 64,
    },
    {
      name: `a merge patch that removes what is not there, ${count}`,
      rights: 'edit',
      prepare: object('{"x":[],"y":{}}'),
      sends: [
        {
          request: patch(
            MERGE,
            once(() => `{"spec":{${filled((i) => `"k${i}":null`)}}}`),
          ),
          times: count,
        },
      ],
      statuses: [200, 409, 413, 422],
    },
    {
      name: `owned fields that are sent, ${count}`,
      rights: 'edit',
      sends: [
        {
          request: {
            ...{ method: 'POST', path: MAPS },
            body: once(
              () =>
                `{"metadata":{"generateName":"owned-","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{${filled((i) => `"f:k${i}":{}`, ',', 2_000_000)}}}}]}}`,
            ),
          },
          times: count,
        },
      ],
      statuses: [201, 400, 413, 422],
      keepsMb: 64,
    },
  ]),
  {
    name: 'patches of one object by 200 clients',
    rights: 'edit',
    prepare: (world) =>
      world.owner.must({ method: 'POST', path: MAPS, body: configMap('hot', { a: 'x'.repeat(100_000) }) }),
    sends: [
      {
        request: (index) => patch(MERGE, () => `{"data":{"k${index}":"${repeated('v', 1_000)}"}}`, `${MAPS}/hot`),
        ...{ times: 1_000, atOnce: 200 },
      },
    ],
    statuses: [200, 409, 422],
    keepsMb: 96,
  },
];
