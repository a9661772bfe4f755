import { unitsOf } from '../../support/units.js';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { structuralSchema } from '../../../src/machinery/schema/openapi/from-json-schema.js';
import { readObject, type ReadOptions, type StructuralSchema } from '../../../src/machinery/index.js';
import { schemaExtensions, type JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { readInSlices, readSteps } from '../../../src/machinery/schema/read/read-object.js';

const compile = (props: JsonSchemaProps): StructuralSchema =>
  structuralSchema({ type: 'object', ...props }, schemaExtensions('x-test-'));

/** Work that pauses at every look, and counts. */
function counting(): Work & { units: number; reserved: number } {
  return {
    ...UNBOUNDED_WORK,
    units: 0,
    reserved: 0,
    spend(units) {
      this.units += units;
      return true;
    },
    reserve(bytes) {
      this.reserved += bytes;
    },
  };
}

/** Reads in steps, and counts the pauses. */
function stepped(input: JsonObject, schema: StructuralSchema, options: ReadOptions = {}) {
  const work = counting();
  const steps = readSteps(input, schema, options, work);
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses += 1;
  return { ...step.value, pauses, units: work.units, reserved: work.reserved };
}

const fields = (count: number, field: JsonSchemaProps): Record<string, JsonSchemaProps> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, field]));
const items = (properties: Record<string, JsonSchemaProps>): JsonSchemaProps => ({
  properties: { x: { type: 'array', items: { type: 'object', properties } } },
});
const empty = (count: number): JsonObject => ({ x: Array.from({ length: count }, () => ({})) });
const LARGE = 'the object has more than 3145728 bytes of defaults';

describe('defaults', () => {
  test.each<[string, JsonSchemaProps, JsonObject]>([
    ['in many fields of many items', items(fields(2_000, { type: 'string', default: 'x' })), empty(20_000)],
    ['that are long, in many items', items({ f: { type: 'string', default: 'x'.repeat(1_000_000) } }), empty(2_000)],
    [
      'of null items',
      { properties: { x: { type: 'array', items: { type: 'string', default: 'x'.repeat(100_000) } } } },
      { x: Array.from({ length: 100 }, () => null) },
    ],
    [
      'of null values of a map',
      { properties: { x: { type: 'object', additionalProperties: { type: 'string', default: 'x'.repeat(100_000) } } } },
      { x: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, null])) },
    ],
    [
      'within defaults',
      items({
        f: { type: 'object', default: {}, properties: { g: { type: 'string', default: 'x'.repeat(100_000) } } },
      }),
      empty(100),
    ],
  ])('%s are bounded', async (_name, props, input) => {
    const schema = compile(props);
    expect(() => readObject(input, schema)).toThrow(LARGE);
    expect(() => stepped(input, schema)).toThrow(expect.objectContaining({ code: 413 }));
    const reading = async (): Promise<unknown> => readInSlices(input, schema, {}, counting());
    await expect(reading()).rejects.toThrow(LARGE);
  });

  test('end a read before its time, and are reserved before they are kept', () => {
    const schema = compile(items(fields(2_000, { type: 'string', default: 'x' })));
    const work = counting();
    const steps = readSteps(empty(20_000), schema, {}, work);
    expect(() => {
      while (steps.next().done !== true);
    }).toThrow(LARGE);
    // 3 MiB are some 350,000 defaults, of 40,000,000 in all.
    expect(work.units).toBeLessThan(2_000_000);
    expect(work.reserved).toBeGreaterThan(3 * 1024 * 1024);
  });

  test('up to the bound are filled in, in slices', async () => {
    const schema = compile(items({ f: { type: 'string', default: 'x'.repeat(1_000) } }));
    const reading = readInSlices(empty(900), schema, {}, counting());
    expect(reading).toBeInstanceOf(Promise);
    expect((await reading).object).toEqual({ x: Array.from({ length: 900 }, () => ({ f: 'x'.repeat(1_000) })) });
    expect(readInSlices(empty(10), schema, {}, counting())).not.toBeInstanceOf(Promise);
  });
});

