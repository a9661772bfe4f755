/** Evaluations in slices have the result and the cost of those in one piece. */
import { describe, expect, it } from 'vitest';
import {
  CelCostError,
  CelFailure,
  createCelEnvironment,
  dynType,
  fromJson,
  listType,
  mapType,
  intType,
  stringType,
  type CelAttempt,
  type CelProgram,
  type CelValue,
} from '../../../src/machinery/cel/index.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';

const variables = {
  l: listType(intType),
  long: listType(intType),
  words: listType(stringType),
  texts: listType(stringType),
  m: mapType(stringType, intType),
  s: stringType,
  d: dynType,
  o: mapType(stringType, dynType),
  lists: listType(listType(intType)),
  maps: mapType(stringType, mapType(stringType, intType)),
};

const given: Readonly<Record<string, CelValue>> = {
  long: fromJson(Array.from({ length: 100_000 }, (_, index) => index)),
  words: fromJson(Array.from({ length: 100_000 }, (_, index) => (index === 99_999 ? 'z' : ''))),
  l: fromJson([...Array.from({ length: 120 }, (_, index) => index)]),
  texts: fromJson(Array.from({ length: 60 }, (_, index) => `text-${index}`)),
  m: fromJson(Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`k${index}`, index]))),
  s: 'abc '.repeat(500),
  d: fromJson([1, 'a', null, { b: [1, 2] }]),
  o: fromJson({}),
  lists: fromJson(Array.from({ length: 200 }, () => Array.from({ length: 200 }, (_, index) => index))),
  maps: fromJson(
    Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `k${index}`,
        Object.fromEntries(Array.from({ length: 200 }, (_each, member) => [`m${member}`, member])),
      ]),
    ),
  ),
};
/** Work whose slice is used up at each look, or never. */
const counting = (isUsedUp: boolean): { readonly work: Work; readonly units: () => number } => {
  let units = 0;
  return { work: { ...UNBOUNDED_WORK, spend: (spent) => ((units += spent), isUsedUp) }, units: () => units };
};

interface Sliced {
  readonly outcome: CelAttempt | string;
  readonly slices: number;
  readonly units: number;
}

function inSlices(program: CelProgram, values: typeof given, costLimit: number, isUsedUp = true): Sliced {
  const { work, units } = counting(isUsedUp);
  const steps = program.attemptInSlices((name) => values[name], work, { costLimit });
  let slices = 1;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return { outcome: step.value, slices, units: units() };
      slices += 1;
    }
  } catch (error) {
    if (!(error instanceof CelCostError)) throw error;
    return { outcome: error.message, slices, units: units() };
  }
}

function atOnce(program: CelProgram, values: typeof given, costLimit: number): CelAttempt | string {
  try {
    return program.attemptBy((name) => values[name], { costLimit });
  } catch (error) {
    if (!(error instanceof CelCostError)) throw error;
    return error.message;
  }
}

const shown = (outcome: CelAttempt | string): unknown =>
  typeof outcome === 'string'
    ? outcome
    : {
        cost: outcome.cost,
        result: outcome.result instanceof CelFailure ? outcome.result.message : JSON.stringify(outcome.result, bigints),
      };

const bigints = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'object' && value !== null && Symbol.iterator in value && !Array.isArray(value)
    ? [...(value as Iterable<unknown>)]
    : value;
};

const expressions = [
  'dyn(l).all(x, dyn(l).exists(y, y == x))',
  'dyn(l).map(x, dyn(l).filter(y, dyn(y) < dyn(x)).size()).size() == 120',
  'l.map(x, [x, l.map(y, y).size()]).size()',
  'dyn(l).filter(x, dyn(l).exists_one(y, y == x)).map(x, x) == dyn(l)',
  'texts.all(a, texts.exists(b, a == b)) && texts.map(a, a + "!").all(a, a.endsWith("!"))',
  'texts.map(a, texts.map(b, texts.filter(c, c < b).size()).size()).size() == 60',
  'm.all(k, m[k] >= 0) || m.exists(k, m.exists(j, j == k))',
  'm.map(k, m.filter(j, j < k).size()).size() > 0 ? m.all(k, m.all(j, true)) : false',
  '(texts.map(t, texts.all(u, u != "")) + texts.map(t, false)).exists(b, !b)',
  'texts.exists(a, 1 / (a.size() - 6) > 100 && texts.all(b, b == a))',
  'texts.all(a, texts.all(b, [a, b][2] == a))',
  '{"a": texts.map(t, t + "x"), "b": texts.filter(t, t.matches("[0-9]+1$"))}.size() == 2',
  's.matches("(a|b|c| ){100}x$") || texts.all(t, s.matches(t))',
  's.matches("(a?){200}(a|b|c| )*$")',
  's.findAll("[ab]+").size() + s.findAll("").size()',
  's.findAll("b*", 7).size() == s.find("c a").size() + 4',
  'texts.map(t, t.find("[0-9]+$") + s.find(t + "|abc")).size()',
  'optional.of(texts).optMap(x, x.all(a, x.exists(b, a == b))).orValue(false)',
  'o.?missing.optMap(x, texts.all(a, true)).hasValue() || texts.all(t, texts.all(u, t != u || t == u))',
  'o.?missing.orValue(texts.map(t, texts.map(u, u + t).size()).size()) == 60',
  'texts.map(t, {t: texts.map(u, u)}).size() == 60',
  'd.all(x, d.exists(y, y == x)) && texts.all(t, texts.all(u, true))',
  'dyn(l).sum() == 3 && texts.all(t, true)',
  'texts.all(t, texts.isSorted() == texts.isSorted())',
  '[texts.isSorted(), texts.min() == "text-0", texts.max() == texts[9], l.sum() == 7140].all(x, x)',
  'd.isSorted() || d.min() == 1',
  'l.indexOf(119) + l.lastIndexOf(0) + texts.indexOf("none") == 118 && texts.join(",").size() == texts.join().size() + 59',
  'd.join("-")',
  'missing.all(t, true)',
  'lists == lists && !(lists != lists) && lists[0] in lists && !([1] in lists) && lists.indexOf([2]) == -1',
  'maps == maps && optional.of(maps) == optional.of(maps) && sets.equivalent(l, l) && !sets.intersects(lists, [l])',
  's.split("").map(c, c.upperAscii()).join("-").replace("A", s).lowerAscii().split(" ").size()',
  's.indexOf("cb", 3) + s.lastIndexOf("cb", 1999) + s.substring(7).size() + s.replace("", "--", 900).trim().size()',
  '"%s %x %d".format([[maps, lists, s], s, l.size()]).size() + strings.quote(s + "\\n").size()',
  '(l + l + texts.map(t, t.size())).all(x, (l + l).exists(y, y == x || x > 5))',
  `texts.all(t, t != "")${' && s.contains("abc")'.repeat(300)}`,
];

