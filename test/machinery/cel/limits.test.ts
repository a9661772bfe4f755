import { describe, expect, it } from 'vitest';
import {
  CelCostError,
  createCelEnvironment,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  anyType,
} from '../../../src/machinery/cel/index.js';
import { compileProblem, evaluate } from './support.js';

const operands =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const variables = {
  claims: mapType(stringType, anyType),
  l: listType(intType),
  input: dynType,
  input1: dynType,
  input2: dynType,
  s: stringType,
  s2: stringType,
  x: intType,
  b: dynType,
};

describe('the cost of an evaluation equals that of Kubernetes', () => {
  it.each<[string, Record<string, unknown>, number]>([
    ['"literal"', {}, 0],
    ['l', { l: [1, 2] }, 1],
    ["input['key']", { input: { key: 'v' } }, 2],
    ['input.key', { input: { key: 'v' } }, 2],
    ["input['ke' + 'y']", { input: { key: 'v' } }, 3],
    ['input[3 - 3]', { input: ['v'] }, 3],
    ['has(input.a)', { input: {} }, 1],
    ['has(input.a.b)', { input: { a: {} } }, 2],
    ['l.all(x, true)', { l: [] }, 2],
    ['l.all(x, true)', { l: [1, 2, 3] }, 11],
    ['(x > 2 ? input1 : input2).all(y, true)', { x: 1, input1: [{}], input2: [{}] }, 6],
    ['input.all(k, input[k].f > 3)', { input: { v: { f: 1 } } }, 9],
    ["[{'k1': 1}, {'k2': 2}].all(x, true)", {}, 7],
    ["[{'k1': x}, {'k2': 2}].all(x, true)", { x: 1 }, 48],
    ['[1, 2, 3]', {}, 0],
    ['[[1], []]', {}, 0],
    ['{"a": [1]}', {}, 0],
    ['[x]', { x: 1 }, 11],
    ['int("1") + 1', {}, 1],
    ['timestamp("2023-01-01T00:00:00Z") < timestamp("2024-01-01T00:00:00Z")', {}, 1],
    ['string(dyn(1)) == "1"', {}, 1],
    ['string(x) == "1"', { x: 1 }, 3],
    ['x in [1, 2, 3]', { x: 1 }, 1],
    ['x in []', { x: 1 }, 0],
    ['x in [1, x]', { x: 1 }, 14],
    ['[1] in [[1], [2]]', {}, 2],
    ['l.map(y, 5)', { l: [1] }, 4],
    ['l.map(y, y)', { l: [1] }, 15],
    ["s.matches('[0-9]')", { s: 'a'.repeat(500) }, 103],
    ['s.contains(s2)', { s: 'a'.repeat(500), s2: 'b'.repeat(500) }, 2502],
    ['s.startsWith(s2)', { s: 'idc', s2: 'b'.repeat(500) }, 3],
    ['"abcdefg".contains(s + s2)', { s: 'val1', s2: 'val2222222' }, 6],
    ["'12345678901234567890' == '123456789012345678901234567890'", {}, 2],
    ['2 in l', { l: [1, 2, 3] }, 4],
    ['b || b || b || b', { b: false }, 4],
    ['true ? 1 : 2', {}, 0],
    ['(1 > 2 || 2 > 1) == true', {}, 3],
    ['bytes(s)', { s: 'a'.repeat(500) }, 51],
    ['s.lowerAscii()', { s: 'a'.repeat(500) }, 51],
    ['s.size()', { s: 'a'.repeat(1000) }, 2],
    [
      'input.size()',
      { input: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key-${index}`, index])) },
      2,
    ],
    ['s.split(",")', { s: 'a'.repeat(500) }, 101],
    ['s.split("")', { s: '😁'.repeat(500) }, 101],
    ['s.replace("a", s)', { s: 'a'.repeat(500) }, 102],
    ['s.replace("", "b", 3)', { s: 'a'.repeat(55) }, 12],
    ['s.substring(3)', { s: '😁'.repeat(500) }, 51],
    ['s.trim()', { s: ' '.repeat(505) }, 52],
    ['strings.quote(s)', { s: '"'.repeat(500) }, 51],
    ['s.charAt(499)', { s: 'a'.repeat(500) }, 2],
    // Kubernetes counts the bytes that `indexOf` walks through, and rounds down.
    ['s.indexOf("b")', { s: 'a'.repeat(505) }, 51],
    ['s.indexOf("b", 3)', { s: 'a'.repeat(9) }, 1],
    ['s.lastIndexOf("b")', { s: 'é'.repeat(500) }, 101],
    ['s.size()', { s: 'a'.repeat(1_000_000) }, 2],
    ['s + s2 == s', { s: 'a'.repeat(101), s2: 'b' }, 25],
    ['s.format([s2, s2, s2, s2, s2])', { s: '%s'.repeat(5), s2: 'b'.repeat(500) }, 17],
    ['"%s".format([l])', { l: Array.from({ length: 500 }, () => 1) }, 12],
    ['input1.join(s)', { input1: ['a'.repeat(50), 'b'.repeat(50)], s: '-'.repeat(10) }, 24],
    // A join that fails has a result without a size.
    ['input1.join(s) == "" || true', { input1: ['a'.repeat(50), 1], s: '-' }, 4],
    ['l + l + l', { l: Array.from({ length: 500 }, () => 1) }, 5],
    ['(l + l).all(x, true)', { l: [1, 2, 3] }, 22],
    ['l == l', { l: Array.from({ length: 505 }, () => 1) }, 53],
    ['input1 == input2', { input1: { a: [1, 2, 3] }, input2: { a: [1, 2, 3] } }, 3],
    ['l.sum()', { l: Array.from({ length: 500 }, () => 1) }, 501],
    ['input.isSorted()', { input: ['a'.repeat(19), 'é'.repeat(10), 'z'] }, 4],
    ['input.indexOf(s)', { input: ['a'.repeat(19), 1, { a: 'b'.repeat(30) }], s: '' }, 7],
    ['sets.contains(l, l)', { l: [1, 2, 3] }, 12],
    ['s.find("[0-9]")', { s: 'a'.repeat(500) }, 103],
    ['s.findAll("[0-9]", 2)', { s: 'a'.repeat(500) }, 103],
    ['s.matches(s2)', { s: '😁'.repeat(9), s2: 'a'.repeat(9) }, 5],
    ['optional.of(s).or(optional.of(s2)).orValue(s)', { s: 'a', s2: 'b' }, 2],
    ['isURL(s)', { s: `http://${'a'.repeat(500)}` }, 2],
    ['url(s).getHost()', { s: `http://${'a'.repeat(94)}` }, 13],
    ['isQuantity(s)', { s: '1'.repeat(15) }, 3],
    ['ip.isCanonical(s)', { s: '2001:db8::68' }, 4],
    ['cidr(s).containsIP(s2)', { s: '192.168.0.0/16', s2: '192.168.0.1' }, 7],
    ['bytes(s) == bytes(s2)', { s: 'é'.repeat(100), s2: 'a'.repeat(100) }, 32],
    ['string(bytes(s))', { s: 'é'.repeat(100) }, 31],
  ])('%s', async (expression, values, cost) => {
    const environment = await createCelEnvironment({ variables });
    expect(environment.compile(expression).evaluate(values).cost).toBe(cost);
  });

  it('an evaluation at its limit succeeds, one beyond it fails', async () => {
    const environment = await createCelEnvironment({ variables });
    const program = environment.compile('"abcdefg".contains(s + s2)');
    const values = { s: 'val1', s2: 'val2222222' };
    expect(program.evaluate(values, { costLimit: 6 }).value).toBe(false);
    expect(() => program.evaluate(values, { costLimit: 5 })).toThrow(new CelCostError());
  });
});

describe('every costly expression reaches the limit', () => {
  const big = Array.from({ length: 100_000 }, (_, index) => index);
  const map = Object.fromEntries(big.map((index) => [`key-${index}`, index]));
  const text = 'a'.repeat(300_000);
  const repeated = (text: string, times: number): string => text.repeat(times);
  it.each([
    ['a nested loop', 'claims.big.all(x, claims.big.all(y, x + y >= 0))'],
    ['a loop whose steps all fail', 'claims.big.all(x, claims.big.exists(y, claims.none == y))'],
    ['an or with a true side', 'claims.big.all(x, claims.big.all(y, true)) || true'],
    ['lists of lists', 'claims.big.map(x, claims.big.map(y, y))'],
    ['a string that doubles', `["aaaaaaaaaa"]${repeated('.map(x, x + x)', 60)}`],
    ['a dynamic string that doubles', `[dyn("aaaaaaaaaa")]${repeated('.map(x, x + x)', 60)}`],
    ['lists that double', `[[0]]${repeated('.map(x, x + x)', 60)}`],
    [
      'nested values that are compared',
      `[[0, 0]]${repeated('.map(x, [x, x])', 60)} == [[0, 0]]${repeated('.map(x, [x, x])', 60)}`,
    ],
    ['nested values that are formatted', `"%s".format([[[0, 0]]${repeated('.map(x, [x, x])', 60)}])`],
    ['replacing short strings by long ones', `"a"${repeated(`.replace("a", "${'a'.repeat(1000)}")`, 4)}`],
    ['the size of a long string, repeatedly', 'claims.big.all(x, claims.text.size() > 0)'],
    ['the size of a large map, repeatedly', 'claims.big.all(x, claims.map.size() > 0)'],
    ['the first key of a large map, repeatedly', 'claims.big.all(x, claims.map.exists(k, true))'],
    ['sorting by long strings', 'claims.big.map(x, claims.text).isSorted()'],
    [
      'searching for a long string in a list',
      'claims.big.map(x, claims.text).filter(t, (claims.text + "b") in [claims.text + "c"]).size() > 0',
    ],
    ['joining much', `claims.big.map(x, "${'a'.repeat(1000)}").join(",")`],
    ['replacing each character by a long string', 'claims.text.substring(0, 9000).replace("a", claims.text)'],
    ['formatting a long list in a loop', 'claims.big.all(x, "%s".format([claims.big]) != "")'],
    ['comparing long lists in a loop', 'claims.big.map(y, y % 2).all(x, [claims.big] != [claims.big] || x >= 0)'],
    [
      'searching in long strings at no cost',
      'claims.big.all(x, "%s%s".format([claims.text, "b"]).charAt(299000) == "a")',
    ],
    ['adding long lists', `[claims.big]${repeated('.map(x, x + x)', 40)}.map(x, x[0])`],
    ['patterns from data', 'claims.big.all(x, !"b".matches("(a{50}){20}" + string(x)))'],
  ])('%s', async (_name, expression) => {
    const environment = await createCelEnvironment({ variables });
    const program = environment.compile(expression);
    expect(() => program.evaluate({ claims: { big, map, text } }, { costLimit: 200_000 })).toThrow(new CelCostError());
  });

  it('searching for a long string takes linear time', async () => {
    const values = { s: 'a'.repeat(200_000), s2: `${'a'.repeat(100_000)}b` };
    const expressions = [
      's.indexOf(s2) == -1',
      's.lastIndexOf("b" + s2) == -1',
      's.replace(s2, "") == s',
      's.split(s2).size() == 1',
      's.lastIndexOf(s2.substring(0, 100000)) == 100000',
    ];
    for (const expression of expressions)
      expect(await evaluate(expression, values, { variables }), expression).toBe(true);
  });

  it('a pattern that takes a backtracking engine forever takes no longer than others', async () => {
    expect(await evaluate('s.matches("^(a+)+$")', { s: `${'a'.repeat(50_000)}b` }, { variables })).toBe(false);
  });

  it('trimming a string with much inner space takes no longer than others', async () => {
    expect(await evaluate('s.trim().size()', { s: `a${' '.repeat(300_000)}b` }, { variables })).toBe(300_002n);
  });

  it('values nested deeper than the stack are an error, not a crash', async () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
    await expect(evaluate('input1 == input2', { input1: deep, input2: copyOf(deep) }, { variables })).rejects.toThrow(
      /call stack|cost limit/,
    );
  });
});

/** Another value of the same shape; structuredClone would overflow. */
function copyOf(deep: unknown): unknown {
  let copy: unknown = [];
  for (let rest = deep; Array.isArray(rest) && rest.length > 0; rest = rest[0]) copy = [copy];
  return copy;
}

describe('expressions have a maximum size', () => {
  it('a longer one does not compile', async () => {
    expect(await compileProblem(`"${'x'.repeat(99_999)}"`)).toBe(
      'ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000',
    );
    expect(await compileProblem(`"${'😁'.repeat(60_000)}"`)).toBe('it compiles');
    expect(await compileProblem('1 + 1', { limits: { maxLength: 4 } })).toContain('size: 5, limit 4');
    expect(await compileProblem(' '.repeat(200_000), { limits: { maxLength: undefined } })).toContain('size: 200000');
  });

  it.each([
    ['parentheses', `${'('.repeat(300)}1${')'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
    ['lists', `${'['.repeat(300)}${']'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
    ['sums', `1${' + 1'.repeat(300)}`, 'max recursion depth exceeded'],
    ['comparisons', `1${' < 1'.repeat(300)}`, 'max recursion depth exceeded'],
    ['a very long sum', `1${'+1'.repeat(49_000)}`, 'max recursion depth exceeded'],
    ['a very long comparison', `1${'<1'.repeat(49_000)}`, 'max recursion depth exceeded'],
    ['negations', '!'.repeat(99_000), 'max recursion depth exceeded'],
  ])('deep %s do not compile', async (_name, expression, message) => {
    expect(await compileProblem(expression)).toContain(`ERROR: <input>:-1:0: ${message}`);
  });

  it('a long chain of conditions is not deep', async () => {
    expect(await evaluate(`false${' || false'.repeat(5000)} || true`)).toBe(true);
  });

  it('a chain of 250 comparisons or terms is not too deep', async () => {
    expect(await evaluate(`true${' == true'.repeat(250)}`)).toBe(true);
    expect(await evaluate(`1${' + 1'.repeat(250)}`)).toBe(251n);
    expect(
      await evaluate(
        `a == 0${Array.from({ length: 250 }, (_, index) => ` || a == ${index + 1}`).join('')}`,
        { a: 250 },
        { variables: { a: intType } },
      ),
    ).toBe(true);
  });

  it('a long list is not deep', async () => {
    expect(await evaluate(`[${'1, '.repeat(20_000)}].size()`)).toBe(20_000n);
  });
});

describe('the errors of an expression have a limit', () => {
  it('shows the first hundred', async () => {
    const problem = await compileProblem(Array.from({ length: 130 }, (_, index) => `x${index}`).join('||'));
    const lines = problem.split('\n');
    expect(lines.filter((line) => line.startsWith('ERROR'))).toHaveLength(100);
    expect(lines.at(-1)).toBe('30 more errors were truncated');
    expect(await compileProblem(Array.from({ length: 100 }, () => 'x').join('||'))).not.toContain('truncated');
  });

  it('shows no line of more than 16,384 bytes', async () => {
    const lastError = async (literal: string): Promise<string[]> =>
      (await compileProblem(`a ||\n ${literal} == b`)).split('\n').slice(3);
    const shown = await lastError(`"${'x'.repeat(16_376)}"`);
    expect([shown[0], shown.length, shown[1]?.length]).toEqual([
      "ERROR: <input>:2:16384: undeclared reference to 'b' (in container '')",
      3,
      16_387,
    ]);
    expect(await lastError(`"${'x'.repeat(16_377)}"`)).toEqual([
      "ERROR: <input>:2:16385: undeclared reference to 'b' (in container '')",
    ]);
    expect(await lastError(`"${'ü'.repeat(8190)}"`)).toEqual([
      "ERROR: <input>:2:8198: undeclared reference to 'b' (in container '')",
    ]);
  });

  it('shows wide characters before and at an error', async () => {
    const end = `ERROR: <input>:2:6: Syntax error: mismatched input '<EOF>' expecting ${operands}\n |  || 😁\n | ....．^`;
    expect(await compileProblem('"ü\t😁" + x\n || 😁')).toBe(
      `ERROR: <input>:2:5: Syntax error: token recognition error at: '😁'\n |  || 😁\n | ....＾\n${end}`,
    );
    expect(await compileProblem('"ü\t😁" + x')).toMatch(/1:9: .*\n \| "ü 😁" \+ x\n \| \.．\.．\.\.\.\.\^/);
  });
});

describe('what an expression expands to has a limit', () => {
  const chain = (start: string, link: (index: number) => string, length: number): string =>
    start + Array.from({ length }, (_, index) => link(index)).join('');

  it('for macros that repeat their target', async () => {
    const optionals = (length: number): string =>
      `${chain('optional.of(1)', (index) => `.optMap(v${index}, v${index})`, length)}.hasValue()`;
    expect(await compileProblem(optionals(60), {})).toContain('expression expands to more than 200000 parts');
    const environment = await createCelEnvironment({ variables: {} });
    expect(environment.compile(optionals(5)).type.kind).toBe('bool');
  });

  it('for types of maps that repeat the types of their values', async () => {
    const maps = (length: number): string =>
      `${chain('[{1: 1}]', (index) => `.map(v${index}, {v${index}: v${index}})`, length)}.size() > 0`;
    expect(await compileProblem(maps(60), {})).toContain('type of the map has more than 1000 parts');
    const environment = await createCelEnvironment({ variables: {} });
    expect(environment.compile(maps(5)).type.kind).toBe('bool');
  });
});
