/** Long bodies are scanned and parsed in pieces. The result is that of `JSON.parse` on the whole text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultDecodeLimits } from '../../../src/server/codec/codec.js';
import { JsonCuts } from '../../../src/foundation/json/json-cuts.js';
import { parseJsonText, readJson, readJsonText } from '../../../src/server/codec/json/json-decode.js';
import { parseSteps } from '../../../src/foundation/json/json-parse.js';
import { JsonScanner } from '../../../src/server/codec/json/json-scan.js';
import { decodeUtf8, encodeUtf8 } from '../../../src/foundation/encoding/utf8.js';
import { jsonText, jsonValue } from '../../../src/foundation/json/json-text.js';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import { atOnce, UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { writtenNumber } from '../../../src/foundation/json/written-number.js';

/** Scans a text token by token, and parses it in pieces of at most so many characters. */
function inPieces(text: string, pieceLength: number, isWritten = false): unknown {
  const numbers: number[] = [];
  const integers: number[] = [];
  const cuts = new JsonCuts(text, pieceLength);
  const scanner = new JsonScanner();
  scanner.begin(text, { maxDepth: 100, maxContainers: 10_000, numbers, integers, cuts });
  for (let limit = 1; scanner.scanTo(limit); limit += 1);
  if (!scanner.isBalanced) throw new SyntaxError('unbalanced');
  return atOnce(parseSteps(UNBOUNDED_WORK, { text, cuts, integers, numbers: isWritten ? numbers : [] }));
}

/** The result of a function, with the order of keys; undefined when it throws. */
function outcome(parse: () => unknown): string | undefined {
  try {
    return jsonText(parse());
  } catch {
    return undefined;
  }
}

/** Replaces halves of pairs, as Go does. */
function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, wellFormed(member ?? null)]));
}

const scalars = [
  '1',
  '3546343826724305832',
  '-9007199254740993',
  '-0',
  '4.0',
  '1e3',
  'true',
  'null',
  '""',
  '"x"',
  '"a\\\\\\"{[,:"',
  '"\\u00e9\\ud83d\\ude00"',
  '"]}"',
];
const keys = ['a', 'b', '__proto__', 'constructor', '2', '10', '1', 'q\\"', '\\u0061', 'é', ''];
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(...scalars),
    fc
      .tuple(fc.array(tie('tree'), { maxLength: 6 }), fc.constantFrom('', ' ', '\n  '))
      .map(([items, space]) => `[${space}${items.join(`${space},`)}${space}]`),
    fc
      .tuple(
        fc.array(fc.tuple(fc.constantFrom(...keys), tie('tree')), { maxLength: 6 }),
        fc.constantFrom('', ' ', '\t\r'),
      )
      .map(
        ([members, space]) =>
          `{${members.map(([key, value]) => `${space}"${key}"${space}:${value}`).join(`${space},`)}${space}}`,
      ),
  ),
}));

