import { describe, expect, it } from 'vitest';
import {
  anyType,
  createCelEnvironment,
  declare,
  dynType,
  intType,
  method,
  stringType,
  type CelLibrary,
} from '../../../src/machinery/cel/index.js';
import { compileProblem, evaluate } from './support.js';

describe('functions on strings', () => {
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
    ['"%s".format([b"\\xef\\xbb\\xbfa"])', '\ufeffa'],
    ['"%.0f %.0f %.0f".format([0.5, 1.5, 2.5])', '0 2 2'],
    ['"%.6e".format([1052.032911275])', '1.052033\u202f×\u202f10⁰³'],
    ['"%.1e %e".format([-0.00025, 0.0])', '-2.5\u202f×\u202f10⁻⁰⁴ 0.000000\u202f×\u202f10⁰⁰'],
    ['"%e %f %f".format([double("-inf"), "Infinity", double("nan")])', '-∞ ∞ NaN'],
    ['"%s is %d".format(["x", 7])', 'x is 7'],
    ['"%s".format([{"b": "c", "a": 1}])', '{"a":1, "b":"c"}'],
    ['"%s".format([{2: [b"x"], 1: ["y\\n"]}])', '{1:["y\\n"], 2:[b"x"]}'],
    ['"%s".format([[1, "a", 2.5, true, null, string]])', '[1, "a", 2.500000, true, null, string]'],
    ['"%s".format([[double("nan"), double("inf"), double("-inf")]])', '["NaN", "+Inf", "-Inf"]'],
    [
      '"%s".format([[timestamp("2023-02-03T23:31:20Z"), duration("90s")]])',
      '[timestamp("2023-02-03T23:31:20Z"), duration("90s")]',
    ],
    ['"%s %s".format([1e6, 0.5])', '1e+06 0.5'],
    ['"%.1f %f %.0f".format([1234.5, -1234567.0, 999.0])', '1,234.5 -1,234,567.000000 999'],
    ['"%s".format(dyn(["a", "too many"]))', 'a'],
    ['"%.2f %.2f %.2f %.2f %.0f".format([0.125, 0.375, 2.665, 2.675, -2.5])', '0.12 0.38 2.67 2.67 -2'],
    ['"%.0e %.1e %.1e".format([2.5, 1.25, 9.95])', '2\u202f×\u202f10⁰⁰ 1.2\u202f×\u202f10⁰⁰ 9.9\u202f×\u202f10⁰⁰'],
    ['"%.1f %.1e".format([9.96, 9.96])', '10.0 1.0\u202f×\u202f10⁰¹'],
    ['"%.1f".format([1e21])', '1,000,000,000,000,000,000,000.0'],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression)).toEqual(value);
  });

  it.each([
    ['"tacocat".substring(40)', 'index out of range: 40'],
    ['"tacocat".substring(3, 2)', 'invalid substring range. start: 3, end: 2'],
    ['"tacocat".indexOf("a", 30)', 'index out of range: 30'],
    [
      '"%d".format([dyn("x")])',
      'error during formatting: decimal clause can only be used on integers, was given string',
    ],
    [
      '"%f".format([dyn("1.5")])',
      'error during formatting: fixed-point clause can only be used on doubles, was given string',
    ],
    ['"%d %d".format(dyn([1]))', 'index 1 out of range'],
    ['"%a".format(dyn([1]))', 'could not parse formatting clause: unrecognized formatting clause "a"'],
    ['"100%".format(dyn([1]))', 'unexpected end of string'],
  ])('%s fails', async (expression, message) => {
    await expect(evaluate(expression)).rejects.toThrow(message);
  });
});

describe('a literal format string is checked at compile time', () => {
  const TEXTS =
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
  it.each([
    [
      '"%d".format(["x"])',
      '1:14: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    [
      '"%f".format([1])',
      '1:14: error during formatting: fixed-point clause can only be used on doubles, was given int',
    ],
    [
      '"%e".format([[1]])',
      '1:14: error during formatting: scientific clause can only be used on doubles, was given list',
    ],
    [
      '"%b".format([1.5])',
      '1:14: error during formatting: only integers and bools can be formatted as binary, was given double',
    ],
    [
      '"%o".format([null])',
      '1:14: error during formatting: octal clause can only be used on integers, was given null_type',
    ],
    [
      '"%X".format([true])',
      '1:14: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given bool',
    ],
    ['"%s".format([["a", optional.of(1)]])', `1:31: error during formatting: ${TEXTS}, was given optional_type`],
    ['"%d %d".format([1])', '1:15: index 1 out of range'],
    ['"%a".format([1])', '1:12: could not parse formatting clause: unrecognized formatting clause "a"'],
    [
      '"%.".format([1.5])',
      '1:12: could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
    ],
    ['"100%".format([1])', '1:14: unexpected end of string'],
    ['"a".format([1, 2])', '1:11: too many arguments supplied to string.format (expected 0, got 2)'],
  ])('%s', async (expression, message) => {
    await expect(compileProblem(expression)).resolves.toContain(`ERROR: <input>:${message}`);
  });

  it('errors that depend on values are left to evaluation', async () => {
    await expect(evaluate('"%d %s".format([dyn(1), a])', { a: 'x' }, { variables: { a: anyType } })).resolves.toBe(
      '1 x',
    );
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

  it('an invalid pattern is reported', async () => {
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

  it('of the embedder adds functions, with types and costs', async () => {
    const environment = await createCelEnvironment({ variables: { d: dynType }, libraries: [shouting] });
    expect(environment.compile('"hey".shout(2)').evaluate({})).toEqual({ value: 'HEY!!', cost: 3 });
    expect(environment.compile('d.shout(1)').evaluate({ d: 'dyn' }).value).toBe('DYN!');
    expect(() => environment.compile('d.shout(1)').evaluate({ d: 1 })).toThrow('no such overload');
    expect(() => environment.compile('"hey".shout("2")')).toThrow(
      "found no matching overload for 'shout' applied to 'string.(string)'",
    );
  });

  it('that is not enabled is missing', async () => {
    expect(await compileProblem('"a".lowerAscii()', { libraries: [] })).toContain(
      "undeclared reference to 'lowerAscii'",
    );
    expect(await compileProblem('optional.none()', { libraries: [] })).toContain("undeclared reference to 'optional'");
  });
});
