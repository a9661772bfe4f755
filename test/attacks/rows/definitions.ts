/** Definitions whose schemas multiply work: of the check of the definition, and of its objects. */
import type { Request } from '../client.js';
import { creating, define, definition, defining, DEFINITIONS, pathOf, type Schema } from '../kinds.js';
import type { Row } from '../row.js';
import { nested, once, repeated } from '../texts.js';

const text = { type: 'string' } as const;
const object = (properties: Schema): Schema => ({ type: 'object', properties });
const of = (x: Schema): object => definition(object({ x }));

/** Alternatives within each other, each level `width` of them. */
function tree(word: 'anyOf' | 'allOf' | 'oneOf', width: number, depth: number, leaf: Schema): Schema {
  let schema = leaf;
  for (let level = 0; level < depth; level += 1) schema = { [word]: Array.from({ length: width }, () => schema) };
  return schema;
}

const fieldsOf = (count: number, make: (index: number) => Schema): Schema =>
  object(Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, make(index)])));

const VALUES = Array.from({ length: 20_000 }, (_, index) => `value-${index}`);

/** A schema of a field, and the text of a value for it. */
const KINDS: Readonly<Record<string, { readonly schema: Schema; readonly value: () => string }>> = {
  'optional letters': { schema: { ...text, pattern: 'a?'.repeat(1_900) }, value: () => `"${'a'.repeat(30_000)}"` },
  'optional letters × 50,000': {
    schema: { ...text, pattern: 'a?'.repeat(50_000) },
    value: () => `"${'a'.repeat(30_000)}"`,
  },
  'repeated repetitions': {
    schema: { ...text, pattern: '^((a{0,30}){0,30}b?)*$' },
    value: () => `"${'a'.repeat(100_000)}c"`,
  },
  'alternatives of words': {
    schema: { ...text, pattern: `^(${Array.from({ length: 300 }, (_, i) => `a{${i % 9}}b`).join('|')})*$` },
    value: () => `"${'ab'.repeat(200_000)}c"`,
  },
  'classes of all letters': {
    schema: { ...text, pattern: '^(\\pL|\\pN|[^\\pZ]){1,200}$' },
    value: () => `"${'é'.repeat(300_000)}"`,
  },
  'words at the end of a text': {
    schema: { ...text, pattern: '(.*.*.*.*.*)x$' },
    value: () => `"${'a'.repeat(900_000)}"`,
  },
  'a pattern for many texts': {
    schema: { type: 'array', items: { ...text, pattern: '^(([a-z]+)-?)*$' } },
    value: () => `[${repeated('"aaaaaaaaaaaaaaaa-bbbbbbbbbb",', 1_400_000)}"a"]`,
  },
  'anyOf 6⁴ with a pattern': {
    schema: { ...text, ...tree('anyOf', 6, 4, { pattern: '^(a?){50}b$' }) },
    value: () => `"${'a'.repeat(30_000)}"`,
  },
  'allOf 5⁷': { schema: { ...text, ...tree('allOf', 5, 7, { minLength: 1 }) }, value: () => '"a"' },
  'oneOf 3⁶ for many items': {
    schema: { type: 'array', items: { type: 'integer', ...tree('oneOf', 3, 6, { minimum: 5 }) } },
    value: () => `[${repeated('1,', 100_000)}1]`,
  },
  'not within not × 150': {
    schema: {
      type: 'array',
      items: { type: 'integer', ...(JSON.parse(nested('{"not":', '{"minimum":0}', '}', 150)) as Schema) },
    },
    value: () => `[${repeated('1,', 400_000)}1]`,
  },
  'an enum of 20,000 and 40,000 items': {
    schema: { type: 'array', items: { ...text, enum: VALUES } },
    value: () => `[${Array.from({ length: 40_000 }, () => `"value-19999"`).join(',')}]`,
  },
  'an enum of objects': {
    schema: {
      type: 'array',
      items: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        enum: VALUES.slice(0, 2_000).map((a) => ({ a })),
      },
    },
    value: () => `[${repeated('{"a":"value-1999"},', 400_000)}{"a":"value-1"}]`,
  },
  'a schema of 40,000 fields': {
    schema: object(Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`p${i}`, text]))),
    value: () => '{"p1":"a"}',
  },
  'defaults in 2,000 fields of many items': {
    schema: { type: 'array', items: fieldsOf(2_000, () => ({ ...text, default: 'x' })) },
    value: () => `[${repeated('{},', 60_000)}{}]`,
  },
  'a large default in many items': {
    schema: { type: 'array', items: object({ a: { ...text, default: 'x'.repeat(1_000_000) } }) },
    value: () => `[${repeated('{},')}{}]`,
  },
  'a default of 1 MB in 2,000 items': {
    schema: { type: 'array', items: object({ a: { ...text, default: 'x'.repeat(1_000_000) } }) },
    value: () => `[${'{},'.repeat(1_999)}{}]`,
  },
  'items of a set': {
    schema: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
    value: () => `[${Array.from({ length: 400_000 }, (_, index) => index).join(',')}]`,
  },
  'lists in a set': {
    schema: {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      items: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'integer' } },
    },
    value: () => `[${Array.from({ length: 200_000 }, (_, index) => `[${index}]`).join(',')}]`,
  },
  'unknown fields that are pruned': {
    schema: object({}),
    value: () => `{${Array.from({ length: 200_000 }, (_, i) => `"u${i}":1`).join(',')}}`,
  },
  'embedded objects': {
    schema: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    },
    value: () =>
      `[${repeated('{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}},', 2_000_000)}{"apiVersion":"v1","kind":"A"}]`,
  },
};

