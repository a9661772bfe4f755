/** Functions that walk through long texts and lists give way to others: no piece of an evaluation visits many of their parts. */
import { expect, it } from 'vitest';
import { unitsOfEach } from '../../support/units.js';
import {
  createCelEnvironment,
  fromJson,
  intType,
  listType,
  mapType,
  stringType,
  type CelValue,
} from '../../../src/machinery/cel/index.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';

const variables = {
  text: stringType,
  bits: stringType,
  part: stringType,
  long: listType(intType),
  m: mapType(stringType, intType),
};
const given: Readonly<Record<string, CelValue>> = {
  // Only ASCII: the size of other text is counted in one piece, a nanosecond a character.
  text: 'abcd"efg '.repeat(25_000),
  bits: 'a'.repeat(150_000),
  part: `${'a'.repeat(40_000)}b`,
  long: fromJson(Array.from({ length: 20_000 }, (_, index) => index)),
  m: fromJson(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]))),
};

/** Most blocks of code in a piece: a few milliseconds. */
const MOST = 100_000;

it.each([
  'text.size() + text.size() > 1',
  'text.charAt(150000) == text.charAt(150004)',
  'text.substring(100000, 190000).size() > 0',
  'text.indexOf("zz") + text.indexOf("zz", 3) + text.lastIndexOf("zz") + text.lastIndexOf("zz", 190000) == -4',
  'bits.indexOf(part) + bits.lastIndexOf("b" + part) == -2 && !bits.contains(part)',
  'text.upperAscii() == text.lowerAscii()',
  'strings.quote(text) == text',
  'text.replace("", "x") == text.replace("a", "xyz")',
  'text.replace("d", "")  == text.replace(" ", "", 20000)',
  'text.split("").size() == text.split("a").size()',
  'text.split("").join("-") == text',
  '" ".format([]) + text.trim() + (text.split("a")[1].trim()) == text',
  '"%s".format([[text]]) == "%X".format([bytes(text)])',
  '"%s".format([long]) == "%s".format([m])',
  'text.substring(0, 10000).findAll("[a-z]").size() == 1',
  '(long + long).exists(x, x == -1) || (long + long) == (long + long) || 5 in long + long',
  'long.indexOf(-1) + long.lastIndexOf(-1) + long.min() + long.max() + long.sum() == 0',
  'm.all(k, k in m) && m == m',
  `[long[0]]${'.map(x, [x, x])'.repeat(14)} == [long[0]]${'.map(x, [x, x])'.repeat(14)}`,
  `'%s'.format([long[0]]${'.map(x, [x, x])'.repeat(14)}) != ''`,
  `[dyn(long[0])]${'.map(x, dyn([x, x]))'.repeat(13)}.indexOf([1]) == -1`,
  `bits != ""${' && part.contains("b")'.repeat(20)}`,
])(
  '%s',
  async (expression) => {
    const environment = await createCelEnvironment({ variables });
    const program = environment.compile(expression);
    const work: Work = { ...UNBOUNDED_WORK, spend: () => true };
    const pieces = function* (): Generator<() => void> {
      const steps = program.attemptInSlices((name) => given[name], work, { costLimit: 100_000_000 });
      for (let isOver = false; !isOver;) yield () => (isOver = steps.next().done === true);
    };
    // Code that is optimized, and keys that are listed, are not counted.
    for (const piece of pieces()) piece();
    const units = await unitsOfEach(pieces());
    expect(units.length).toBeGreaterThan(2);
    expect(Math.max(...units), expression).toBeLessThan(MOST);
    // Counting takes long on a busy machine.
  },
  300_000,
);
