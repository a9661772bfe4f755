import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { compileSchema, needsRefinements, objectMetaSchema, objectSchema } from '../../../src/machinery/index.js';
import * as words from '../../../src/machinery/schema/define/vocabulary.js';

const nodeOf = (schema: z.ZodType) => compileSchema(z.object({ f: schema })).properties?.get('f');

describe('zod types', () => {
  test.each<[string, z.ZodType, object]>([
    [
      'string',
      z
        .string()
        .min(1)
        .max(5)
        .regex(/^[a-z]+$/),
      { type: 'string', minLength: 1, maxLength: 5, pattern: '^[a-z]+$' },
    ],
    ['exact length', z.string().length(3), { type: 'string', minLength: 3, maxLength: 3 }],
    ['number', z.number().min(0.5), { type: 'number', minimum: 0.5 }],
    [
      'integer',
      z.number().int().gt(1).lt(9).multipleOf(2),
      { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true, multipleOf: 2 },
    ],
    ['the tighter of two bounds', z.number().min(1).min(3).min(2), { minimum: 3 }],
    ['z.int()', z.int(), { type: 'integer' }],
    ['z.int32()', z.int32(), { type: 'integer', format: 'int32', protoKind: 'int32' }],
    ['boolean', z.boolean(), { type: 'boolean' }],
    [
      'array',
      z.array(z.string()).min(1).max(2),
      { type: 'array', minItems: 1, maxItems: 2, items: expect.objectContaining({ type: 'string' }) },
    ],
    [
      'record',
      z.record(z.string(), z.number()),
      { type: 'object', additionalProperties: expect.objectContaining({ type: 'number' }) },
    ],
    ['record of known keys', z.record(z.enum(['a', 'b']), z.string()), { type: 'object', required: ['a', 'b'] }],
    ['nullable', z.string().nullable(), { type: 'string', nullable: true }],
    ['union with null', z.union([z.string(), z.null()]), { type: 'string', nullable: true }],
    ['default', z.string().default('x'), { type: 'string', default: 'x' }],
    ['prefault', z.string().prefault('x'), { type: 'string', default: 'x' }],
    ['enum', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['literals of two types', z.literal(['a', 1]), { type: 'int-or-string', enum: ['a', 1] }],
    ['union of literals', z.union([z.literal('a'), z.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    ['number or string', z.union([z.number(), z.string()]), { type: 'int-or-string' }],
    ['other unions', z.union([z.boolean(), z.string()]), { type: 'any', preserveUnknownFields: true }],
    ['unknown', z.unknown(), { type: 'any', preserveUnknownFields: true }],
    ['loose object', z.looseObject({ a: z.string() }), { type: 'object', preserveUnknownFields: true }],
    ['lazy', z.lazy(() => z.string().max(2)), { type: 'string', maxLength: 2 }],
    ['template', z.templateLiteral(['a-', z.number()]), { type: 'string', pattern: expect.stringContaining('a-') }],
    [
      'intersection',
      z.object({ a: z.string() }).and(z.object({ b: z.string() })),
      { type: 'object', required: ['a', 'b'] },
    ],
    ['description', z.string().describe('of it').optional(), { description: 'of it' }],
    ['meta description', z.string().meta({ description: 'of it' }), { description: 'of it' }],
    ['date-time', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['int-or-string word', words.intOrString(), { type: 'int-or-string', protoKind: 'intOrString' }],
    [
      'map list word',
      words.mapList(z.object({ a: z.string() }), ['a']),
      { listType: 'map', listMapKeys: ['a'], patchMergeKey: 'a', patchStrategy: 'merge' },
    ],
    [
      'type fact',
      words.annotate(z.record(z.string(), z.unknown()), { type: 'any' }),
      { type: 'any', preserveUnknownFields: true },
    ],
  ])('%s', (_name, schema, expected) => {
    expect(nodeOf(schema)).toMatchObject(expected);
  });

  test.each<[string, z.ZodType, string]>([
    ['date', z.object({ spec: z.object({ when: z.date() }) }), 'spec.when: a zod date cannot'],
    ['map', z.object({ a: z.array(z.map(z.string(), z.string())) }), 'a[*]: a zod map cannot'],
    ['tuple', z.object({ a: z.tuple([z.string()]) }), 'a: a zod tuple cannot'],
    ['bigint', z.object({ a: z.record(z.string(), z.bigint()) }), 'a[*]: a zod bigint cannot'],
    ['the whole type', z.set(z.string()), 'the type: a zod set cannot'],
  ])('%s cannot be expressed', (_name, schema, message) => {
    expect(() => compileSchema(schema)).toThrow(TypeError);
    // An unfinished result must not be cached.
    expect(() => compileSchema(schema)).toThrow(message);
  });
});

test('required fields are those that zod requires', () => {
  const schema = z.object({
    a: z.string(),
    b: z.string().optional(),
    c: z.string().default('x'),
    d: z.unknown(),
    e: z.string().optional().nonoptional(),
  });
  expect(compileSchema(schema).required).toEqual(['a', 'e']);
});

test('a type is compiled once', () => {
  const schema = z.object({ a: z.string() });
  expect(compileSchema(schema)).toBe(compileSchema(schema));
});

test('a recursive type refers to itself', () => {
  const Tree = z.object({
    name: z.string(),
    get children() {
      return z.array(Tree).optional();
    },
  });
  const node = compileSchema(Tree);
  expect(node.properties?.get('children')?.items).toBe(node);
});

test('facts of a wrapper take precedence over those of the inner type, and copies share their fields', () => {
  const Part = words.struct('Part', { a: words.optional(1, z.string()) }, { description: 'a part' });
  const node = compileSchema(
    words.struct('Whole', { one: words.always(2, Part), two: words.omitted(3, Part, { description: 'the second' }) }),
  );
  const one = node.properties?.get('one');
  const two = node.properties?.get('two');
  expect(one).toMatchObject({
    name: 'Part',
    presence: 'always',
    protoNumber: 2,
    protoKind: 'message',
    description: 'a part',
  });
  expect(two).toMatchObject({
    name: 'Part',
    presence: 'omit',
    protoNumber: 3,
    description: 'the second',
    typeDescription: 'a part',
  });
  expect(one?.properties).toBe(two?.properties);
});

test('a derived type has the facts of its base', () => {
  expect(nodeOf(words.int32().min(0).describe('of it'))).toMatchObject({
    type: 'integer',
    format: 'int32',
    protoKind: 'int32',
    minimum: 0,
    description: 'of it',
  });
  expect(nodeOf(words.optional(4, words.bytes().max(10)).describe('bytes'))).toMatchObject({
    format: 'byte',
    protoNumber: 4,
    maxLength: 10,
    presence: 'keep',
    description: 'bytes',
  });
  expect(nodeOf(words.mapList(z.object({ a: z.string() }), ['a']).min(1))).toMatchObject({
    listType: 'map',
    minItems: 1,
  });
});

test.each<[string, z.ZodType, boolean]>([
  ['nothing special', z.object({ a: z.string().min(1) }), false],
  ['refine', z.object({ a: z.string().refine((text) => text !== 'a') }), true],
  ['superRefine on the whole', z.object({ a: z.string() }).superRefine(() => undefined), true],
  ['transform', z.object({ a: z.string().transform(Number) }), true],
  ['a union of objects', z.object({ a: z.union([z.object({ x: z.string() }), z.object({ y: z.string() })]) }), true],
  ['a pattern with flags', z.object({ a: z.string().regex(/^a$/i) }), true],
  ['two patterns', z.object({ a: z.string().regex(/a/).regex(/b/) }), true],
])('%s: zod also validates: %s', (_name, schema, expected) => {
  expect(needsRefinements(schema)).toBe(expected);
  expect(needsRefinements(z.object({ outer: schema }))).toBe(expected);
});

describe('whole objects', () => {
  const schema = compileSchema(z.object({ spec: z.object({}), metadata: z.string() }));

  test('have type and metadata first', () => {
    const whole = objectSchema({ kind: 'Thing', schema });
    expect([...(whole.properties?.keys() ?? [])]).toEqual(['kind', 'apiVersion', 'metadata', 'spec']);
    expect(whole.name).toBe('Thing');
    expect(whole.properties?.get('metadata')).toMatchObject({ name: 'ObjectMeta', presence: 'always', protoNumber: 1 });
    expect(objectSchema({ kind: 'Thing', schema })).toBe(whole);
    expect(() => objectSchema({ kind: 'Thing', schema: compileSchema(z.string()) })).toThrow(TypeError);
  });

  test('metadata has the protobuf numbers and merge facts of Kubernetes', () => {
    const numbers = Object.fromEntries(
      [...(objectMetaSchema.properties ?? [])].map(([name, field]) => [name, field.protoNumber]),
    );
    expect(numbers).toEqual({
      name: 1,
      generateName: 2,
      namespace: 3,
      selfLink: 4,
      uid: 5,
      resourceVersion: 6,
      generation: 7,
      creationTimestamp: 8,
      deletionTimestamp: 9,
      deletionGracePeriodSeconds: 10,
      labels: 11,
      annotations: 12,
      ownerReferences: 13,
      finalizers: 14,
      managedFields: 17,
    });
    expect(objectMetaSchema.properties?.get('ownerReferences')).toMatchObject({
      listType: 'map',
      listMapKeys: ['uid'],
      patchMergeKey: 'uid',
      items: { mapType: 'atomic' },
    });
    expect(objectMetaSchema.properties?.get('finalizers')).toMatchObject({ listType: 'set', patchStrategy: 'merge' });
  });
});
