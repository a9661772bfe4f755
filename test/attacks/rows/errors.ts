/** Objects with as many errors as fit into a body. */
import { creating, define, definition, MAPS, type Schema } from '../kinds.js';
import type { Row } from '../row.js';
import { filled, once, repeated } from '../texts.js';

const integers = (members: Schema): Schema => ({ type: 'array', items: { type: 'integer', ...members } });
const strings = (members: Schema): Schema => ({ type: 'array', items: { type: 'string', ...members } });
const spec = (x: Schema, more: Schema = {}): object => definition({ type: 'object', properties: { x }, ...more });
const VALUES = Array.from({ length: 20_000 }, (_, index) => `value-${index}`);

/** Kinds whose objects may be wrong in many places, and the text of such a `spec`. */
const KINDS: Readonly<Record<string, { readonly kind: object; readonly spec: () => string }>> = {
  'items beyond a maximum': { kind: spec(integers({ maximum: 1 })), spec: () => `{"x":[${repeated('2,')}2]}` },
  'items of a wrong type': { kind: spec(integers({})), spec: () => `{"x":[${repeated('"",')}2]}` },
  'values outside an enum of 20,000': {
    kind: spec(strings({ enum: VALUES })),
    spec: () => `{"x":[${repeated('"no",', 100_000)}"no"]}`,
  },
  'values outside a small enum': {
    kind: spec(strings({ enum: ['a', 'b'] })),
    spec: () => `{"x":[${repeated('"c",')}"c"]}`,
  },
  'values that do not match': { kind: spec(strings({ pattern: '^a$' })), spec: () => `{"x":[${repeated('"b",')}"b"]}` },
  'values too long': {
    kind: spec(strings({ maxLength: 1 })),
    spec: () => `{"x":[${filled(() => `"${'b'.repeat(300)}"`)}]}`,
  },
  'long wrong values': {
    kind: spec(strings({ pattern: '^a$' })),
    spec: () => `{"x":[${filled(() => `"${'b'.repeat(10_000)}"`)}]}`,
  },
  'items that appear twice': {
    kind: spec({ ...strings({}), 'x-kubernetes-list-type': 'set' }),
    spec: () => `{"x":[${repeated('"a",')}"a"]}`,
  },
  'keys that appear twice': {
    kind: spec({
      ...{ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    }),
    spec: () => `{"x":[${repeated('{"name":"a"},')}{"name":"a"}]}`,
  },
  'items without required fields': {
    kind: spec({
      type: 'array',
      items: {
        ...{ type: 'object', required: Array.from({ length: 50 }, (_, index) => `f${index}`) },
        properties: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, { type: 'string' }])),
      },
    }),
    spec: () => `{"x":[${repeated('{},', 500_000)}{}]}`,
  },
  nulls: { kind: spec(integers({})), spec: () => `{"x":[${repeated('null,')}null]}` },
  'values that break four conditions': {
    kind: spec(integers({ minimum: 5, multipleOf: 7, not: { maximum: 4 }, anyOf: [{ minimum: 6 }, { minimum: 8 }] })),
    spec: () => `{"x":[${repeated('1,', 1_000_000)}1]}`,
  },
  'wrong formats': { kind: spec(strings({ format: 'date-time' })), spec: () => `{"x":[${repeated('"b",')}"b"]}` },
};

const FLOODS = { one: 1, 'four at once': 4 } as const;

const ofKinds = Object.entries(KINDS).flatMap(([name, { kind, spec: text }]): Row[] => {
  const body = once(text);
  return Object.entries(FLOODS).map(([count, times]): Row => ({
    name: `${name}, ${count}`,
    rights: 'edit',
    prepare: (world) => define(world, kind),
    sends: [{ request: creating('wrong', body), times }],
    statuses: [422, 413, 400],
  }));
});

const metadata = (members: () => string): (() => string) =>
  once(() => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"wrong",${members()}}}`);

/** Wrong metadata of a built-in kind. */
const METADATA: Readonly<Record<string, () => string>> = {
  'wrong labels': () => `"labels":{${filled((index) => `"-k${index}":"!"`)}}`,
  'wrong annotations': () => `"annotations":{${filled((index) => `"-k${index}":""`)}}`,
  'wrong finalizers': () => `"finalizers":[${filled((index) => `"-${index}"`)}]`,
  'empty owners': () => `"ownerReferences":[${repeated('{},')}{}]`,
  'empty managed fields': () => `"managedFields":[${repeated('{},')}{}]`,
};

const ofMetadata = Object.entries(METADATA).flatMap(([name, members]): Row[] => {
  const body = metadata(members);
  return [1, 4].map((times): Row => ({
    name: `${name}, ${times}`,
    rights: 'edit',
    sends: [{ request: { method: 'POST', path: MAPS, body }, times }],
    statuses: [400, 413, 422],
  }));
});

const pod = (members: () => string): (() => string) =>
  once(() => `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"wrong"},"spec":{${members()}}}`);

/** Pods with many wrong parts. */
const PODS: Readonly<Record<string, () => string>> = {
  'empty containers': () => `"containers":[${repeated('{},', 300_000)}{}]`,
  'empty volumes': () => `"containers":[{"name":"c","image":"i"}],"volumes":[${repeated('{},', 600_000)}{}]`,
  'empty tolerations': () => `"containers":[{"name":"c","image":"i"}],"tolerations":[${repeated('{},', 600_000)}{}]`,
  'wrong environments': () =>
    `"containers":[{"name":"c","image":"i","env":[${repeated('{"name":"="},', 1_000_000)}{"name":"="}]}]`,
  'wrong ports': () =>
    `"containers":[{"name":"c","image":"i","ports":[${repeated('{"containerPort":0},', 1_000_000)}{"containerPort":0}]}]`,
};

const ofPods = Object.entries(PODS).flatMap(([name, members]): Row[] => {
  const body = pod(members);
  return [1, 4].map((times): Row => ({
    name: `${name} of a pod, ${times}`,
    rights: 'edit',
    sends: [{ request: { method: 'POST', path: '/api/v1/namespaces/attack/pods', body }, times }],
    statuses: [400, 413, 422],
  }));
});

/** The rows. */
export const errors: readonly Row[] = [...ofKinds, ...ofMetadata, ...ofPods];