/** A definition that is accepted is used; one that is refused is refused quickly. */
const uses = Object.entries(KINDS).flatMap(([name, { schema, value }]): Row[] => {
  const body = once(() => `{"x":${value()}}`);
  return [1, 4].map((times): Row => ({
    name: `${name}: ${times === 1 ? 'an object' : `${times} objects`}`,
    rights: 'define',
    sends: async (world, signal) => {
      const client = world.as('define').until(signal);
      const defined = await client.send(defining(of(schema)));
      if (defined.status !== 201) return [defined];
      await servedBy(world, signal);
      return [defined, ...(await client.flood({ request: (index) => creating(`o${index}`, body), times }))];
    },
    statuses: [201, 400, 413, 422],
    keepsMb: 64,
  }));
});

async function servedBy(world: Parameters<typeof define>[0], signal: AbortSignal): Promise<void> {
  const client = world.as('define').until(signal);
  for (let tries = 0; tries < 100 && !signal.aborted; tries += 1) {
    if (
      (await client.send({ method: 'GET', path: '/apis/attack.example.com/v1/namespaces/attack/things' })).status ===
      200
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Definitions that are only checked. */
const CHECKED: Readonly<Record<string, () => object>> = {
  '20,000 properties with defaults': () => definition(fieldsOf(20_000, () => ({ ...text, default: 'x' }))),
  '500 heavy patterns': () =>
    definition(fieldsOf(500, (i) => ({ ...text, pattern: `^(a{1,100}b{1,100}c{1,${i + 1}})$` }))),
  '20,000 small patterns': () => definition(fieldsOf(20_000, (i) => ({ ...text, pattern: `^a${i}$` }))),
  'a pattern that expands': () => of({ ...text, pattern: '((a{100}){100}){10}' }),
  'a pattern of 2 MB': () => of({ ...text, pattern: 'ab|'.repeat(700_000) }),
  'a class of all characters, repeated': () => of({ ...text, pattern: '(\\pL{50}\\pN{50}){10}' }),
  'groups within each other': () => of({ ...text, pattern: nested('(', 'a', ')', 1_000) }),
  'a schema nested 2,000 deep': () =>
    JSON.parse(
      JSON.stringify(definition({ type: 'object' })).replace(
        '{"type":"object"}}}',
        `${nested('{"type":"object","properties":{"a":', '{"type":"object"}', '}}', 2_000)}}}`,
      ),
    ) as object,
  'anyOf 8⁵': () => of({ ...text, ...tree('anyOf', 8, 5, { minLength: 1 }) }),
  'an enum of 100,000': () => of({ ...text, enum: Array.from({ length: 100_000 }, (_, i) => `v${i}`) }),
  'an enum of equal values': () => of({ ...text, enum: Array.from({ length: 100_000 }, () => 'v') }),
  '100,000 required fields': () =>
    of({ type: 'object', properties: { a: text }, required: Array.from({ length: 100_000 }, (_, i) => `r${i}`) }),
  'a default of 1 MB against 1,000 schemas': () =>
    of({
      type: 'array',
      items: { type: 'integer' },
      default: Array.from({ length: 200_000 }, () => 1),
      ...tree('allOf', 10, 3, { minItems: 1 }),
    }),
  '2,000 versions': () => {
    const made = definition({ type: 'object' }) as { readonly spec: { readonly versions: readonly object[] } };
    const versions = Array.from({ length: 2_000 }, (_, i) => ({
      ...made.spec.versions[0],
      name: `v${i + 1}`,
      storage: i === 0,
    }));
    return { ...made, spec: { ...made.spec, versions } };
  },
  'descriptions of 2.5 MB': () => of({ ...text, description: 'd '.repeat(1_250_000) }),
  '5,000 short names': () =>
    definition({ type: 'object' }, {}, 'things', {
      names: {
        plural: 'things',
        kind: 'Thing',
        shortNames: Array.from({ length: 5_000 }, (_, i) => `t${i}`),
        categories: Array.from({ length: 5_000 }, (_, i) => `c${i}`),
      },
    }),
  'wrong fields in 20,000 properties': () =>
    definition(fieldsOf(20_000, () => ({ type: 'nothing', uniqueItems: true }))),
};

const checks = Object.entries(CHECKED).flatMap(([name, make]): Row[] =>
  [1, 4].map((times): Row => ({
    name: `${name}, ${times === 1 ? 'defined' : `defined ${times} times at once`}`,
    rights: 'define',
    sends: [{ request: { ...defining({}), body: once(() => JSON.stringify(make())) }, times }],
    statuses: [201, 400, 409, 413, 422],
    keepsMb: 64,
  })),
);

/** A version of a kind whose `spec` has a schema. */
const versionOf = (name: string, spec: Schema, storage: boolean): object => ({
  ...{ name, served: true, storage },
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
});
const versions = (spec: Schema): object => {
  const made = definition({ type: 'object' }) as { readonly spec: object };
  return { ...made, spec: { ...made.spec, versions: [versionOf('v1', spec, true), versionOf('v2', spec, false)] } };
};
const inVersion = (version: string, query = ''): Request => ({
  method: 'GET',
  path: `${pathOf().replace('/v1/', `/${version}/`)}${query}`,
});

/** Objects that are read by another schema than the one that they were written with. */
const others: readonly Row[] = [
  {
    name: 'two versions of 20,000 fields, written in one and watched in the other',
    rights: 'define',
    sends: async (world, signal) => {
      const client = world.as('define').until(signal);
      const defined = await client.send(defining(versions(fieldsOf(20_000, () => ({ ...text, maxLength: 10 })))));
      if (defined.status !== 201) return [defined];
      await servedBy(world, signal);
      const watching = client.flood({ request: inVersion('v2', '?watch=1'), times: 4, reading: 'stream' });
      const written = await client.flood({
        request: (index) => creating(`o${index}`, () => '{"f1":"a"}'),
        ...{ times: 20, atOnce: 4 },
      });
      const listed = await client.flood({ request: inVersion('v2'), times: 8 });
      return [defined, ...written, ...listed, ...(await watching)];
    },
    statuses: [200, 201, 422],
    keepsMb: 64,
  },
  ...['v2', 'v1'].map((stored): Row => ({
    name: `four objects of 2 MB, whose schema changes and whose version ${stored === 'v1' ? 'stays' : 'changes'}`,
    rights: 'define',
    sends: async (world, signal) => {
      const client = world.as('define').until(signal);
      const fields = (suffix: string): Schema => ({
        type: 'object',
        additionalProperties: { type: 'object', properties: { a: text, [suffix]: { ...text, default: suffix } } },
      });
      const defined = await client.send(defining(versions(fields('b'))));
      if (defined.status !== 201) return [defined];
      await servedBy(world, signal);
      const spec = once(() => `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":{"a":"v"}`).join(',')}}`);
      const written = await client.flood({ request: (index) => creating(`o${index}`, spec), times: 4 });
      const changed = await client.send({
        ...{ method: 'PATCH', path: `${DEFINITIONS}/things.attack.example.com`, type: 'application/merge-patch+json' },
        body: JSON.stringify({
          spec: { versions: ['v1', 'v2'].map((name) => versionOf(name, fields('c'), name === stored)) },
        }),
      });
      await servedBy(world, signal);
      const read = await client.flood({ request: inVersion('v2'), times: 3 });
      const got = await client.flood({
        request: (index) => ({ method: 'GET', path: `${pathOf()}/o${index % 4}` }),
        times: 8,
      });
      return [defined, ...written, changed, ...read, ...got];
    },
    statuses: [200, 201, 404, 409, 413, 422],
    keepsMb: 128,
  })),
];

/** The rows. */
export const definitions: readonly Row[] = [...uses, ...checks, ...others];
