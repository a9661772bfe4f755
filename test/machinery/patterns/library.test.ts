import { RE2JS } from 're2js';
import * as re2js from 're2js';
import { describe, expect, test } from 'vitest';
import { atOnce, UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { PatternError, PatternLibrary, programSize, searching } from '../../../src/machinery/patterns/index.js';
import { searchesOf } from '../../../src/machinery/patterns/library.js';
import { readProgram } from '../../../src/machinery/patterns/program.js';

const patterns = new PatternLibrary(re2js);

/** Returns numbers below a bound, from a seed. */
function numbersFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

const ATOMS = [
  ...['a', 'b', 'c', '.', '^', '$', '\\b', '\\B', '\\A', '\\z', '[ab]', '[^a]', '[a-c]', '\\d', '\\w', '\\W', '\\s'],
  ...['\\pL', '\\PL', '\\p{Greek}', 'é', 'ß', 'k', 'K', '\\x{212A}', 's', '\\x{17f}', '𝒳', '[𝒳-𝒵]', '_', '-', '\\n'],
  ...['[[:alpha:]]', '[^\\d\\pL]', '', '(?i:k)', '(?i:[r-t])', '(?s:.)', '(?m:^)', '(?m:$)'],
];
const SUFFIXES = ['', '', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{0,2}?', '{2,}', '{0}'];
const FLAGS = ['', '', '', '(?i)', '(?m)', '(?s)', '(?U)', '(?ims)'];
const CHARACTERS = [
  ...['a', 'b', 'c', 'k', 'K', '\u212a', 's', 'S', '\u017f', 'é', 'É', 'ß', 'α', 'Σ', 'ς', '1', '_', '-', ' ', '\n'],
  ...['𝒳', '𝒴', '\ud835', '\udcb3', 'r', 't', 'aa', 'ab'],
];

function randomPattern(below: (bound: number) => number, depth: number): string {
  const terms = 1 + below(3);
  let text = '';
  for (let term = 0; term < terms; term += 1) {
    const kind = depth > 0 ? below(6) : 5;
    const inner = kind < 2 ? randomPattern(below, depth - 1) : '';
    if (kind === 0) text += `(${inner})`;
    else if (kind === 1) text += `(?:${inner}|${randomPattern(below, depth - 1)})`;
    else text += ATOMS[below(ATOMS.length)];
    text += SUFFIXES[below(SUFFIXES.length)];
  }
  return text;
}

function randomText(below: (bound: number) => number): string {
  let text = '';
  for (let length = below(9); length > 0; length -= 1) text += CHARACTERS[below(CHARACTERS.length)];
  return text;
}

/** Work whose slice is used up at every look. */
const yieldsAlways: Work = { ...UNBOUNDED_WORK, spend: () => true };

describe('matches of random patterns', () => {
  test('are those of the library', () => {
    const below = numbersFrom(20_24);
    let compared = 0;
    let found = 0;
    while (compared < 20_000) {
      const text = `${FLAGS[below(FLAGS.length)]}${randomPattern(below, 3)}`;
      let library: RE2JS;
      try {
        library = RE2JS.compile(text);
      } catch (error) {
        expect(patterns.problemOf(text)).toBe(error instanceof Error ? error.message : '');
        continue;
      }
      const program = readProgram(library.re2());
      if (program === undefined) throw new Error(`${text} has a program of another shape`);
      const searches = searchesOf(program);
      for (let index = 0; index < 8; index += 1) {
        const subject = randomText(below);
        const from = index < 6 ? 0 : below(subject.length + 1);
        // The library cuts a pair of surrogates where the search begins.
        if (/[\ud800-\udbff]/.test(subject[from - 1] ?? '')) continue;
        const matcher = library.matcher(subject);
        const expected = matcher.find(from) ? [matcher.start(), matcher.end()] : undefined;
        const search = searches(subject, from, false);
        search.run(Infinity);
        const anySearch = searches(subject, from, true);
        anySearch.run(Infinity);
        const where = JSON.stringify([text, subject, from]);
        expect([where, search.found ? [search.start, search.end] : undefined]).toEqual([where, expected]);
        expect([where, anySearch.found]).toEqual([where, expected !== undefined]);
        compared += 1;
        if (expected !== undefined) found += 1;
      }
    }
    expect(found).toBeGreaterThan(5_000);
    expect(compared - found).toBeGreaterThan(3_000);
  });

  test('never have a program larger than estimated', () => {
    const below = numbersFrom(7);
    for (let count = 0; count < 5_000; count += 1) {
      const text = `${FLAGS[below(FLAGS.length)]}${randomPattern(below, 4)}`;
      if (patterns.problemOf(text) !== undefined) continue;
      const { instructions } = new PatternLibrary(re2js, 1e6).compile(text);
      expect([text, instructions <= programSize(text, 1e6)]).toEqual([text, true]);
    }
  });
});

describe('a long search', () => {
  const heavy = patterns.compile('a?'.repeat(400) + 'b');
  const text = 'a'.repeat(2_000);

  test('pauses each 20,000 states, and then finds the same', () => {
    const steps = searching(heavy.searchAny(text), yieldsAlways);
    let pauses = 0;
    let last = steps.next();
    for (; last.done !== true; last = steps.next()) pauses += 1;
    expect(last.value.found).toBe(false);
    expect(last.value.states).toBeGreaterThan(400 * 2_000);
    // A pause comes at the first character at which 20,000 states were visited.
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(last.value.states / 21_000));
  });

  test('does not disturb another one of the same pattern', () => {
    const first = searching(heavy.searchAny(`${text}b`), yieldsAlways);
    first.next();
    expect(heavy.matches(`${'x'.repeat(100)}b`)).toBe(true);
    expect(heavy.matches('x'.repeat(100))).toBe(false);
    expect(atOnce(first).found).toBe(true);
  });

  test('of an anchored pattern ends where nothing can match any more', () => {
    const search = patterns.compile('^a*b').searchAny(`aac${text.repeat(5)}`);
    search.run(Infinity);
    expect([search.found, search.states < 50]).toEqual([false, true]);
  });
});

describe('a pattern that is too large', () => {
  const TOO_LARGE = 'error parsing regexp: expression too large';
  test.each([
    ['a?'.repeat(50_000)],
    ['(a{1000}){1000}'],
    ['((a{100}){100}){100}'],
    ['[a-z]{900}'.repeat(5)],
    ['(?:a|b){1000}'.repeat(3)],
    ['(?i)' + '[a-\\x{10ffff}]'.repeat(10)],
    ['\\pL'.repeat(400)],
    ['\\Q' + 'x'.repeat(5_000) + '\\E'],
    ['('.repeat(5_000)],
  ])('is refused before it is compiled: %#', (text) => {
    const counting = { ...re2js, RE2JS: { compile: (probe: string) => RE2JS.compile(probe) } };
    let compiled = 0;
    const library = new PatternLibrary(counting as unknown as typeof re2js);
    counting.RE2JS.compile = (probe) => {
      compiled += 1;
      return RE2JS.compile(probe);
    };
    expect(() => library.compile(text)).toThrow(new PatternError(TOO_LARGE));
    expect(compiled).toBe(0);
  });

  test('is accepted by a library with a larger limit', () => {
    expect(new PatternLibrary(re2js, 6_000).compile('a'.repeat(5_000)).instructions).toBe(5_002);
  });
});

describe('a library with programs of another shape', () => {
  // The first pattern with which the shape is checked.
  const compile = (text: string): RE2JS =>
    text.startsWith('(?i)k[') ? Object.assign(RE2JS.compile(text), { re2: () => ({}) }) : RE2JS.compile(text);
  const other = { ...re2js, RE2JS: { compile } };
  const fallback = new PatternLibrary(other as unknown as typeof re2js);

  test('matches by itself', () => {
    const search = fallback.compile('b+').search('abbc');
    search.run(1);
    expect([search.found, search.start, search.end]).toEqual([true, 1, 3]);
    expect(fallback.compile('b+').matches('ac')).toBe(false);
  });

  test('refuses a search that would take too long in one piece', () => {
    const pattern = fallback.compile('a?'.repeat(400));
    expect(() => pattern.matches('a'.repeat(30_000))).toThrow(RangeError);
  });
});
