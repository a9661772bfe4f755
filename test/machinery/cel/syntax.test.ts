/** The grammar: what is an expression, and how it is read. */
import { expectProportional } from '../../support/units.js';
import { describe, expect, it } from 'vitest';
import { createParser } from '../../../src/machinery/cel/syntax/parse.js';
import { dynType, listType } from '../../../src/machinery/cel/index.js';
import { defaultExpressionLimits } from '../../../src/machinery/cel/cost/limits.js';
import { standardMacros } from '../../../src/machinery/cel/syntax/macros.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { compileProblem, evaluate } from './support.js';

const variables = { d: dynType, l: listType(dynType), prototype: dynType, in_: dynType };
const operands =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

describe('an expression is read', () => {
  it.each<[string, unknown]>([
    // Operators of one level are left-associative, wherever there are parentheses.
    ['1 - 2 - 3', -4n],
    ['8 / 2 * 3 % 5', 2n],
    ['1 + 2 * 3 - 4', 3n],
    ['2 == 2 in [true]', true],
    ['2 < 3 == true', true],
    ['1 < (2) == (2 < (1))', false],
    ['1 + 1 == 2 && 3 > 2 || false', true],
    ['false && false || true', true],
    ['true || false && false', true],
    ['true ? 1 : false ? 2 : 3', 1n],
    ['false ? 1 : false ? 2 : 3', 3n],
    ['(true ? false : true) ? 1 : 2', 2n],
    // Signs.
    ['!!true', true],
    ['--1', 1n],
    ['- 1', -1n],
    ['2--1', 3n],
    ['2- -1', 3n],
    ['-(2)', -2n],
    ['-[2][0]', -2n],
    ['-9223372036854775808', -(2n ** 63n)],
    // Literals.
    ['0x1F + 010', 41n],
    ['.5 + 1e1 + 1.5E-1', 10.65],
    ['0xFFu', '255u'],
    ['000000000000000000000000000000007', 7n],
    [String.raw`r'\' + R"\d"`, String.raw`\\d`],
    [`r"""a"\\"""`, 'a"\\'],
    [String.raw`'\a\b\f\n\r\t\v\\\?\"\'\`'`, '\x07\b\f\n\r\t\v\\?"\'`'],
    [String.raw`'\x41\101\u0041\U0001F601'`, 'AAA😁'],
    [String.raw`b'é\xff\377'`, Uint8Array.of(0xc3, 0xa9, 0xff, 0xff)],
    [String.raw`bR'\n' == b'\\n'`, true],
    [`'''a'b''c\n''' + """d"e"""`, `a'b''c\nd"e`],
    ['"""a\r\nb\rc"""', 'a\nb\nc'],
    ['"" + "" + \'\'', ''],
    ['""""""', ''],
    // White space and comments.
    ['1\f+\t1 // one\n\r+ 1', 3n],
    ['[1, // )\n 2].size()', 2n],
    ["'// no comment'.size()", 13n],
    // Lists, maps, names.
    ['[,] + [1, 2,]', [1n, 2n]],
    ['{,}.size()', 0n],
    ['{"a": 1,}.a', 1n],
    ['[?optional.none(), 2, ?optional.of(3)]', [2n, 3n]],
    ['{"a": 1}[?"b"].orValue(2)', 2n],
    ['{"a": 1} . ? a . orValue ( 2 )', 1n],
    ['{"if": 1}.if', 1n],
    ['.prototype + in_', 3n],
    ['[[1, 2]] [0] [1]', 2n],
    ['[1].map(x, [2].map(y, x + y))', [[3n]]],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression, { prototype: 1n, in_: 2n }, { variables })).toEqual(value);
  });
});

