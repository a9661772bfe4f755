import { describe, expect, test } from 'vitest';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { declaredType } from '../../../src/machinery/cel-rules/index.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { compiledSchema, compiler, withExtensions } from './support.js';

/** The estimated cost of a rule on a schema that is not a resource. */
function estimate(props: JsonSchemaProps, rule: string): bigint {
  const schema = compiledSchema(props);
  const declared = declaredType(schema, 'selfType', false);
  if (declared === undefined) throw new Error('expressions cannot see the schema');
  const [compiled] = atOnce(compiler.compileInSlices([{ rule }], schema, declared, UNBOUNDED_WORK));
  if (compiled?.program === undefined) throw new Error(compiled?.error);
  return compiled.maxCost;
}

const intOrString = withExtensions({}, { intOrString: true });
const scalar = (name: string): JsonSchemaProps => {
  if (name === 'int-or-string') return intOrString;
  return ['duration', 'date', 'date-time'].includes(name) ? { type: 'string', format: name } : { type: name };
};
const list = (items: JsonSchemaProps, maxItems?: number): JsonSchemaProps => ({ type: 'array', items, maxItems });
const map = (values: JsonSchemaProps, maxProperties?: number): JsonSchemaProps => ({
  type: 'object',
  additionalProperties: values,
  maxProperties,
});
const text = (maxLength?: number): JsonSchemaProps => ({ type: 'string', maxLength });
const record: JsonSchemaProps = {
  type: 'object',
  required: ['required'],
  properties: { required: { type: 'string' }, optional: { type: 'string' } },
};

const EACH = 'self.all(x, true)';

describe('without bounds, the size of a request bounds a value', () => {
  test.each<[string, JsonSchemaProps, string, number]>([
    ['numbers', list(scalar('number')), EACH, 4_718_591],
    ['texts', list(scalar('string')), EACH, 3_145_727],
    ['booleans', list(scalar('boolean')), EACH, 1_887_437],
    ['int-or-strings', list(intOrString), EACH, 4_718_591],
    ['durations', list(scalar('duration')), EACH, 2_359_295],
    ['dates', list(scalar('date')), EACH, 725_936],
    ['times', list(scalar('date-time')), EACH, 428_963],
    ['lists of numbers', list(list(scalar('number'))), EACH, 3_145_727],
    ['objects', list(record), EACH, 555_128],
    ['a map of numbers', map(scalar('number')), EACH, 1_348_169],
    ['a map of texts', map(scalar('string')), EACH, 1_179_647],
    ['a map of booleans', map(scalar('boolean')), EACH, 943_718],
    ['a map of objects', map(record), EACH, 428_963],
    ['a map of times', map(scalar('date-time')), EACH, 349_526],
    ['a text', text(), "self.contains('test')", 314_574],
    ['a concatenated text', text(), 'size(self + "hello") > size("hello")', 314_578],
    ['an index', list(scalar('number')), 'self[1] == 0.0', 2],
    ['an index of texts', list(scalar('string')), 'self[1] == self[1]', 314_577],
    ['an index of objects', list(record), 'self[0] == null', 2],
    ['an index of int-or-strings', list(intOrString), 'self[0] == 5', 3],
    ['a method of a duration', list(scalar('duration')), 'self[0].getHours() == 2', 4],
    ['keys and values', map(text()), 'self.all(x, x.contains(self[x]))', 2_752_507],
    ['a field of a map value', list(map(record)), 'self.all(x, x["y"].required == "z")', 7_340_027],
    ['a pattern', text(), 'self.matches("x")', 314_574],
    ['a search', text(), "self.find('[0-9]+') == ''", 629_147],
    ['sorting', list(text()), 'self.isSorted() == true', 329_854_432_052],
    ['joining', list(text()), "self.join(' ') == 'aa bb'", 329_853_068_905],
  ])('%s', (_, schema, rule, cost) => {
    expect(estimate(schema, rule)).toBe(BigInt(cost));
  });
});

describe('bounds of the schema lower the estimate', () => {
  test.each<[string, JsonSchemaProps, string, number]>([
    ['numbers', list(scalar('number'), 10), EACH, 32],
    ['a map', map(scalar('boolean'), 100), EACH, 302],
    ['loops in loops', list(scalar('number'), 10), 'self.all(x, self.all(y, self.all(z, true)))', 3552],
    ['a text', text(10), "self.contains('test')", 5],
    ['an empty text', text(0), 'self == "x"', 1],
    ['a pattern', text(50), 'self.matches("x")', 22],
    ['an empty pattern', text(100), 'self.matches("")', 1],
    ['more than fits', list(scalar('number'), 3 * 1024 * 2048), 'self.all(x, x == 0.0)', 25_165_826],
    ['keys and values', map(text(10), 10), 'self.all(x, x.contains(self[x]))', 72],
    ['joining', list(text(10), 10), "self.join(' ') == 'aa bb'", 43],
    ['lower case', text(10), "self.lowerAscii() == 'lower!'", 6],
    ['sizes of both values', map(scalar('integer'), 10), 'oldSelf.size() == self.size()', 5],
    ['an enumeration', { type: 'string', enum: ['A', 'BB', 'CCC'] }, "self.contains('A')", 2],
  ])('%s', (_, schema, rule, cost) => {
    expect(estimate(schema, rule)).toBe(BigInt(cost));
  });
});
