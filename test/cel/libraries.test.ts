import { describe, expect, it } from 'vitest';
import {
  createCelEnvironment,
  declare,
  dynType,
  intType,
  method,
  stringType,
  type CelLibrary,
} from '../../src/cel/index.js';
import { compileProblem, evaluate } from './support.js';

describe('functions on text', () => {
  it.each([
    ['"tacocat".charAt(3)', 'o'],
    ['"tacocat".charAt(7)', ''],
    ['"©αT".charAt(1)', 'α'],
    ['"tacocat".indexOf("c", 3)', 4n],
    ['"ta©o©αT".indexOf("©", 3)', 4n],
    ['"tacocat".indexOf("")', 0n],
    ['"tacocat".indexOf("x")', -1n],
    ['"tacocat".lastIndexOf("c")', 4n],
    ['"tacocat".lastIndexOf("at", 6)', 5n],
    ['"tacocat".lastIndexOf("")', 7n],
    ['"TacoCÆt".lowerAscii()', 'tacocÆt'],
    ['"tacoCæt".upperAscii()', 'TACOCæT'],
    ['"12 days 12 hours".replace("{0}", "2")', '12 days 12 hours'],
    ['"{0} days {0} hours".replace("{0}", "2", 1)', '2 days {0} hours'],
    ['"hello".replace("l", "L", -1)', 'heLLo'],
    ['"hello".replace("", "_")', '_h_e_l_l_o_'],
    ['"hello".replace("", "_", 2)', '_h_ello'],
    ['"hello".replace("l", "L", 0)', 'hello'],
    ['"hello world".split(" ")', ['hello', 'world']],
    ['"hello world events!".split(" ", 2)', ['hello', 'world events!']],
    ['"hello".split(" ", 0)', []],
    ['"o©o".split("")', ['o', '©', 'o']],
    ['"tacocat".substring(4)', 'cat'],
    ['"ta©o©αT".substring(2, 6)', '©o©α'],
    ['" \\f\\n\\r\\t\\vtext \\u0085\\u00a0\\u2000 ".trim()', 'text'],
    ['"\\u200b\\ufefftext".trim()', '\u200b\ufefftext'],
    ['["x", "y"].join()', 'xy'],
    ['["x", "y"].join("-")', 'x-y'],
    ['[].join("-")', ''],
    ['strings.quote("a\\n\\"b\\"")', '"a\\n\\"b\\""'],
    [
      '"%s is %d, %.2f, %e, %b, %x, %X, %o%%".format([dyn("x"), 7, 1.005, 1234.5, 5, "hi", 255, 8])',
      'x is 7, 1.00, 1.234500\u202f×\u202f10⁰³, 101, 6869, FF, 10%',
    ],
    ['"%.0f %.0f %.0f".format([0.5, 1.5, 2.5])', '0 2 2'],
    ['"%.6e".format([1052.032911275])', '1.052033\u202f×\u202f10⁰³'],
    ['"%.1e %e".format([-0.00025, 0.0])', '-2.5\u202f×\u202f10⁻⁰⁴ 0.000000\u202f×\u202f10⁰⁰'],
    ['"%e %f %f".format([double("-inf"), "Infinity", double("nan")])', '-∞ ∞ NaN'],
    ['"%s is %d".format(["x", 7])', 'x is 7'],
    ['"%s".format([{"a": 1, "b": "c"}])', '{a: 1, b: c}'],
    ['"%s".format([[1, 2]])', '[1, 2]'],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression)).toEqual(value);
  });

  it.each([
    ['"tacocat".substring(40)', 'index out of range: 40'],
    ['"tacocat".substring(3, 2)', 'invalid substring range. start: 3, end: 2'],
    ['"tacocat".indexOf("a", 30)', 'index out of range: 30'],
    ['"%d".format(["x"])', 'error during formatting: %d clause cannot be used on string'],
    ['"%d %d".format([1])', 'error during formatting: index 1 out of range'],
    ['"%a".format([1])', 'unrecognized formatting clause "a"'],
  ])('%s fails', async (expression, message) => {
    await expect(evaluate(expression)).rejects.toThrow(message);
  });
});

describe('functions on patterns', () => {
  it.each([
    ['"abc 123".find("[0-9]+")', '123'],
    ['"abc".find("[0-9]+")', ''],
    ['"123 abc 456".findAll("[0-9]+")', ['123', '456']],
    ['"123 abc 456".findAll("[0-9]+", 1)', ['123']],
    ['"123 abc 456".findAll("[0-9]*")', ['123', '', '', '', '', '456']],
    ['"abc".findAll("x")', []],
    ['"abc".matches("b")', true],
    ['matches("abc", "^b")', false],
    ['"é".matches("^.$")', true],
    ['"a\\nb".matches("a.b")', false],
    ['"ABC".matches("(?i)abc")', true],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression)).toEqual(value);
  });

  it('a pattern that is none says so', async () => {
    await expect(evaluate('"x".find("[" + "a")')).rejects.toThrow(
      'Illegal regex: error parsing regexp: missing closing ]: `[a`',
    );
    await expect(evaluate('"x".matches("(?=" + "a)")')).rejects.toThrow(
      'error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    );
  });
});

describe('functions on lists', () => {
  it.each([
    ['[1, 2, 2].isSorted()', true],
    ['["b", "a"].isSorted()', false],
    ['[].isSorted()', true],
    ['[1, 3].sum()', 4n],
    ['[1.0, 0.5].sum()', 1.5],
    ['[duration("1m"), duration("1s")].sum()', '61s'],
    ['dyn([1u, 2u]).sum()', '3u'],
    ['[3, 1, 2].min()', 1n],
    ['["a", "c", "b"].max()', 'c'],
    ['["a", "b", "b"].indexOf("b")', 1n],
    ['["a", "b", "b"].lastIndexOf("b")', 2n],
    ['[1].indexOf(2)', -1n],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression)).toEqual(value);
  });
});

describe('a library', () => {
  const shouting: CelLibrary = {
    name: 'shouting',
    functions: [
      declare(
        'shout',
        method(
          'string_shout_int',
          [stringType, intType],
          stringType,
          ([text, times]) => text.toUpperCase() + '!'.repeat(Number(times)),
          ([text]) => text.length,
        ),
      ),
    ],
  };

  it('of a user adds functions, with types and costs', async () => {
    const environment = await createCelEnvironment({ variables: { d: dynType }, libraries: [shouting] });
    expect(environment.compile('"hey".shout(2)').evaluate({})).toEqual({ value: 'HEY!!', cost: 3 });
    expect(environment.compile('d.shout(1)').evaluate({ d: 'dyn' }).value).toBe('DYN!');
    expect(() => environment.compile('d.shout(1)').evaluate({ d: 1 })).toThrow('no such overload');
    expect(() => environment.compile('"hey".shout("2")')).toThrow(
      "found no matching overload for 'shout' applied to 'string.(string)'",
    );
  });

  it('that is left out is not there', async () => {
    expect(await compileProblem('"a".lowerAscii()', { libraries: [] })).toContain(
      "undeclared reference to 'lowerAscii'",
    );
    expect(await compileProblem('optional.none()', { libraries: [] })).toContain("undeclared reference to 'optional'");
  });
});
