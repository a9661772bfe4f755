import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { declaredType } from '../../../src/machinery/cel-rules/index.js';
import { ValueReaders } from '../../../src/machinery/cel-rules/values.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { compiledSchema, compiler, withExtensions } from './support.js';

/** The cost of a rule that holds. */
function costOf(props: JsonSchemaProps, object: JsonObject, rule: string): number {
  const schema = compiledSchema(props);
  const declared = declaredType(schema, 'selfType', false);
  if (declared === undefined) throw new Error('expressions cannot see the schema');
  const [compiled] = atOnce(compiler.compileInSlices([{ rule }], schema, declared, UNBOUNDED_WORK));
  if (compiled?.program === undefined) throw new Error(compiled?.error);
  const { result, cost } = compiled.program.attempt({ self: new ValueReaders().of(schema, false)(object) });
  expect(result).toBe(true);
  return cost;
}

const string: JsonSchemaProps = { type: 'string' };
const integer: JsonSchemaProps = { type: 'integer' };
const fields = (properties: Record<string, JsonSchemaProps>): JsonSchemaProps => ({ type: 'object', properties });
const set = withExtensions({ type: 'array', items: string }, { listType: 'set' });
const pairs = fields({ k: string, v: string, v2: string });
const mapList = withExtensions({ type: 'array', items: pairs }, { listType: 'map', listMapKeys: ['k'] });

const schema = fields({
  integer,
  number: { type: 'number' },
  text: string,
  bytes: { type: 'string', format: 'byte' },
  duration: { type: 'string', format: 'duration' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'date-time' },
  list: { type: 'array', items: integer },
  set,
  otherSet: set,
  lists: { type: 'array', items: mapList },
  mapList,
  map: { type: 'object', additionalProperties: string },
  object: fields({ b: integer, d: { type: 'integer', nullable: true } }),
  numbers: { type: 'object', additionalProperties: integer },
});

const a: JsonValue = { k: 'a', v: '1' };
const b: JsonValue = { k: 'b', v: '2' };
const object: JsonObject = {
  integer: 10,
  number: 10,
  text: 'Rook takes 👑',
  bytes: 'QUI=',
  duration: '1h2m3s4ms',
  date: '1997-07-16',
  time: '2011-08-18T19:03:37.010000000+01:00',
  list: [1, 2, 3],
  set: ['a', 'b', 'c'],
  otherSet: ['a', 'c', 'b'],
  lists: [[a, b], [b, a], [{ k: 'b', v: '3' }, a], [{ k: 'c', v: '4' }]],
  mapList: [
    { k: 'a1', v: 'b1' },
    { k: 'a2', v: 'b2' },
    { k: 'a3', v: 'b3', v2: 'z' },
  ],
  map: { k1: 'a', k2: 'b' },
  object: { b: 1, d: null },
  numbers: { b: 1, d: 2 },
};

test.each<[string, number]>([
  ['type(self.integer) == int', 4],
  ['type(self.number) == double', 4],
  ['self.number == 10.0', 3],
  ['double(self.integer) == self.number', 6],
  ["self.text.startsWith('Rook')", 4],
  ["self.text.matches('^[^0-9]*$')", 8],
  ["!self.text.matches('^[0-9]*$')", 7],
  ['size(self.text) == 12', 4],
  ["self.text.replace(' ', 'x') == 'Rookxtakesx👑'", 7],
  ["self.text.upperAscii() == 'ROOK TAKES 👑'", 6],
  ["self.bytes == b'AB'", 3],
  ['size(self.bytes) == 2', 4],
  ["self.duration == duration('1h2m') + duration('3s4ms')", 4],
  ['self.duration.getHours() == 1', 4],
  ["self.date == timestamp('1997-07-16T00:00:00.000Z')", 3],
  ['self.date.getDate() == 16', 4],
  ["self.time == timestamp('2011-08-18T00:00:00.000+01:00') + duration('19h3m37s10ms')", 4],
  ["self.time.getDate('01:00') == 18", 4],
  ['1 in self.list', 5],
  ["'a' in self.set", 5],
  ["!('k3' in self.map)", 4],
  ['has(self.object.b)', 2],
  ['!has(self.object.d)', 3],
  ["self.mapList.all(m, m.k.startsWith('a'))", 21],
  ["self.mapList.exists(m, m.k.endsWith('1'))", 13],
  ["self.mapList.exists_one(m, m.k == 'a3')", 15],
  ["self.mapList.exists(m, has(m.v2) && m.v2 == 'z')", 21],
  ['self.numbers.all(k, self.numbers[k] > 0)', 17],
  ["self.text.split(' ') == ['Rook', 'takes', '👑']", 6],
  ['self.set == self.otherSet', 5],
  ["self.set == ['c', 'b', 'a']", 3],
  ["self.set + self.otherSet == ['a', 'b', 'c']", 6],
  ["self.set + ['c', 'd'] == ['a', 'b', 'c', 'd']", 4],
  ['self.lists[0] == self.lists[1]', 7],
  ['self.lists[0] + self.lists[2] == self.lists[2]', 11],
  ['self.lists[2] + self.lists[0] == self.lists[0]', 11],
  ['self.lists[0] == [self.lists[0][1], self.lists[0][0]]', 22],
  ['size(self.lists[0] + [self.lists[3][0]]) == 3', 20],
  ["self.map == {'k2': 'b', 'k1': 'a'}", 3],
  // The items that lack the field count although they fail.
  ["self.mapList.exists(m, m.v2 == 'z')", 24],
])('%s costs %d', (rule, cost) => {
  expect(costOf(schema, object, rule)).toBe(cost);
});
