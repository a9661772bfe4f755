import { expectProportional } from '../../support/units.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateSteps } from '../../../src/server/codec/problem-order.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';

const locateKeys = (text: string, paths: readonly string[]): ReadonlyMap<string, readonly number[]> =>
  atOnce(locateSteps(UNBOUNDED_WORK, text, [], paths));

const keysAt = (text: string, paths: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(
    [...locateKeys(text, paths)].map(([path, places]) => [
      path,
      places.map((at) => text.slice(at, text.indexOf('"', at + 1) + 1)),
    ]),
  );

describe('locateKeys', () => {
  it('finds keys in objects and lists, and the second of two', () => {
    const text = '{ "a":{"b" : [ {"c":1}, {"c":2,"c":{}, "d,{[":"x\\"c\\":"} ]}, "a.b":"c", "a":[] }';
    expect(locateKeys(text, ['a', 'a.b', 'a.b[1].c', 'a.b[1].d,{[', 'c', 'a.b[2].c'])).toEqual(
      new Map([
        ['a', [text.indexOf('"a"'), text.lastIndexOf('"a":')]],
        ['a.b', [text.indexOf('"b"'), text.indexOf('"a.b"')]],
        ['a.b[1].c', [text.indexOf('"c":2'), text.indexOf('"c":{}')]],
        ['a.b[1].d,{[', [text.indexOf('"d,{["')]],
      ]),
    );
  });

  it('matches a key by its decoded text', () => {
    expect(keysAt('{"\\u0061":1,"\\"":{"b":2}}', ['a', '".b'])).toEqual({ a: ['"\\u0061"'], '".b': ['"b"'] });
  });

  it('agrees with the order in which a parser meets the keys', () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constant(1),
        fc.string(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.stringMatching(/^[a-c]{1,2}$/), tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (made) => {
        const paths: string[] = [];
        const visit = (at: unknown, path: string): void => {
          if (Array.isArray(at)) return at.forEach((item, index) => visit(item, `${path}[${index}]`));
          if (typeof at !== 'object' || at === null) return;
          for (const [key, member] of Object.entries(at)) {
            const own = path === '' ? key : `${path}.${key}`;
            paths.push(own);
            visit(member, own);
          }
        };
        visit(made, '');
        const found = locateKeys(JSON.stringify(made, undefined, 1), paths);
        expect([...found].sort(([, [a = 0]], [, [b = 0]]) => a - b).map(([path]) => path)).toEqual(paths);
      }),
      { numRuns: 500 },
    );
  });

  it('takes work proportional to the text, for any depth and number of wrong keys', async () => {
    await expectProportional((size) => {
      const many = Object.fromEntries(Array.from({ length: size }, (_, index) => [`key${index}`, { inner: [index] }]));
      const text = `{"known":${JSON.stringify(many)},"deep":${'{"a":'.repeat(4000)}1${'}'.repeat(4000)}}`;
      const paths = Array.from({ length: 200 }, (_, index) => `known.key${index * 7}`);
      return () => expect(locateKeys(text, paths).size).toBe(200);
    }, 20_000);
  });
});
