/** Field ownership that a client sends itself, and selectors, names and paths that bodies have. */
import type { Request } from '../client.js';
import { configMap, fill, MAPS } from '../kinds.js';
import type { Row } from '../row.js';
import { filled, nested, once, repeated } from '../texts.js';
import type { World } from '../world.js';

const entry = (manager: string, fields: string, operation = 'Update'): string =>
  `{"manager":"${manager}","operation":"${operation}","apiVersion":"v1","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":${fields}}`;

/** Texts of `managedFields`. */
const OWNERSHIPS: Readonly<Record<string, () => string>> = {
  '20,000 managers': () => filled((i) => entry(`m${i}`, '{"f:data":{"f:a":{}}}'), ',', 2_600_000),
  'equal managers': () => filled(() => entry('m', '{"f:data":{"f:a":{}}}'), ',', 2_600_000),
  'managers of an apply': () => filled((i) => entry(`m${i}`, '{"f:data":{"f:a":{}}}', 'Apply'), ',', 2_600_000),
  '150,000 fields': () => entry('m', `{"f:data":{${filled((i) => `"f:k${i}":{}`, ',', 2_600_000)}}}`),
  'fields within each other': () => entry('m', nested('{"f:a":', '{}', '}', 120)),
  'fields nested 300,000 deep': () => entry('m', nested('{"f:a":', '{}', '}', 300_000)),
  'keys of items': () => entry('m', `{"f:data":{${filled((i) => `"k:{\\"a\\":\\"${i}\\"}":{}`, ',', 2_600_000)}}}`),
  'values of a set': () => entry('m', `{"f:data":{${filled((i) => `"v:\\"a${i}\\"":{}`, ',', 2_600_000)}}}`),
  indices: () => entry('m', `{"f:data":{${filled((i) => `"i:${i}":{}`, ',', 2_600_000)}}}`),
  'a key of 2 MB': () => entry('m', `{"f:data":{"k:{\\"a\\":\\"${'a'.repeat(2_000_000)}\\"}":{}}}`),
  'a key of many fields': () => entry('m', `{"f:data":{"k:{${filled((i) => `\\"a${i}\\":1`, ',', 2_600_000)}}":{}}}`),
  'a manager of 2 MB': () => entry('m'.repeat(2_000_000), '{"f:data":{}}'),
  'wrong elements': () => entry('m', `{${filled((i) => `"x:${i}":{}`, ',', 2_600_000)}}`),
};

const owned = (text: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"owned","managedFields":[${text}]},"data":{"a":"b"}}`;

const ownerships = Object.entries(OWNERSHIPS).flatMap(([name, text]): Row[] => {
  const body = once(() => owned(text()));
  return [1, 4].map((count): Row => ({
    name: `ownership of ${name}, put ${count === 1 ? 'once' : `${count} times`} and applied`,
    rights: 'edit',
    prepare: ({ owner }) => owner.must({ method: 'POST', path: MAPS, body: configMap('owned', { a: 'b' }) }),
    sends: [
      { request: { method: 'PUT', path: `${MAPS}/owned`, body }, times: count },
      {
        request: (index): Request => ({
          ...{ method: 'PATCH', path: `${MAPS}/owned?fieldManager=attacker-${index}&force=true` },
          ...{ type: 'application/apply-patch+yaml', body: configMap('owned', { a: `${index}` }) },
        }),
        times: count,
      },
    ],
    statuses: [200, 400, 409, 413, 422, 500],
    keepsMb: 32,
  }));
});

/** A label selector of a body. */
const SELECTORS: Readonly<Record<string, () => string>> = {
  'of 1 MB of labels': () => `{"matchLabels":{${filled((i) => `"k${i}":"v"`, ',', 1_000_000)}}}`,
  'of 1 MB of values': () =>
    `{"matchExpressions":[{"key":"a","operator":"In","values":[${filled((i) => `"v${i}"`, ',', 1_000_000)}]}]}`,
  'of 1 MB of expressions': () =>
    `{"matchExpressions":[${filled((i) => `{"key":"k${i}","operator":"DoesNotExist"}`, ',', 1_000_000)}]}`,
};

const deployment = (name: string, selector: string): string =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${name}"},"spec":{"replicas":0,"selector":${selector},"template":{"metadata":{"labels":{"a":"v1"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`;
const budget = (name: string, selector: string): string =>
  `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"${name}"},"spec":{"minAvailable":1,"selector":${selector}}}`;

