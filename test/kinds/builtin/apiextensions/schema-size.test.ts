import { describe, expect, test } from 'vitest';
import { DEFAULT_DEFINITION_LIMITS } from '../../../../src/foundation/objects/definition-limits.js';
import { atOnce, UNBOUNDED_WORK } from '../../../../src/foundation/work/work.js';
import { schemaSizeErrors } from '../../../../src/kinds/builtin/apiextensions/validation/schema-size.js';
import type { JsonSchemaProps } from '../../../../src/machinery/schema/openapi/json-schema.js';

const texts = (schema: JsonSchemaProps): string[] =>
  atOnce(schemaSizeErrors(schema, 'schema', DEFAULT_DEFINITION_LIMITS, UNBOUNDED_WORK)).map(String);

function nested(kind: 'anyOf' | 'allOf' | 'oneOf', width: number, depth: number): JsonSchemaProps {
  if (depth === 0) return { pattern: 'x' };
  const conditions = Array.from({ length: width }, () => nested(kind, width, depth - 1));
  return kind === 'anyOf' ? { anyOf: conditions } : kind === 'allOf' ? { allOf: conditions } : { oneOf: conditions };
}

const within = (schema: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { f: schema } });

describe('conditions that one value meets', () => {
  test.each([
    ['anyOf', 6, 4, 1554],
    ['allOf', 5, 5, 3905],
    ['oneOf', 1_001, 1, 1001],
  ] as const)('%s of %d in %d levels are too many', (kind, width, depth, count) => {
    expect(texts(within(nested(kind, width, depth)))).toEqual([
      `schema: Too many: a value would be checked against ${count} schemas, at most 1000`,
    ]);
  });

  test('of its own schema and of the conditions on what contains it add up', () => {
    const inner = nested('allOf', 30, 1);
    const outer = Array.from({ length: 40 }, () => ({ properties: { a: { properties: { b: inner } } } }));
    const whole: JsonSchemaProps = {
      allOf: outer,
      properties: { a: { type: 'object', properties: { b: { type: 'string' } } } },
    };
    expect(texts(whole)).toEqual(['schema: Too many: a value would be checked against 1240 schemas, at most 1000']);
    expect(texts({ ...whole, allOf: outer.slice(0, 30) })).toEqual([]);
  });

  test('of different values do not add up', () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, nested('anyOf', 20, 1)]));
    expect(texts({ type: 'object', properties })).toEqual([]);
  });
});

describe('other bounds', () => {
  test('schemas', () => {
    const properties = Object.fromEntries(Array.from({ length: 100_001 }, (_, i) => [`f${i}`, { type: 'string' }]));
    expect(texts({ type: 'object', properties })).toEqual(['schema: Too many: there must be at most 100,000 schemas']);
  });

  test('depth', () => {
    let schema: JsonSchemaProps = { type: 'string' };
    for (let depth = 1; depth < 500; depth += 1) schema = within(schema);
    expect(texts(schema)).toEqual([]);
    expect(texts(within(schema))).toEqual(['schema: Too many: schemas must be nested at most 500 deep']);
  });

  test('instructions of all patterns, equal ones once', () => {
    const properties = (same: boolean) =>
      Object.fromEntries(
        Array.from({ length: 50 }, (_, i) => [
          `f${i}`,
          { type: 'string', pattern: `[a-z]{900}[a-z]{900}[a-z]{900}${same ? '' : i}` },
        ]),
      );
    expect(texts({ type: 'object', properties: properties(true) })).toEqual([]);
    expect(texts({ type: 'object', properties: properties(false) })).toEqual([
      'schema: Too many: all patterns must have at most 100,000 instructions',
    ]);
  });

  test('do not count names that every object inherits', () => {
    expect(texts({ properties: { constructor: { allOf: [{}] }, toString: {} } as never })).toEqual([]);
  });
});
