import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { atOnce, UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { structuralSchema } from '../../../src/machinery/schema/openapi/from-json-schema.js';
import { schemaExtensions, type JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { validateObject, validating } from '../../../src/machinery/schema/validate/validate-object.js';
import { constraintsOf } from '../../../src/machinery/schema/define/constraints.js';
import { readerOf } from '../../../src/machinery/schema/read/readers.js';
import { prepareSchema } from '../../../src/machinery/schema/validate/prepare-schema.js';
import { omittedErrors } from '../../../src/foundation/errors/field-error-list.js';

const EXTENSIONS = schemaExtensions('x-test-');

const compile = (props: JsonSchemaProps) => structuralSchema({ type: 'object', ...props }, EXTENSIONS);

/** Counts the units of a validation, which pauses at every look. */
function counting(): Work & { units: number } {
  return {
    ...UNBOUNDED_WORK,
    units: 0,
    spend(units) {
      this.units += units;
      return true;
    },
  };
}

/** Returns the units of a validation and its errors, as texts. @param isLarge whether the request is known to be large */
function measured(object: JsonObject, props: JsonSchemaProps, old?: JsonObject, isLarge = false) {
  const work = { ...counting(), isLarge };
  const schema = compile(props);
  const steps = validating(object, schema, { old }, work);
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses += 1;
  const errors = step.value;
  // The form without pauses finds the same.
  expect(validateObject(object, schema, { old }).map(String)).toEqual(errors.map(String));
  return { units: work.units, pauses, errors: errors.map(String), omitted: omittedErrors(errors) };
}

const nested = (
  kind: 'anyOf' | 'allOf' | 'oneOf',
  width: number,
  depth: number,
  leaf: JsonSchemaProps,
): JsonSchemaProps => {
  if (depth === 0) return leaf;
  const parts = Array.from({ length: width }, () => nested(kind, width, depth - 1, leaf));
  return kind === 'anyOf' ? { anyOf: parts } : kind === 'allOf' ? { allOf: parts } : { oneOf: parts };
};

describe('equal conditions', () => {
  test.each(['anyOf', 'allOf'] as const)('are checked once for a value: %s', (kind) => {
    let matches = 0;
    const schema = compile({ properties: { f: { type: 'string', ...nested(kind, 6, 4, { pattern: 'x' }) } } });
    const compilePattern = () => (text: string) => {
      matches += 1;
      return text.includes('x');
    };
    expect(validateObject({ f: 'aax' }, schema, { compilePattern })).toEqual([]);
    expect(matches).toBe(1);
  });

  test('are one node', () => {
    const leaf = { required: ['b', 'a'], properties: { a: { enum: [1, 'x'] } } } as const;
    const { properties } = compile({ properties: { f: { type: 'object', ...nested('allOf', 5, 2, leaf) } } });
    const conditions = properties?.get('f')?.allOf ?? [];
    expect(new Set(conditions).size).toBe(1);
    expect(new Set(conditions[0]?.allOf).size).toBe(1);
  });

  test('differ when a fact differs', () => {
    const { properties } = compile({
      properties: {
        f: { type: 'string', anyOf: [{ minLength: 1 }, { minLength: 2 }, { enum: ['1'] }, { enum: [1] }] },
      },
    });
    expect(new Set(properties?.get('f')?.anyOf).size).toBe(4);
  });

  test('have the errors of the first one that got furthest, as before', () => {
    const { errors } = measured(
      { f: 'a' },
      { properties: { f: { type: 'string', ...nested('anyOf', 2, 2, { minLength: 3 }) } } },
    );
    expect(errors).toEqual([
      '<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)',
      '<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)',
      'f: Invalid value: "a": f in body should be at least 3 chars long',
    ]);
  });
});

describe('work that does not multiply', () => {
  const list = (items: JsonValue[]): JsonObject => ({ f: items });

  test('a long enumeration and a long list', () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `v${index}`);
    const items = Array.from({ length: 40_000 }, (_, index) => `v${(index * 7) % 20_000}`);
    const props: JsonSchemaProps = { properties: { f: { type: 'array', items: { type: 'string', enum: values } } } };
    expect(measured(list(items), props).units).toBeLessThan(10 * 40_000);
    const wrong = measured(list(items.map((item) => `x${item}`)), props);
    expect([wrong.errors.length < 100, wrong.omitted > 39_000]).toEqual([true, true]);
    expect(wrong.errors[0]).toMatch(/^f\[0\]: Unsupported value: "xv0": supported values: "v0", .* more\)$/);
  });

  test('an enumeration of lists and objects', () => {
    const props = {
      properties: { f: { type: 'array', items: { enum: [{ a: 1, b: [2] }, [1], 3, null, '3'] } } },
    } as const;
    expect(measured(list([{ b: [2], a: 1 }, [1], 3]), props as JsonSchemaProps).errors).toEqual([]);
    expect(measured(list([{ a: 1, b: [3] }, [2], '1']), props as JsonSchemaProps).errors).toHaveLength(3);
  });

  test('unique items at every depth', () => {
    let value: JsonValue = Array.from({ length: 2_000 }, (_, index) => index);
    let props: JsonSchemaProps = { type: 'array', uniqueItems: true, items: { type: 'integer' } };
    for (let depth = 0; depth < 50; depth += 1) {
      value = [value, []];
      props = { type: 'array', uniqueItems: true, items: props };
    }
    const { units, errors } = measured(list(value as JsonValue[]), { properties: { f: props } });
    expect(errors).toEqual([]);
    // Each item is looked at as a value, and once for its number.
    expect(units).toBeLessThan(3 * 6 * 2_500);
  });

  test('a long object that changes in one place at its depth', () => {
    const make = (last: number): JsonObject => {
      let value: JsonValue = { numbers: Array.from({ length: 5_000 }, (_, index) => index), last };
      for (let depth = 0; depth < 40; depth += 1) value = { value };
      return { f: value } as JsonObject;
    };
    const props: JsonSchemaProps = { properties: { f: { type: 'object', 'x-test-preserve-unknown-fields': true } } };
    let inner: JsonSchemaProps = { type: 'object', properties: { last: { type: 'integer', maximum: 1 } } };
    for (let depth = 0; depth < 40; depth += 1) inner = { type: 'object', properties: { value: inner } };
    const { units, errors } = measured(make(3), { properties: { f: inner } }, make(2));
    expect(errors).toHaveLength(1);
    expect(units).toBeLessThan(40 * 2_000 + 3 * 6 * 10_000);
    expect(measured(make(3), props, make(3)).errors).toEqual([]);
  });

  test('errors of a million items are counted, not made', () => {
    const items = Array.from({ length: 100_000 }, () => 9);
    const { errors, omitted, pauses } = measured(list(items), {
      properties: { f: { type: 'array', items: { type: 'integer', maximum: 5 } } },
    });
    expect([errors.length, omitted]).toEqual([1_000, 99_000]);
    expect(pauses).toBeGreaterThan(1_000);
  });

  test('an enumeration is prepared in steps, once, and shown in part in an error', () => {
    const allowed = Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? `v${index}` : { v: index }));
    const props: JsonSchemaProps = {
      properties: { x: { 'x-test-preserve-unknown-fields': true, enum: allowed } },
    } as JsonSchemaProps;
    const schema = compile(props);
    const check = (x: JsonValue): { pauses: number; errors: readonly string[] } => {
      const steps = validating({ x }, schema, {}, counting());
      let pauses = 0;
      for (;;) {
        const step = steps.next();
        if (step.done === true) return { pauses, errors: step.value.map(String) };
        pauses += 1;
      }
    };
    const first = check('other');
    expect(first.pauses).toBeGreaterThan(20_000 / 1_000);
    expect(first.errors).toHaveLength(1);
    expect(first.errors[0]).toMatch(/^x: Unsupported value: "other": supported values: "v0", .*, … \([\d,]+ more\)$/);
    const again = check({ v: 19_999 });
    expect(again.pauses).toBeLessThan(5);
    expect(again.errors).toEqual([]);
  });
});

