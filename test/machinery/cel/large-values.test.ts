/** Long texts and lists: functions that walk through them in pieces have the results of those that take them whole. */
import { describe, expect, it } from 'vitest';
import { errors } from '../../../src/foundation/index.js';
import {
  CelCostError,
  createCelEnvironment,
  dynType,
  fromJson,
  intType,
  listType,
  stringType,
  type CelValue,
} from '../../../src/machinery/cel/index.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { evaluate, plain } from './support.js';

const variables = { s: stringType, part: stringType, l: listType(intType), i: intType, d: dynType };

/** The first piece ends within a pair of surrogates. */
const mixed = `${'ab\u00e9'.repeat(1365)}\u{1f601}${'xyz\n"\u{1f601}'.repeat(2000)}end`;
const points = Array.from(mixed);

const search = (from: number, part: string): bigint =>
  BigInt(points.findIndex((_, index) => index >= from && points.slice(index, index + part.length).join('') === part));

describe('functions on a long text', () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ['s.size()', {}, BigInt(points.length)],
    ['s.charAt(i)', { i: 4094 }, points[4094]],
    ['s.charAt(i)', { i: 4095 }, '\u{1f601}'],
    ['s.charAt(i)', { i: 4096 }, points[4096]],
    ['s.charAt(i)', { i: points.length - 1 }, 'd'],
    ['s.charAt(i)', { i: points.length }, ''],
    ['s.substring(i)', { i: 4096 }, points.slice(4096).join('')],
    ['s.substring(i, i + 5)', { i: 8191 }, points.slice(8191, 8196).join('')],
    ['s.substring(0, i)', { i: points.length }, mixed],
    ['s.indexOf(part)', { part: 'xyz' }, search(0, 'xyz')],
    ['s.indexOf(part)', { part: '\n"\u{1f601}end' }, BigInt(points.length - 6)],
    ['s.indexOf(part, i)', { part: 'xyz', i: 9000 }, search(9000, 'xyz')],
    ['s.indexOf(part)', { part: 'nothing' }, -1n],
    ['s.lastIndexOf(part)', { part: 'ab\u00e9' }, 4092n],
    ['s.lastIndexOf(part, i)', { part: 'xyz', i: 4200 }, BigInt(points.lastIndexOf('x', 4200))],
    ['s.lastIndexOf(part)', { part: 'nothing' }, -1n],
    ['s.contains(part)', { part: '"\u{1f601}xyz' }, true],
    ['s.contains(part)', { part: '"\u{1f601}xyy' }, false],
    ['s.replace(part, "<>")', { part: 'xyz' }, mixed.split('xyz').join('<>')],
    ['s.replace(part, "<>", 3)', { part: 'xyz' }, mixed.replace('xyz', '<>').replace('xyz', '<>').replace('xyz', '<>')],
    ['s.replace("", "-")', {}, `-${points.join('-')}-`],
    ['s.replace("", "-", 5000)', {}, `-${points.slice(0, 5000).join('-')}${points.slice(5000).join('')}`],
    ['s.split("")', {}, points],
    ['s.split("", 5000)', {}, [...points.slice(0, 4999), points.slice(4999).join('')]],
    ['s.split(part)', { part: 'xyz' }, mixed.split('xyz')],
    [
      's.split(part, 2)',
      { part: 'xyz' },
      [mixed.slice(0, mixed.indexOf('xyz')), mixed.slice(mixed.indexOf('xyz') + 3)],
    ],
    ['s.split("").join(part)', { part: '--' }, points.join('--')],
    ['s.upperAscii()', {}, mixed.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())],
    ['s.upperAscii().lowerAscii() == s', {}, true],
    ['strings.quote(s)', {}, `"${mixed.replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`],
    ['(part + s + part).trim()', { part: ' \t'.repeat(5000) }, mixed],
    ['"%s%%%s".format([s, part])', { part: 'x' }, `${mixed}%x`],
    ['"%s".format([[s]])', {}, `["${mixed.replaceAll('"', '\\"').replaceAll('\n', '\\n')}"]`],
    ['"%x".format([s]) == "%x".format([bytes(s)])', {}, true],
    ['"%X".format([s])', {}, Buffer.from(mixed).toString('hex').toUpperCase()],
    ['string(bytes(s)) == s && s < s + "a" && s + "b" > s + "a" && s <= s', {}, true],
    ['s.findAll("[x-z]+").size()', {}, 2000n],
  ])('%s %j', async (expression, values, result) => {
    expect(await evaluate(expression, { s: mixed, ...values }, { variables })).toEqual(result);
  });

  it('an index beyond the end, or before the start, fails', async () => {
    const failing = (expression: string, i: number) => evaluate(expression, { s: mixed, i }, { variables });
    await expect(failing('s.charAt(i)', points.length + 1)).rejects.toThrow(`index out of range: ${points.length + 1}`);
    await expect(failing('s.substring(i)', points.length + 1)).rejects.toThrow('index out of range');
    await expect(failing('s.substring(i)', -1)).rejects.toThrow('index out of range: -1');
    await expect(failing('s.substring(0, i)', mixed.length)).rejects.toThrow(`index out of range: ${mixed.length}`);
    await expect(failing('s.indexOf("x", i)', points.length)).rejects.toThrow('index out of range');
  });

  it('a map is formatted in the order of its keys', async () => {
    const entries = Array.from({ length: 3000 }, (_, index) => `k${(index * 7919) % 3000}`);
    const d = Object.fromEntries(entries.map((key) => [key, 1]));
    const expected = [...entries].sort().map((key) => `"${key}":1`);
    expect(await evaluate('"%s".format([d])', { d }, { variables })).toBe(`{${expected.join(', ')}}`);
  });
});

