import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import { DecodeTypeError, objectSchema, readObject, type StructuralSchema } from '../../../src/machinery/index.js';
import { annotate } from '../../../src/machinery/schema/define/vocabulary.js';
import { kindOf, thing } from './fixtures.js';

const Rocket = kindOf(
  z.object({
    spec: z.object({
      size: z.number().int(),
      mode: z.string().default('auto'),
      note: z.string().nullable().optional(),
      plain: z.string().optional(),
      tags: z.array(z.string()).optional(),
      opts: z.record(z.string(), z.string()).optional(),
      parts: z.array(z.object({ name: z.string(), weight: z.number().default(1) })).optional(),
      engine: z.object({ kind: z.string().default('ion') }).default({} as { kind: string }),
      raw: annotate(z.looseObject({ known: z.object({ a: z.string().optional() }).optional() }), {}).optional(),
      inner: annotate(z.looseObject({}), { embeddedResource: true }).optional(),
    }),
  }),
  'Rocket',
);

const read = (fields: Record<string, unknown>, options = {}) => readObject(thing({ spec: fields }), Rocket, options);
const spec = (fields: Record<string, unknown>, options = {}): unknown => read(fields, options).object['spec'];
const defaults = { mode: 'auto', engine: { kind: 'ion' } };

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['empty values stay', { size: 0, plain: '', tags: [], opts: {} }, { size: 0, plain: '', tags: [], opts: {} }],
  [
    'scalars of a wrong type stay',
    { size: 'x', plain: 1, tags: 5, opts: true, parts: 'no' },
    { size: 'x', plain: 1, tags: 5, opts: true, parts: 'no' },
  ],
  [
    'an object in place of a scalar, a list or another shape leaves only braces',
    { size: { a: 1 }, tags: { a: 1 }, parts: [[{ a: 1 }]] },
    { size: {}, tags: {}, parts: [[{}]] },
  ],
  [
    'a list in place of a scalar or an object keeps its items',
    { plain: ['a', { b: 1 }], opts: [1, { c: 1 }] },
    { plain: ['a', {}], opts: [1, {}] },
  ],
  ['a value that preserves unknown fields keeps everything', { raw: [{ a: 1 }] }, { raw: [{ a: 1 }] }],
  ['defaults below lists', { parts: [{ name: 'a' }, {}] }, { parts: [{ name: 'a', weight: 1 }, { weight: 1 }] }],
  ['a default has its own defaults', {}, {}],
  [
    'null: nullable keeps it, a default replaces it, otherwise it is removed',
    { note: null, mode: null, plain: null },
    { note: null },
  ],
  ['null in a list stays for validation', { tags: ['a', null] }, { tags: ['a', null] }],
  ['null in a map is removed', { opts: { a: null, b: 'x' } }, { opts: { b: 'x' } }],
  [
    'unknown fields below preserved ones stay',
    { raw: { x: { y: null }, known: { a: 'a' } } },
    { raw: { x: { y: null }, known: { a: 'a' } } },
  ],
])('%s', (_name, input, expected) => {
  expect(spec(input)).toEqual({ ...defaults, ...expected });
});

test('nulls are kept for validation in an apply', () => {
  expect(spec({ plain: null, opts: { a: null }, mode: null }, { keepNulls: true })).toEqual({
    ...defaults,
    plain: null,
    opts: { a: null },
  });
});

test('no defaults without a parent', () => {
  expect(readObject(thing({}), Rocket).object['spec']).toBeUndefined();
});

test('fields in a value of another shape are unknown', () => {
  const { unknownFields } = read({
    size: { b: 1, a: {} },
    plain: ['x', { c: { d: 1 } }],
    tags: { e: 1 },
    raw: [{ f: 1 }],
  });
  expect(unknownFields).toEqual(['spec.plain[1].c', 'spec.size.a', 'spec.size.b', 'spec.tags.e']);
});

test('unknown fields are dropped and reported in alphabetical order', () => {
  const { object, unknownFields } = read({
    zeal: 1,
    colour: 'red',
    parts: [{ name: 'a', extra: 1 }],
    raw: { known: { b: 1 } },
  });
  expect(unknownFields).toEqual(['spec.colour', 'spec.parts[0].extra', 'spec.raw.known.b', 'spec.zeal']);
  expect(object['spec']).toEqual({ ...defaults, parts: [{ name: 'a', weight: 1 }], raw: { known: {} } });
});

describe('metadata follows the built-in rules', () => {
  test.each<[string, unknown, string]>([
    [
      'of the object',
      { metadata: { labels: 5 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
    ],
    ['of the wrong type', { metadata: 'x' }, 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    [
      'of an object within it',
      { metadata: {}, spec: { inner: { metadata: { labels: { b: 1, a: 'x' } } } } },
      'spec.inner.metadata: Invalid value: map[string]interface {}{"labels":map[string]interface {}{"a":"x", "b":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ])('%s', (_name, input, message) => {
    expect(() => readObject(input as never, Rocket)).toThrow(message);
  });

  test('of the object', () => {
    const input = { metadata: { name: 'a', labels: {}, uid: '', labelz: 1 }, spec: {} };
    const { object, unknownFields } = readObject(input, Rocket);
    expect(object['metadata']).toEqual({ name: 'a' });
    expect(unknownFields).toEqual(['metadata.labelz']);
    expect(() => readObject({ metadata: { name: 5 } }, Rocket)).toThrow(DecodeTypeError);
  });

  test('of an object within it', () => {
    const inner = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', bad: 1 }, any: [{}] };
    const { object, unknownFields } = read({ inner });
    expect(object['spec']).toEqual({
      ...defaults,
      inner: { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, any: [{}] },
    });
    expect(unknownFields).toEqual(['spec.inner.metadata.bad']);
  });
});

test('defaults of items and values replace null', () => {
  const text: StructuralSchema = { type: 'string', presence: 'keep', default: 'd' };
  const schema = objectSchema({
    kind: 'Thing',
    schema: {
      type: 'object',
      presence: 'keep',
      properties: new Map<string, StructuralSchema>([
        ['list', { type: 'array', presence: 'keep', items: text }],
        ['map', { type: 'object', presence: 'keep', additionalProperties: text }],
      ]),
    },
  });
  expect(readObject({ list: [null, 'a'], map: { a: null } } as JsonValue, schema).object).toEqual({
    metadata: {},
    list: ['d', 'a'],
    map: { a: 'd' },
  });
});

test('a recursive kind is read to any depth', () => {
  const Tree = z.object({
    name: z.string().default('leaf'),
    get children() {
      return z.array(Tree).optional();
    },
  });
  const schema = kindOf(z.object({ root: Tree }), 'Forest');
  const { object, unknownFields } = readObject({ root: { children: [{ children: [{ odd: 1 }] }] } }, schema);
  expect(object['root']).toEqual({ name: 'leaf', children: [{ name: 'leaf', children: [{ name: 'leaf' }] }] });
  expect(unknownFields).toEqual(['root.children[0].children[0].odd']);
});