describe('duplicates', () => {
  const props: JsonSchemaProps = {
    properties: {
      set: { type: 'array', 'x-test-list-type': 'set', items: { type: 'string' } },
      map: {
        type: 'array',
        'x-test-list-type': 'map',
        'x-test-list-map-keys': ['__proto__', 'constructor'],
        items: { type: 'object', properties: { constructor: { type: 'string' } } as never },
      },
    },
  };

  test('are found by own members only', () => {
    const { errors } = measured(
      { set: ['a', 'b', 'a', 'a'], map: [{ constructor: 'x' }, { constructor: 'y' }, {}] } as never,
      props,
    );
    expect(errors).toEqual(['set[2]: Duplicate value: "a"']);
  });

  test('of keys that only inherited members would tell apart', () => {
    expect(measured({ map: [{}, {}] }, props).errors).toEqual(['map[1]: Duplicate value: map[string]interface {}{}']);
  });
});

test('a validation without pauses and one that always pauses agree', () => {
  const schema = compile({
    properties: {
      a: { type: 'array', uniqueItems: true, items: { type: 'string', pattern: '^a+$', maxLength: 5_000 } },
      b: {
        type: 'object',
        additionalProperties: { type: 'integer', oneOf: [{ minimum: 3 }, { maximum: 5 }], not: { enum: [9] } },
      },
    },
    required: ['c'],
  });
  const object = {
    a: ['a'.repeat(3_000), 'b', 'aaa', 'aaa', 'a'.repeat(3_000) + 'b'],
    b: { x: 4, y: 9, z: 1, w: '1' },
  };
  const expected = atOnce(validating(object, schema, {}, UNBOUNDED_WORK)).map(String);
  expect(atOnce(validating(object, schema, {}, counting())).map(String)).toEqual(expected);
  expect(expected).toHaveLength(8);
});

describe('an object of many keys', () => {
  const KEYS = 20_000;
  const open: JsonSchemaProps = {
    properties: { data: { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } } },
  };
  const wide = (last: string): JsonObject => ({
    data: { ...Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`k${index}`, 'v'])), last },
  });

  test.each([
    ['unchanged', 'long', []],
    ['changed', 'longer', ['data.last: Too long: may not be longer than 3']],
  ])('is compared with its former version in steps: %s', (_name, last, errors) => {
    const found = measured(wide(last), open, wide('long'), true);
    expect(found.errors).toEqual(errors);
    expect(found.pauses).toBeGreaterThan(3 * KEYS);
  });
});

test('what a large schema is read and checked with is made in steps, once', () => {
  const FIELDS = 2_000;
  const fields = Array.from({ length: FIELDS }, (_, index) => [`p${index}`, { type: 'string' }] as const);
  const schema = compile({ properties: { spec: { type: 'object', properties: Object.fromEntries(fields) } } });
  const work = counting();
  const steps = prepareSchema(schema, 'user', work);
  let pauses = 0;
  while (steps.next().done !== true) pauses += 1;
  expect(pauses).toBeGreaterThan(FIELDS);
  const made = readerOf(schema, 'user');
  expect(readerOf(schema, 'user')).toBe(made);
  // Every part has its reader already: the reader of the whole is put together from those.
  expect(constraintsOf(schema)).toEqual({ values: false, lists: false, embedded: false });
});