describe.each(expressions)('%s', async (expression) => {
  const environment = await createCelEnvironment({ variables: { ...variables, missing: dynType } });
  const program = environment.compile(expression);

  it.each([10_000_000, 100_000, 20_000, 3000, 500, 40])('within a cost of %i', (costLimit) => {
    const plain = atOnce(program, given, costLimit);
    const { outcome, units, slices } = inSlices(program, given, costLimit);
    expect(shown(outcome)).toEqual(shown(plain));
    if (typeof plain === 'string') return;
    // All work is reported, and none twice.
    expect(units).toBeGreaterThanOrEqual(plain.cost - 1);
    expect(units).toBeCloseTo(inSlices(program, given, costLimit, false).units, 6);
    if (plain.cost > 20_000) expect(slices).toBeGreaterThan(plain.cost / 5000);
  });

  it('briefly, or not at all', () => {
    const brief = program.attemptBriefly((name) => given[name], { costLimit: 10_000_000 });
    const plain = atOnce(program, given, 10_000_000);
    if (brief === undefined) return;
    expect(shown(brief)).toEqual(shown(plain));
    expect(brief.cost).toBeLessThanOrEqual(100_000);
  });
});

describe('the pieces of an evaluation', () => {
  const piecesOf = async (expression: string): Promise<number[]> => {
    const environment = await createCelEnvironment({ variables });
    const program = environment.compile(expression);
    const pieces: number[] = [];
    let units = 0;
    const work: Work = { ...UNBOUNDED_WORK, spend: (spent) => ((units += spent), units > 10_000) };
    const steps = program.attemptInSlices((name) => given[name], work);
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      pieces.push(units);
      units = 0;
    }
    return pieces;
  };

  it.each([
    'texts.all(a, texts.all(b, texts.exists(c, c == b)))',
    's.matches("(a?){200}(a|b|c| )*$")',
    'lists == lists && lists == lists',
    'maps == maps && maps != maps || maps == maps',
    '[lists, lists.map(x, x)].all(x, x in [[], lists])',
    'optional.of(lists) == optional.of(lists) && sets.intersects([lists], [[[1]], lists])',
    'long.isSorted()',
    'long.min() + long.max() == 99999',
    'long.sum() == 4999950000',
    'long.indexOf(-1) == -1',
    'long.lastIndexOf(-1) == -1',
    'words.isSorted() && words.max() == "z"',
    'words.join("") == "z"',
    'words.join(",").size() == 100000',
  ])('are of bounded size: %s', async (expression) => {
    const pieces = await piecesOf(expression);
    expect(pieces.length).toBeGreaterThan(5);
    expect(Math.max(...pieces)).toBeLessThan(25_000);
  });
});

describe('patterns made from data', () => {
  it('count their compilation as work, and have a maximum size', async () => {
    const environment = await createCelEnvironment({ variables });
    const program = environment.compile('texts.exists(t, "x".matches(t + "(a{100}|b{100}|c)*"))');
    expect(program.attemptBriefly((name) => given[name])).toBeUndefined();
    const { units } = inSlices(program, given, 1_000_000);
    expect(units).toBeGreaterThan(2 * 200 * 100);
    const large = environment.compile('"x".matches(s.substring(0, 3) + "(a{100}){100}")');
    expect(shown(large.attemptBy((name) => given[name]))).toMatchObject({
      result: 'error parsing regexp: expression too large',
    });
  });
});