describe('what is no expression is reported in the words of Kubernetes', () => {
  const at = (column: number, message: string): string => `ERROR: <input>:1:${column}: ${message}`;
  const unknown = (text: string): string => `Syntax error: token recognition error at: '${text}'`;
  const noAlternative = (text: string): string => `Syntax error: no viable alternative at input '${text}'`;
  it.each([
    // A sign is of one kind; a minus behind a negation is that of a number.
    ['-!d', [at(2, noAlternative('-!'))]],
    ['!-d', [at(3, noAlternative('-d'))]],
    ['--9223372036854775808', [at(3, 'invalid int literal')]],
    ['-99999999999999999999999', [at(1, 'invalid int literal')]],
    // The middle of a condition is not a condition.
    ['d ? d ? 1 : 2 : 3', [at(7, "Syntax error: mismatched input '?' expecting ':'")]],
    ['d ? 1', [at(6, "Syntax error: mismatched input '<EOF>' expecting ':'")]],
    ['{d}', [at(3, "Syntax error: mismatched input '}' expecting ':'")]],
    ['{d: 1 d}', [at(7, "Syntax error: extraneous input 'd' expecting {'}', ','}")]],
    ['d[1 2 3]', [at(5, "Syntax error: mismatched input '2' expecting ']'")]],
    ['[?]', [at(3, `Syntax error: mismatched input ']' expecting ${operands}`)]],
    // Numbers end where the longest number ends.
    ['0X1', [at(2, "Syntax error: extraneous input 'X1' expecting <EOF>")]],
    ['0x', [at(2, "Syntax error: extraneous input 'x' expecting <EOF>")]],
    ['1e+', [at(2, "Syntax error: mismatched input 'e' expecting <EOF>")]],
    ['d.5', [at(2, "Syntax error: extraneous input '.5' expecting <EOF>")]],
    ['1.5u', [at(4, "Syntax error: extraneous input 'u' expecting <EOF>")]],
    // A text ends, or is none.
    [
      String.raw`'\q'`,
      [
        at(1, unknown(String.raw`'\q`)),
        at(4, unknown("'")),
        at(5, `Syntax error: mismatched input '<EOF>' expecting ${operands}`),
      ],
    ],
    [String.raw`"\u12g4" `, [at(1, unknown(String.raw`"\u12g`)), at(8, unknown('" '))]],
    [String.raw`"\400"`, [at(1, unknown(String.raw`"\4`)), at(6, unknown('"'))]],
    ['"""d', [at(3, unknown('"d'))]],
    [String.raw`'\ud800'`, [at(1, 'invalid unicode code point')]],
    [String.raw`'\U00110000'`, [at(1, 'invalid unicode code point')]],
    [String.raw`b'\u0041'`, [at(1, 'unable to unescape string')]],
    ['..d', [at(2, noAlternative('..'))]],
    ['d.?true', [at(4, "Syntax error: mismatched input 'true' expecting IDENTIFIER")]],
    // Other problems are reported beside it.
    [
      'if + 99999999999999999999 +',
      [
        at(1, 'reserved identifier: if'),
        at(6, 'invalid int literal'),
        at(28, `Syntax error: mismatched input '<EOF>' expecting ${operands}`),
      ],
    ],
    [
      'l.all(1, true) && has(d) || l.map(2, 1)',
      [
        at(7, 'argument must be a simple name'),
        at(23, 'invalid argument to has() macro'),
        at(35, 'argument is not an identifier'),
      ],
    ],
  ])('%s', async (expression, messages) => {
    const lines = (await compileProblem(expression, { variables })).split('\n');
    expect(lines.filter((line) => line.startsWith('ERROR'))).toEqual(messages);
  });
});

it('a text of characters that begin no token is not read to its end', async () => {
  const problem = await compileProblem('@'.repeat(90_000));
  expect(problem.split('\n').filter((line) => line.startsWith('ERROR'))).toHaveLength(100);
  expect(problem).toMatch(/\n1 more errors were truncated$/);
});

describe('reading is linear', () => {
  const parse = createParser(standardMacros, { ...defaultExpressionLimits, maxLength: 1_000_000 });
  const attempt = (text: string) => () => {
    try {
      atOnce(parse(text, UNBOUNDED_WORK));
    } catch {
      // Whether it is an expression does not matter.
    }
  };
  it.each<[string, (size: number) => string]>([
    ['in terms', (size) => 'd.a[0] > 1 && '.repeat(size) + 'd'],
    ['in operands of a sum', (size) => '1 + '.repeat(size) + '1'],
    ['in elements', (size) => `[${'1, '.repeat(size)}]`],
    ['in entries', (size) => `{${'1: 2, '.repeat(size)}}`],
    ['before unknown tokens', (size) => `${'1 + '.repeat(size)}${'@'.repeat(90)}`],
    ['in texts without an end', (size) => '"""\\q'.repeat(size)],
    ['in quotes', (size) => '"'.repeat(size)],
    ['in texts that end with the line', (size) => `"""${"'\n".repeat(size)}`],
    ['in escapes', (size) => `'${String.raw`\x41`.repeat(size)}'`],
    ['in bytes', (size) => `b'${String.raw`\x41`.repeat(size)}'`],
    ['in the digits of a number', (size) => '9'.repeat(20 * size)],
    ['in signs', (size) => '-'.repeat(size)],
    ['in comments', (size) => '//\n'.repeat(size)],
    ['in conditions', (size) => 'd ? 1 : '.repeat(size)],
  ])('%s', async (_name, text) => {
    await expectProportional((size) => attempt(text(size)), 1000);
  });
});

it('a long text is read in pieces, with the same result', () => {
  const text = Array.from({ length: 3000 }, (_, index) => `d.a[${index}].f(x, {'k': -${index}})`).join(' && ');
  const parse = createParser(standardMacros, { ...defaultExpressionLimits, maxLength: 1_000_000 });
  let spent = 0;
  let most = 0;
  const spend = (units: number): boolean => {
    spent += units;
    most = Math.max(most, units);
    return true;
  };
  const steps = parse(text, { ...UNBOUNDED_WORK, spend });
  let pieces = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pieces += 1;
  expect(step.value).toEqual(atOnce(parse(text, UNBOUNDED_WORK)));
  expect(spent).toBe(5 * text.length);
  expect(pieces).toBeGreaterThan(100);
  expect(most).toBeLessThan(spent / 50);
});