describe('a read in steps', () => {
  const schema = compile({
    properties: {
      list: { type: 'array', items: { type: 'integer', default: 7 } },
      nullable: { type: 'array', items: { type: 'string', nullable: true } },
      map: { type: 'object', additionalProperties: { type: 'object', properties: fields(2, { type: 'string' }) } },
      open: { type: 'object', 'x-test-preserve-unknown-fields': true, properties: fields(1, { type: 'string' }) },
      embedded: { type: 'object', 'x-test-embedded-resource': true, properties: fields(1, { type: 'string' }) },
      either: { 'x-test-int-or-string': true },
      full: { type: 'object', default: { f0: 'd' }, properties: fields(3, { type: 'string', default: 'e' }) },
      __proto__x: { type: 'string' },
    },
  });
  const value: JsonObject = {
    list: [1, null, 'text', [2], { a: 1 }],
    nullable: [null, 'a', { b: 1 }],
    map: { a: { f0: 'x', more: 1 }, b: null, c: [1], ['constructor']: { f1: 'y' } },
    open: { f0: 'x', other: { deep: [1, { a: null }] }, more: null },
    embedded: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', labels: { b: 'c' }, unknown: 1 }, f0: 1, f9: 2 },
    either: 5,
    unknown: { a: [1] },
    metadata: { name: 'x', annotations: { a: 'b' } },
  };

  test.each<[string, JsonValue, ReadOptions]>([
    ['a custom resource', value, {}],
    ['a custom resource with its nulls', value, { keepNulls: true }],
    ['other shapes', { list: { a: 1 }, map: [1, { a: 1 }], open: 'x', embedded: [], full: null }, {}],
  ])('returns the same for %s', (_name, input, options) => {
    const { object, unknownFields, pauses } = stepped(input as JsonObject, schema, options);
    const plain = readObject(input, schema, options);
    expect({ object, unknownFields }).toEqual(plain);
    expect(JSON.stringify(object)).toBe(JSON.stringify(plain.object));
    expect(pauses).toBeGreaterThan(5);
  });

  test('throws the same', () => {
    const wrong = { embedded: { metadata: { name: 'a', labels: { a: 1 } } } };
    expect(() => stepped(wrong, schema)).toThrow('cannot unmarshal number into Go');
    expect(() => readObject(wrong, schema)).toThrow('cannot unmarshal number into Go');
  });

  test('pauses among the members of a large value, and in the search of their names', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`u${index}`, index]));
    expect(stepped({ open: many }, schema).pauses).toBeGreaterThan(5_000);
    expect(stepped({ map: many }, schema).pauses).toBeGreaterThan(5_000);
    expect(stepped({ list: Object.values(many) }, schema).pauses).toBeGreaterThan(5_000);
    const { unknownFields, pauses, units } = stepped({ ...many }, schema);
    expect(unknownFields).toHaveLength(100);
    expect(pauses).toBeGreaterThan(100);
    // The search ends with the last name that is reported.
    expect(units).toBeLessThan(4 * 5_000);
  });
});

test('an object of very many unknown members is read in pieces: its keys are listed, and then counted in steps', async () => {
  const KEYS = 20_000;
  const schema = compile({ properties: { a: { type: 'string' } } });
  const input = Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`u${index}`, 1]));
  let units = 0;
  const steps = readSteps(input, schema, {}, { ...UNBOUNDED_WORK, spend: (spent) => (units += spent) > 1_000 });
  const pieces: number[] = [];
  for (let isDone = false; !isDone;) {
    units = 0;
    pieces.push(
      await unitsOf(() => {
        isDone = steps.next().done === true;
      }),
    );
  }
  // A list of the keys is a sixteenth of a unit for each.
  expect(Math.max(...pieces)).toBeLessThan(KEYS / 2);
  expect(pieces.length).toBeGreaterThan(KEYS / 1_000);
});