describe('a text in pieces', () => {
  it('has the value that JSON.parse returns: duplicates, __proto__, order of keys, escapes', () => {
    fc.assert(
      fc.property(tree, fc.integer({ min: 1, max: 40 }), (text, pieceLength) => {
        expect(outcome(() => inPieces(text, pieceLength))).toBe(jsonText(jsonValue(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused when JSON.parse refuses it, and only then', () => {
    const broken = fc
      .tuple(tree, fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...'[]{},:"0 1\\e.-n', ',,', '[]', '{}'))
      .map(([text, place, length, inserted]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + inserted + text.slice(at + length);
      })
      // The scan refuses a number beyond the range of a double.
      .filter((text) => !/e[+-]?\d{3}/.test(text));
    fc.assert(
      fc.property(broken, fc.integer({ min: 1, max: 30 }), (text, pieceLength) => {
        expect(outcome(() => inPieces(text, pieceLength))).toBe(outcome(() => wellFormed(jsonValue(text))));
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([
    '[1,]',
    '[,1]',
    '[1,,2]',
    '{"a":1,}',
    '[[1][2]]',
    '[1]]',
    '[1}',
    '[[1},[2]]',
    '{"a" [1,2]}',
    '[ ',
    '[1] [2]',
  ])('is refused: %s', (text) => expect(outcome(() => inPieces(text, 1))).toBeUndefined());

  it('keeps the written form of numbers', () => {
    const text = '{"a":[1.0,2,{"b":1e3,"c":"\\ud800","d":[-0,0.5]}],"e":4.50}';
    const plain = inPieces(text, 4, true) as { a: [string, number, { b: string; c: string; d: [string, number] }] };
    expect(writtenNumber(plain.a[0])).toBe('1.0');
    expect(plain.a[1]).toBe(2);
    expect([writtenNumber(plain.a[2].b), plain.a[2].c]).toEqual(['1e3', '\ufffd']);
    expect([writtenNumber(plain.a[2].d[0]), plain.a[2].d[1]]).toEqual(['-0', 0.5]);
    fc.assert(
      fc.property(tree, fc.integer({ min: 1, max: 40 }), (valid, pieceLength) => {
        const { value, asWritten } = parseJsonText(valid);
        expect(jsonText(inPieces(valid, pieceLength, true))).toBe(
          jsonText(asWritten === undefined ? value : asWritten()),
        );
      }),
      { numRuns: 500 },
    );
  });
});

/** Work whose slices end after so many units, and that counts. */
function counting(unitsOfSlice: number): Work & { slices: number; units: number; largest: number; reserved: number } {
  let used = 0;
  return {
    slices: 1,
    units: 0,
    largest: 0,
    reserved: 0,
    spend(units) {
      this.units += units;
      used += units;
      this.largest = Math.max(this.largest, units);
      return used >= unitsOfSlice;
    },
    next() {
      used = 0;
      this.slices += 1;
      return Promise.resolve();
    },
    reserve(bytes) {
      this.reserved += bytes;
    },
    release: () => undefined,
    measure: (step) => step(),
  };
}

const SLICE = 20_000;

describe('a long body', () => {
  it.each([
    ['lists', `[${'[[[0]]],'.repeat(60_000)}0]`],
    ['objects with keys of their own', `{${Array.from({ length: 100_000 }, (_, key) => `"k${key}":{}`).join(',')}}`],
    ['numbers', `[${'1e3,'.repeat(200_000)}0]`],
    ['nested in one object each', `{"a":{"b":{"c":[${'{"name":"x","value":"y"},'.repeat(30_000)}null]}},"d":1}`],
  ])('is decoded in slices: %s', async (_name, text) => {
    const work = counting(SLICE);
    const decoded = readJson(encodeUtf8(text), defaultDecodeLimits, { work, keepsNumbers: true });
    expect(decoded).toBeInstanceOf(Promise);
    expect((await decoded).value).toEqual(JSON.parse(text));
    expect(work.slices).toBeGreaterThan(3);
    // No piece between two questions is longer than 64 KiB, about four milliseconds of usual text.
    expect(work.largest).toBeLessThanOrEqual(8_192);
  });

  it('of 32 KiB or less is decoded at once', () => {
    expect(readJson(encodeUtf8('[1,2]'), defaultDecodeLimits, { work: counting(1) })).not.toBeInstanceOf(Promise);
  });

  it('reserves memory before it is parsed, and is not parsed without', () => {
    const text = `[${'{"a":"bc"},'.repeat(10_000)}0]`;
    const work = counting(Infinity);
    void readJsonText(text, defaultDecodeLimits, { work });
    // 64 for an object, 8 for an item, 40 for a key, 24 and its length for a string.
    expect(work.reserved / 10_000).toBeCloseTo(64 + 8 + 8 + 40 + 24 + 11, -1);
    const refusing: Work = {
      ...counting(Infinity),
      spend: () => false,
      reserve: () => {
        throw new Error('no memory');
      },
    };
    expect(() => readJsonText(`${text}]]`, defaultDecodeLimits, { work: refusing })).toThrow('no memory');
    expect(() => readJsonText('[]', defaultDecodeLimits, { work: refusing })).toThrow('no memory');
  });

  it.each(['{}', '[]', '{"a":[]}'])('with more objects and lists than the limit is refused with 413: %s', (item) => {
    const limits = { ...defaultDecodeLimits, maxContainers: 20_000 };
    const count = item.length > 2 ? 9_999 : 19_999;
    const text = (more: number): string => `[${`${item},`.repeat(count + more)}0]`;
    expect(() => readJsonText(text(0), limits, {})).not.toThrow();
    expect(() => readJsonText(text(1), limits, {})).toThrowError(
      expect.objectContaining({
        code: 413,
        message: 'Request entity too large: the body has more than 20000 objects and lists',
      }),
    );
    expect(() => readJsonText('[[]]', { ...limits, maxContainers: 1 }, {})).toThrowError(
      expect.objectContaining({ code: 413 }),
    );
  });

  it('with an object of more than 100,000 members is refused with 413', () => {
    const keys = (count: number): string =>
      `{"a":{"b":1,${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}}`;
    expect(() => readJsonText(keys(99_999), defaultDecodeLimits, {})).not.toThrow();
    const message = 'Request entity too large: the body has an object with more than 100000 members';
    expect(() => readJsonText(keys(100_000), defaultDecodeLimits, {})).toThrowError(
      expect.objectContaining({ code: 413, message }),
    );
  });

  it.each([
    [`[${'1,'.repeat(100_000)}]`, "invalid character ']' looking for beginning of value"],
    [`[${'[1],'.repeat(50_000)}{"a":1]]`, "invalid character ']' after object key:value pair"],
    [`{"a":[${'1,'.repeat(100_000)}1]`, 'unexpected end of JSON input'],
    [`["${'x'.repeat(100_000)}\n"]`, "invalid character '\\n' in string literal"],
    [`[${' '.repeat(100_000)}] [1]`, "invalid character '[' after top-level value"],
  ])('has the error of a short one', async (text, message) => {
    const work = counting(SLICE);
    const error: unknown = await (async () => readJsonText(text, defaultDecodeLimits, { work }))().catch(
      (problem: unknown) => problem,
    );
    expect(error).toMatchObject({ name: 'DecodeProblem', message });
    expect(() => parseJsonText(text)).toThrow(message);
  });

  it('replaces invalid UTF-8 in slices as at once', async () => {
    const body = new Uint8Array(200_000);
    // Sequences of all lengths, cut off everywhere.
    const bytes = [
      0x61, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0x80, 0x80, 0x80, 0x80, 0xc3, 0xa9, 0xf0, 0x9f,
    ];
    for (let at = 0; at < body.length; at += 1) body[at] = bytes[(at * 7 + ((at / 100) | 0)) % bytes.length] as number;
    body.set(encodeUtf8('["'));
    body.set(encodeUtf8('"]'), body.length - 2);
    const work = counting(SLICE);
    const { value } = await readJson(body, defaultDecodeLimits, { work });
    expect(value).toEqual([decodeUtf8(body).slice(2, -2)]);
    expect(work.slices).toBeGreaterThan(3);
  });
});