describe('the sum of long lists', () => {
  const l = Array.from({ length: 100 }, (_, index) => index);
  const sum = (times: number): string => `(l${' + l'.repeat(times)})`;
  const flat = (times: number): bigint[] => Array.from({ length: times + 1 }, () => l.map(BigInt)).flat();

  it.each([1, 2, 31, 32, 33, 100])('of %i more', async (times) => {
    expect(await evaluate(sum(times), { l }, { variables })).toEqual(flat(times));
    const indices = [0, 99, 100, times * 100, times * 100 + 99];
    const items = indices.map((index) => `${sum(times)}[${index}]`).join(', ');
    expect(await evaluate(`[${items}]`, { l }, { variables })).toEqual(indices.map((index) => BigInt(index % 100)));
    const whole = `${sum(times)} == ${sum(times)} && ${sum(times)} != ${sum(times)} + [1] && 99 in ${sum(times)}`;
    expect(await evaluate(whole, { l }, { variables })).toBe(true);
  });

  it('of an empty one is the other', async () => {
    expect(await evaluate('[] + l + [] == l && (l + []).size() == 100', { l }, { variables })).toBe(true);
  });
});

describe('what an expression makes', () => {
  it('has a maximum length', async () => {
    const s = 'a'.repeat(3_000_000);
    const environment = await createCelEnvironment({ variables });
    for (const expression of [
      's + s == ""',
      's.replace("a", "bb") == ""',
      '"%s%s".format([s, s]) == ""',
      '[s, s].join() == ""',
      '(bytes(s) + bytes(s)).size() > 0',
    ])
      expect(() => environment.compile(expression).evaluate({ s }), expression).toThrow(new CelCostError());
  });

  it('does not include URLs and addresses that are long', async () => {
    const host = 'a'.repeat(70_000);
    const tests = `[isURL("http://a/${host.slice(0, 60_000)}"), isURL("http://a/" + s), isIP(s), isCIDR(s)]`;
    expect(await evaluate(tests, { s: host }, { variables })).toEqual([true, false, false, false]);
    await expect(evaluate('url(s)', { s: `http://${host}` }, { variables })).rejects.toThrow(
      'the URL has more than 65536 characters',
    );
    await expect(evaluate('ip(s)', { s: host }, { variables })).rejects.toThrow('more than 1024 characters');
  });

  it('is reserved in the memory budget before it is made, until the evaluation ends', async () => {
    const environment = await createCelEnvironment({ variables });
    const program = environment.compile('s.split("").map(c, c + part).join("-").size()');
    const values: Record<string, CelValue> = { s: 'ab'.repeat(20_000), part: 'x' };
    const run = (limit: number): { readonly result: unknown; readonly most: number; readonly left: number } => {
      let [held, most] = [0, 0];
      const work: Work = {
        ...UNBOUNDED_WORK,
        reserve: (bytes) => {
          if (held + bytes > limit) throw errors.tooManyRequests('no memory', 1);
          held += bytes;
          most = Math.max(most, held);
        },
        release: (bytes) => (held -= bytes),
      };
      try {
        const steps = program.attemptInSlices((name) => values[name], work);
        for (let step = steps.next(); ; step = steps.next())
          if (step.done === true) return { result: plain(step.value.result as CelValue), most, left: held };
      } catch (error) {
        return { result: String(error), most, left: held };
      }
    };
    const whole = run(Infinity);
    expect(whole).toMatchObject({ result: 119_999n, left: 0 });
    expect(whole.most).toBeGreaterThan(40_000 * 40);
    expect(run(whole.most - 1)).toMatchObject({ result: expect.stringContaining('no memory'), left: 0 });
  });

  it('is released when an evaluation is abandoned', async () => {
    const environment = await createCelEnvironment({ variables });
    const program = environment.compile('s.split("").all(c, c != part)');
    let held = 0;
    const work: Work = {
      ...UNBOUNDED_WORK,
      spend: () => true,
      reserve: (bytes) => (held += bytes),
      release: (bytes) => (held -= bytes),
    };
    const values: Record<string, CelValue> = { s: 'ab'.repeat(20_000), part: 'x' };
    const steps = program.attemptInSlices((name) => values[name], work);
    while (held === 0) steps.next();
    steps.return(undefined as never);
    expect(held).toBe(0);
  });
});

it('the parts of an object are read once', async () => {
  let reads = 0;
  const counted = new Proxy({ a: 1 }, { ownKeys: (target) => ((reads += 1), Reflect.ownKeys(target)) });
  const environment = await createCelEnvironment({ variables });
  const program = environment.compile('l.all(x, d.m.size() == 1 && d.m.all(k, k == "a"))');
  const l = fromJson([1, 2, 3, 4, 5]);
  expect(program.attempt({ l, d: fromJson({ m: counted }) }).result).toBe(true);
  expect(reads).toBe(1);
});
