import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { encodeYaml, yamlChunks } from '../../../src/server/codec/yaml/write/yaml-emit.js';
import { compareYamlKeys } from '../../../src/server/codec/yaml/yaml-key-order.js';
import { yamlLength } from '../../../src/server/codec/yaml/yaml-length.js';
import { yamlSerializer } from '../../../src/server/codec/yaml/yaml.js';

/** Work that counts units, and pauses each time. */
function counting(): Work & { units: number; largest: number } {
  return {
    ...UNBOUNDED_WORK,
    units: 0,
    largest: 0,
    spend(units) {
      this.units += units;
      this.largest = Math.max(this.largest, units);
      return true;
    },
  };
}

const joined = (chunks: Iterable<string | undefined>): string =>
  [...chunks].filter((chunk) => chunk !== undefined).join('');

function nested(value: JsonValue, depth: number): JsonValue {
  let result = value;
  for (let level = 0; level < depth; level += 1) result = level % 3 === 0 ? [result] : { k: result };
  return result;
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom(...'ab :-#\n\t\'"\\yn01.,[]{}&*?|>%@`~\u0085\u2028\ufeff\ud800\udc00'),
    maxLength: 16,
  }),
  fc.string({ unit: fc.constantFrom('word', ' ', '  ', "'", '"', '\t', '\n', '😀', '#', ': '), maxLength: 90 }),
);
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** The folding of a string in the words of libyaml: one character at a time. */
function foldedByCharacter(content: string, quote: string, start: number, indent: number): string {
  const characters = Array.from(content);
  let column = start + quote.length;
  let result = quote;
  let afterSpace = false;
  for (const [index, character] of characters.entries()) {
    const isInside = quote === '' || (index > 0 && index < characters.length - 1);
    if (character === ' ' && !afterSpace && column > 80 && isInside && characters[index + 1] !== ' ') {
      result += `\n${' '.repeat(indent)}`;
      column = indent;
    } else {
      const written = character === "'" && quote === "'" ? "''" : character;
      result += written;
      column += written.length;
    }
    afterSpace = character === ' ';
  }
  return result + quote;
}

describe('long strings', () => {
  it('are folded as libyaml folds them, across pieces', () => {
    const units = fc.constantFrom('word', ' ', '  ', "'", 'ö', 'x'.repeat(90));
    fc.assert(
      fc.property(
        fc.string({ unit: units, minLength: 3, maxLength: 30 }),
        fc.integer({ min: 1, max: 900 }),
        (part, count) => {
          const plain = `word${part.repeat(count)}word`;
          expect(encodeYaml({ k: plain })).toBe(`k: ${foldedByCharacter(plain, '', 3, 2)}\n`);
          const quoted = `'${plain}`;
          expect(encodeYaml({ k: quoted })).toBe(`k: ${foldedByCharacter(quoted, "'", 3, 2)}\n`);
        },
      ),
      { numRuns: 200, seed: 34 },
    );
  });
  it('keep pairs of surrogates together', () => {
    for (const before of ['', 'x'])
      expect(encodeYaml([`${before}${'😀'.repeat(20_000)}`])).toBe(`- "${before}${'\\U0001F600'.repeat(20_000)}"\n`);
  });
});

describe('the order of keys', () => {
  it.each([
    [
      ['b', 'a10', 'a2', 'a'],
      ['a', 'a2', 'a10', 'b'],
    ],
    [
      ['k010', 'k10', 'k9', 'k100'],
      ['k9', 'k10', 'k010', 'k100'],
    ],
    [
      ['é', 'z', '_', 'Z', '-'],
      ['-', '_', 'Z', 'z', 'é'],
    ],
    [
      ['😀', '\ud83d', 'a'],
      ['\ud83d', '😀', 'a'],
    ],
  ])('of %j is %j', (keys, sorted) => {
    expect([...keys].sort(compareYamlKeys)).toEqual(sorted);
  });
  it('is the same for many keys, which are sorted in steps', () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `k${(index * 7919) % 5003}`);
    const object = Object.fromEntries(keys.map((key) => [key, 1]));
    const sorted = [...keys].sort(compareYamlKeys);
    expect(encodeYaml(object)).toBe(sorted.map((key) => `${key}: 1\n`).join(''));
  });
});

describe('in steps', () => {
  it('the text is the same, and an upper bound of its length is known before', () => {
    fc.assert(
      fc.property(value, fc.nat(60), (content, depth) => {
        const object = nested(content, depth);
        const whole = encodeYaml(object);
        expect(joined(yamlChunks(object, counting()))).toBe(whole);
        expect(yamlLength(object)).toBeGreaterThanOrEqual(whole.length);
      }),
      { numRuns: 2000, seed: 34 },
    );
  });

  it.each<[string, JsonValue]>([
    ['words', { data: 'some words '.repeat(100_000) }],
    ['escapes', { data: '\x7f"😀'.repeat(100_000) }],
    ['lines', { data: 'line\n'.repeat(100_000) }],
    ['a key', { ['word '.repeat(100_000)]: 1 }],
    ['words in depth', nested('a b '.repeat(1_000), 900)],
    ['lines in depth', nested('a\n'.repeat(2_000), 900)],
    ['many keys', Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index]))],
    ['many items', Array.from({ length: 20_000 }, (_, index) => ({ index }))],
  ])('%s: units follow the length, pieces and chunks are short', (_name, object) => {
    const work = counting();
    const chunks = [...yamlChunks(object, work)].filter((chunk) => chunk !== undefined);
    const length = chunks.join('').length;
    expect(work.units).toBeLessThan(length * 2 + 100_000);
    expect(work.largest).toBeLessThan(64 * 1024);
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThan(1024 * 1024);
    expect(yamlLength(object)).toBeGreaterThanOrEqual(length);
  });

  it('the bound grows with the depth', () => {
    const chains = Array.from({ length: 100 }, () => nested(0, 400));
    const length = encodeYaml(chains).length;
    expect(yamlLength(chains)).toBeGreaterThanOrEqual(length);
    expect(length).toBeGreaterThan(20 * JSON.stringify(chains).length);
    expect(yamlLength(chains, 1000)).toBeLessThan(20_000);
  });
});

describe('the serializer', () => {
  const context = { pretty: false, schemaFor: () => undefined };
  const item: JsonObject = { kind: 'ConfigMap', data: { a: 'line\n'.repeat(100_000) } };
  it('offers chunks and a bound of an object', () => {
    const serializer = yamlSerializer();
    const whole = serializer.encode(item, context);
    expect(joined(serializer.chunks?.(item, context, UNBOUNDED_WORK) ?? [])).toBe(whole);
    expect(serializer.length?.(item, context)).toBeGreaterThanOrEqual(whole.length);
  });
  it('offers chunks of an item', () => {
    const encoder = yamlSerializer().listEncoder({ members: { kind: 'List' }, items: 'items' }, context);
    if (encoder.output !== 'text') throw new Error('expected text');
    expect(joined(encoder.itemChunks?.(item, counting()) ?? [])).toBe(encoder.item(item));
  });
});