const fewPods = (world: World): Promise<void> =>
  fill(world, '/api/v1/namespaces/attack/pods', 300, (i) =>
    JSON.stringify({
      metadata: { name: `p${i}`, labels: { a: `v${i}` } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    }),
  );

const selectors = Object.entries(SELECTORS).flatMap(([name, selector]): Row[] => [
  {
    name: `a deployment with a selector ${name}, six times`,
    rights: 'edit',
    sends: [
      {
        request: (index) => ({
          ...{ method: 'POST', path: '/apis/apps/v1/namespaces/attack/deployments' },
          body: deployment(`d${index}`, selector()),
        }),
        times: 6,
      },
    ],
    statuses: [201, 400, 413, 422],
    keepsMb: 64,
  },
  {
    name: `six budgets with a selector ${name}, and 300 pods`,
    rights: 'edit',
    prepare: fewPods,
    sends: [
      {
        request: (index) => ({
          ...{ method: 'POST', path: '/apis/policy/v1/namespaces/attack/poddisruptionbudgets' },
          body: budget(`b${index}`, selector()),
        }),
        times: 6,
      },
    ],
    statuses: [201, 400, 413, 422],
    keepsMb: 64,
  },
]);

/** Texts in the address of a write. */
const WRITES: Readonly<Record<string, string>> = {
  'a field manager of 30,000 characters': `?fieldManager=${'m'.repeat(30_000)}`,
  'a field manager of 10,000 escapes': `?fieldManager=${'%01'.repeat(10_000)}`,
  '30,000 parameters': `?${repeated('a&', 30_000)}fieldManager=m`,
  'the field manager 2,000 times': `?${repeated('fieldManager=m&', 30_000)}`,
  'a dry run 3,000 times': `?${repeated('dryRun=All&', 33_000)}`,
  'a validation of 30,000 characters': `?fieldValidation=${'S'.repeat(30_000)}`,
};

const writes = Object.entries(WRITES).map(([name, query]): Row => ({
  name: `${name}, 300 writes`,
  rights: 'edit',
  sends: [
    {
      request: (index) => ({ method: 'POST', path: `${MAPS}${query}`, body: configMap(`m${index}`, { a: 'b' }) }),
      ...{ times: 300, atOnce: 50 },
    },
  ],
  statuses: [201, 400, 414, 422],
}));

/** Options of a deletion. */
const DELETIONS: Readonly<Record<string, () => string>> = {
  '200,000 unknown options': () => `{${filled((i) => `"u${i}":1`, ',', 2_600_000)}}`,
  'a dry run of 200,000 values': () => `{"dryRun":[${filled(() => '"All"', ',', 2_600_000)}]}`,
  '200,000 unknown preconditions': () => `{"preconditions":{${filled((i) => `"u${i}":1`, ',', 2_600_000)}}}`,
  'preconditions of 2 MB': () => `{"preconditions":{"uid":"${'u'.repeat(2_000_000)}"}}`,
};

const deletions = Object.entries(DELETIONS).map(([name, body]): Row => ({
  name: `a deletion with ${name}, 12 times`,
  rights: 'edit',
  prepare: ({ owner }) => owner.must({ method: 'POST', path: MAPS, body: configMap('deleted', { a: 'b' }) }),
  sends: [{ request: { method: 'DELETE', path: `${MAPS}/deleted`, body: once(body) }, times: 12 }],
  statuses: [200, 400, 404, 409, 413, 422],
}));

/** The rows. */
export const ownership: readonly Row[] = [...ownerships, ...selectors, ...writes, ...deletions];
