/** Rules in CEL: their check, their programs, and what they do with objects. */
import { creating, definition, defining, served, type Schema } from '../kinds.js';
import type { Row } from '../row.js';
import { nested, once, repeated } from '../texts.js';

interface Kind {
  readonly schema: Schema;
  /** JSON text of a `spec`. */
  readonly spec: () => string;
}

const list = (items: Schema, maxItems: number): Schema => ({ type: 'array', items, maxItems });
const integers = list({ type: 'integer' }, 1_000);
const texts = (maxItems: number, maxLength: number): Schema => list({ type: 'string', maxLength }, maxItems);

const ruled = (properties: Schema, rules: readonly string[]): Schema => ({
  ...{ type: 'object', properties },
  'x-kubernetes-validations': rules.map((rule) => ({ rule, message: 'no' })),
});
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

const numbers = (count: number): string => `{"a":[${times(count, () => 1).join(',')}]}`;

/** A text of 900,000 characters, for functions that cost little in Kubernetes however long it is. */
const longText = (rules: readonly string[], unit = 'abc, def '): Kind => ({
  schema: ruled({ b: { type: 'string', maxLength: 1_000_000 } }, rules),
  spec: () => `{"b":"${repeated(unit, 900_000)}"}`,
});

const KINDS: Readonly<Record<string, Kind>> = {
  '6,000 terms in a rule': {
    schema: ruled({ a: integers }, [times(6_000, () => 'self.a[0]>0').join('&&')]),
    spec: () => numbers(1),
  },
  '100 rules of 4 KB': {
    schema: ruled(
      { a: integers },
      times(100, (i) => times(300, () => `self.a[0]>${i}`).join('||')),
    ),
    spec: () => numbers(1),
  },
  '20 rules that use up the budget of an object': {
    schema: ruled(
      { a: integers },
      times(20, (i) => `self.a.all(x, self.a.exists(y, x + y == ${i + 5} || y == x))`),
    ),
    spec: () => numbers(1_000),
  },
  'loops within each other': {
    schema: ruled({ a: list({ type: 'integer' }, 90) }, [
      'self.a.all(x, self.a.all(y, self.a.all(z, x + y + z < 1000)))',
    ]),
    spec: () => numbers(90),
  },
  '500 patterns that a rule makes': {
    schema: ruled({ a: texts(500, 200) }, ["self.a.all(x, !'zzzzzzzzzzzzzzzz'.matches(x))"]),
    spec: () => `{"a":[${times(500, (i) => `"(a{1,90}b{1,90}){1,9}${i}"`).join(',')}]}`,
  },
  'patterns from data for a long text': {
    schema: ruled({ a: texts(20, 100), b: { type: 'string', maxLength: 100_000 } }, [
      'self.a.all(x, !self.b.matches(x))',
    ]),
    spec: () => `{"a":[${times(20, (i) => `"(x+x+)+y${i}"`).join(',')}],"b":"${'x'.repeat(100_000)}"}`,
  },
  'texts that grow': {
    schema: ruled({ a: texts(100, 10_000) }, ["self.a.map(x, x + x + x + x).join('-').size() > 0"]),
    spec: () => `{"a":[${times(100, () => `"${'x'.repeat(10_000)}"`).join(',')}]}`,
  },
  'replacements that grow': {
    schema: ruled({ b: { type: 'string', maxLength: 20_000 } }, ["self.b.replace('', self.b).size() > 0"]),
    spec: () => `{"b":"${'x'.repeat(20_000)}"}`,
  },
  'a text that is split into characters': {
    schema: ruled({ b: { type: 'string', maxLength: 300_000 } }, ["self.b.split('').map(x, x + 'a').size() > 0"]),
    spec: () => `{"b":"${'x'.repeat(300_000)}"}`,
  },
  'lists that are sorted and compared': {
    schema: ruled({ a: list({ type: 'integer' }, 20_000) }, [
      'self.a.isSorted() && self.a.indexOf(5) < 0 && self.a == self.a',
    ]),
    spec: () => numbers(20_000),
  },
  'long lists that are walked': {
    schema: ruled({ a: list({ type: 'integer' }, 90_000), b: texts(90_000, 10) }, [
      'self.a.isSorted() && self.a.min() + self.a.max() + self.a.sum() > self.a.indexOf(5) + self.a.lastIndexOf(5)',
      "self.b.isSorted() && self.b.max() == '' && self.b.join('-').size() > 0",
    ]),
    spec: () => `{"a":[${repeated('1,', 89_999)}1],"b":[${repeated('"",', 89_999)}""]}`,
  },
  'ternaries within each other': {
    schema: ruled({ a: integers }, [`${'self.a[0] > 0 ? ('.repeat(100)}true${') : false'.repeat(100)}`]),
    spec: () => numbers(1),
  },
  'parentheses within each other': {
    schema: ruled({ a: integers }, [nested('(', 'true', ')', 240)]),
    spec: () => numbers(1),
  },
  'lists within each other in a rule': {
    schema: ruled({ a: integers }, [`${nested('[', '1', ']', 200)}.size() > 0`]),
    spec: () => numbers(1),
  },
  'a long list in a rule': {
    schema: ruled({ a: integers }, [`self.a[0] in [${times(20_000, (i) => i).join(',')}]`]),
    spec: () => numbers(1),
  },
  'maps in a rule': {
    schema: ruled({ a: integers }, [`{${times(4_000, (i) => `'k${i}': ${i}`).join(',')}}.size() > 0`]),
    spec: () => numbers(1),
  },
  'a loop over a loop that a rule makes': {
    schema: ruled({ a: list({ type: 'integer' }, 300) }, ['self.a.map(x, self.a.map(y, x + y)).all(z, z.size() > 0)']),
    spec: () => numbers(300),
  },
  'transition rules of all items': {
    schema: {
      type: 'object',
      properties: {
        a: {
          ...{ type: 'array', maxItems: 5_000, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
          items: {
            ...{ type: 'object', required: ['k'], properties: { k: { type: 'string', maxLength: 10 } } },
            'x-kubernetes-validations': [{ rule: 'self.k == oldSelf.k' }],
          },
        },
      },
    },
    spec: () => `{"a":[${times(5_000, (i) => `{"k":"k${i}"}`).join(',')}]}`,
  },
  'rules of 40,000 items': {
    schema: {
      type: 'object',
      properties: {
        a: {
          ...{ type: 'array', maxItems: 40_000 },
          items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 10' }] },
        },
      },
    },
    spec: () => numbers(40_000),
  },
  'messages of failing rules': {
    schema: {
      type: 'object',
      properties: {
        a: {
          ...{ type: 'array', maxItems: 20_000 },
          items: {
            type: 'integer',
            'x-kubernetes-validations': [{ rule: 'self > 10', messageExpression: "'wrong: ' + string(self)" }],
          },
        },
      },
    },
    spec: () => numbers(20_000),
  },
  'quantities, dates and addresses': {
    schema: ruled({ a: texts(2_000, 50) }, [
      "self.a.all(x, isURL('http://' + x) || !isQuantity(x) || timestamp('2024-01-01T00:00:00Z').getFullYear() > 0)",
    ]),
    spec: () => `{"a":[${times(2_000, (i) => `"host${i}/path"`).join(',')}]}`,
  },
  'positions in a long text': longText([
    'self.b.charAt(800000) == self.b.charAt(800009) && self.b.substring(5, 800000).size() > 0',
    "self.b.indexOf('zz', 7) == -1 && self.b.lastIndexOf('zz', 800000) == -1 && self.b.indexOf('zz') == -1",
  ]),
  'positions in a long text of wide characters': longText(
    [
      'self.b.charAt(200000) != self.b && self.b.substring(5, 200000).size() > 0',
      "self.b.indexOf('zz', 7) == -1 && self.b.lastIndexOf('zz', 200000) == -1 && self.b.size() > 0",
    ],
    'a\u{1f601}\u00e9',
  ),
  'cases and quotes of a long text': longText([
    'self.b.upperAscii() != self.b.lowerAscii() && strings.quote(self.b) != self.b && self.b.trim() != self.b',
  ]),
  'parts of a long text': longText([
    "self.b.split('').size() > 0",
    "self.b.split(' ').size() > 0",
    "self.b.replace('', '-').size() > 0",
    "self.b.replace(',', '<>').size() > 0",
  ]),
  'long parts of a long text': {
    schema: ruled({ b: { type: 'string', maxLength: 800_000 }, c: { type: 'string', maxLength: 800_000 } }, [
      "self.b.indexOf(self.c) == -1 && self.b.lastIndexOf('b' + self.c) == -1",
      "self.b.replace(self.c, '').size() > 0 && self.b.split(self.c).size() > 0",
    ]),
    spec: () => `{"b":"${'a'.repeat(700_000)}","c":"${'a'.repeat(350_000)}b"}`,
  },
  'formats of a long text': longText([
    "'%s'.format([[self.b]]).size() > 0 && '%x'.format([self.b]).size() > 0 && '%X'.format([bytes(self.b)]).size() > 0",
  ]),
  'formats of a long text without printable characters': longText(
    ["'%s'.format([[self.b]]).size() > 0 && !isIP(self.b) && !isCIDR(self.b) && !isURL(self.b)"],
    '\\u0001',
  ),
  'many matches in a long text': longText([
    "self.b.substring(0, 200000).findAll('[a-z]').size() > 0",
    "self.b.substring(0, 100000).findAll('').size() > 0",
    "self.b.findAll('[a-f]+,').size() > 0",
  ]),
  'long lists in formats and sums': {
    schema: ruled({ a: list({ type: 'integer' }, 90_000) }, [
      "'%s'.format([self.a]).size() > 0 && '%s'.format([[self.a, self.a]]).size() > 0",
      '(self.a + self.a + self.a + self.a)[300000] == 1 && self.a + self.a == self.a + self.a',
    ]),
    spec: () => `{"a":[${repeated('1,', 160_000)}1]}`,
  },
  'lists that double': {
    schema: ruled({ a: list({ type: 'integer' }, 90_000) }, [
      `[self.a]${'.map(x, x + x)'.repeat(30)}.map(x, x.size()).size() > 0`,
      `[self.a]${'.map(x, x + x)'.repeat(30)}.map(x, x == x).size() > 0`,
    ]),
    spec: () => `{"a":[${repeated('1,', 160_000)}1]}`,
  },
  'sets that are added and compared in a loop': {
    schema: ruled(
      {
        n: list({ type: 'integer' }, 300),
        a: { ...list({ type: 'string', maxLength: 20 }, 20_000), 'x-kubernetes-list-type': 'set' },
        c: { ...list({ type: 'string', maxLength: 20 }, 20_000), 'x-kubernetes-list-type': 'set' },
      },
      ['self.n.all(x, (self.a + self.c).size() > x)', 'self.n.all(x, self.a == self.a || self.c == self.a)'],
    ),
    spec: () =>
      `{"n":[${times(300, () => 1).join(',')}],"a":[${times(20_000, (i) => `"a${i}"`).join(',')}],"c":[${times(20_000, (i) => `"c${i}"`).join(',')}]}`,
  },
  'bytes that are read in a loop': {
    schema: ruled({ a: integers, b: { type: 'string', format: 'byte', maxLength: 1_000_000 } }, [
      "self.a.all(x, self.b != b'' && self.b.size() > x)",
    ]),
    spec: () => `{"a":[${times(1_000, () => 1).join(',')}],"b":"${'QUJD'.repeat(200_000)}"}`,
  },
  'the size of a large map in a loop': {
    schema: ruled(
      {
        a: list({ type: 'integer' }, 300),
        m: { type: 'object', maxProperties: 90_000, additionalProperties: { type: 'integer' } },
      },
      ['self.a.all(x, self.m.size() > x && self.m.exists(k, true) && self.m == self.m)'],
    ),
    spec: () => `{"a":[${times(300, () => 1).join(',')}],"m":{${times(90_000, (i) => `"k${i}":1`).join(',')}}}`,
  },
  'a long text that is compared with short ones in a loop': {
    schema: ruled({ a: integers, b: { type: 'string', maxLength: 2_000_000 } }, [
      "self.a.all(x, self.b != 'a' && self.b > 'a' && 'b' in ['a', self.b] == false)",
      "self.a.all(x, self.b.contains('') && self.b.matches('') && self.b.find('') == '')",
    ]),
    spec: () => `{"a":[${times(1_000, () => 1).join(',')}],"b":"${repeated('a\u{1f601}\u00e9', 1_500_000)}"}`,
  },
  'parts of long URLs in a loop': {
    schema: ruled(
      {
        a: list({ type: 'integer' }, 300),
        b: { type: 'string', maxLength: 64_000 },
        c: { type: 'string', maxLength: 64_000 },
      },
      [
        '[url(self.b)].all(u, self.a.all(x, u.getQuery().size() > x))',
        "[url(self.c)].all(u, self.a.all(x, u.getEscapedPath() != ''))",
        'self.a.map(x, url(self.b)).map(u, u.getQuery()).size() > 0',
      ],
    ),
    spec: () =>
      `{"a":[${times(300, () => 0).join(',')}],"b":"http://a/?${times(15_000, (i) => `${i % 100}=&`).join('')}","c":"http://a/${repeated('%41', 60_000)}"}`,
  },
  'time zones in a loop': {
    schema: ruled(
      { a: list({ type: 'integer' }, 200), z: texts(500, 40), b: { type: 'string', maxLength: 1_000_000 } },
      [
        "self.a.all(x, self.z.all(z, timestamp('2024-01-01T00:00:00Z').getHours(z) >= 0))",
        "self.a.all(x, timestamp('2024-01-01T00:00:00Z').getHours(self.b) >= 0 || true)",
      ],
    ),
    spec: () =>
      `{"a":[${times(200, () => 1).join(',')}],"z":${JSON.stringify(Intl.supportedValuesOf('timeZone'))},"b":"${repeated('Europe/', 900_000)}"}`,
  },
  '4,000 cheap terms': {
    schema: ruled({ b: { type: 'string', maxLength: 140 } }, [
      times(4_000, (i) => `self.b.contains('${i}z')`).join('||') + '||true',
    ]),
    spec: () => `{"b":"${'a'.repeat(140)}"}`,
  },
  'a value that is compared with itself in itself': {
    schema: ruled({ a: integers }, [
      `[self.a]${'.map(x, [x, x])'.repeat(40)} == [self.a]${'.map(x, [x, x])'.repeat(40)}`,
    ]),
    spec: () => numbers(10),
  },
  'a value that is formatted within itself': {
    schema: ruled({ a: integers }, [`'%s'.format([self.a]${'.map(x, [x, x])'.repeat(40)}).size() > 0`]),
    spec: () => numbers(10),
  },
  'integers beyond a double': {
    schema: ruled({ a: list({ type: 'integer', minimum: 9_007_199_254_740_000, multipleOf: 3 }, 90_000) }, [
      'self.a.isSorted() && self.a.all(x, x > 9007199254740991) && self.a.max() > 0',
      'self.a.map(x, string(x)).size() > 0 && self.a.indexOf(9007199254740992) == -1',
      "'%s'.format([self.a]).size() > 0 && self.a == self.a",
    ]),
    spec: () => `{"a":[${repeated('9007199254740993,', 85_000 * 17)}9007199254740993]}`,
  },
  'a rule of 100,000 characters': {
    schema: ruled({ a: integers }, [`'${'x'.repeat(99_900)}' != ''`]),
    spec: () => numbers(1),
  },
  '5,000 rules': {
    schema: ruled(
      { a: integers },
      times(5_000, (i) => `self.a.size() < ${i + 2_000}`),
    ),
    spec: () => numbers(1),
  },
  'words that are no CEL': { schema: ruled({ a: integers }, [`${repeated('a.', 90_000)}b`]), spec: () => numbers(1) },
  'characters that begin no token': { schema: ruled({ a: integers }, [repeated('@', 90_000)]), spec: () => numbers(1) },
  'texts without an end in a rule': {
    schema: ruled({ a: integers }, [repeated('"""\\q', 18_000)]),
    spec: () => numbers(1),
  },
  'a sum of 90 KB': { schema: ruled({ a: integers }, [`${repeated('1+', 45_000)}1 > 0`]), spec: () => numbers(1) },
  'errors at every term': {
    schema: ruled({ a: integers }, [times(5_000, () => 'self.nothing').join('+')]),
    spec: () => numbers(1),
  },
  'errors at every condition': {
    schema: ruled({ a: integers }, [times(7_000, () => 'self.nothing').join('||')]),
    spec: () => numbers(1),
  },
  'errors in every line': {
    schema: ruled({ a: integers }, [times(7_000, () => '"\u{1f601}".x').join('||\n')]),
    spec: () => numbers(1),
  },
};

/** Defines a kind, and writes its objects. A definition that is refused ends the row. */
export const cel: readonly Row[] = Object.entries(KINDS).flatMap(([name, { schema, spec }]): Row[] => {
  const text = once(spec);
  return [1, 6].map((count): Row => ({
    name: `${name}: ${count === 1 ? 'an object' : `${count} objects`}`,
    rights: 'define',
    sends: async (world, signal) => {
      const client = world.as('define').until(signal);
      const defined = await client.send(defining(definition(schema)));
      if (defined.status !== 201 || signal.aborted) return [defined];
      await served(client);
      return [defined, ...(await client.flood({ request: (index) => creating(`o${index}`, text), times: count }))];
    },
    statuses: [201, 400, 413, 422],
    keepsMb: 48,
  }));
});
