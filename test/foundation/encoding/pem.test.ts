import { expectProportional } from '../../support/units.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodePem, parsePem } from '../../../src/security/pki/index.js';

const hello = encodePem('GREETING', Buffer.from('hello'));
const labels = (text: string): string[] => parsePem(text).blocks.map(({ label }) => label);
const problems = (text: string): string[] => parsePem(text).junk.map(({ line, problem }) => `${line}: ${problem}`);

describe('parsePem', () => {
  test('reads label, headers, bytes and line', () => {
    const text = `\n-----BEGIN KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info : AES , 1 \n\naGVs\nbG8=\n-----END KEY-----\n`;
    const { blocks, junk } = parsePem(text);
    expect(blocks).toEqual([
      {
        label: 'KEY',
        headers: new Map([
          ['Proc-Type', '4,ENCRYPTED'],
          ['DEK-Info', 'AES , 1'],
        ]),
        bytes: Uint8Array.from(Buffer.from('hello')),
        line: 2,
      },
    ]);
    expect(junk).toEqual([]);
  });

  test.each([
    ['carriage returns', hello.replaceAll('\n', '\r\n')],
    ['spaces and tabs at the ends of lines', hello.replaceAll('\n', ' \t\n')],
    ['blank lines around', `\n \n${hello}\n\t\n`],
    ['spaces in the base64', hello.replace('aGVs', ' aG Vs ')],
    ['no line break at the end', hello.trimEnd()],
  ])('accepts %s, and reports no other text', (_name, text) => {
    const { blocks, junk } = parsePem(text);
    expect([blocks.map(({ bytes }) => Buffer.from(bytes).toString()), junk]).toEqual([['hello'], []]);
  });

  test('an empty block is a block', () => {
    expect(parsePem('-----BEGIN X-----\n-----END X-----').blocks).toMatchObject([
      { label: 'X', bytes: new Uint8Array(0) },
    ]);
  });

  test.each([
    ['text before', `# ours\n${hello}`, ['1: text outside of a block']],
    ['text after', `${hello}\nmore\nand more`, ['5: text outside of a block']],
    [
      'text after the end',
      hello.replace('END GREETING-----', 'END GREETING----- x'),
      ['1: the lines that begin and end a block differ'],
    ],
    ['an indented BEGIN line', ` ${hello}`, ['1: text outside of a block']],
    [
      'a BEGIN line without dashes at its end',
      '-----BEGIN X\naaaa\n-----END X-----',
      ['1: the line that begins a block does not end in -----'],
    ],
    ['another end', '-----BEGIN X-----\naaaa\n-----END Y-----', ['1: the lines that begin and end a block differ']],
    ['no end', '-----BEGIN X-----\naaaa', ['1: a block has no end line']],
    ['truncated base64', '-----BEGIN X-----\naaaaa\n-----END X-----', ['1: the content of a block is not base64']],
    [
      'base64 without its padding',
      '-----BEGIN X-----\naGVsbG8\n-----END X-----',
      ['1: the content of a block is not base64'],
    ],
    [
      'characters outside base64',
      '-----BEGIN X-----\naaa-\n-----END X-----',
      ['1: the content of a block is not base64'],
    ],
    ['headers only', '-----BEGIN X-----\na: b\n-----END X-----', ['1: a block has headers but no content']],
    ['an END line only', '-----END X-----', ['1: text outside of a block']],
  ])('%s is reported', (_name, text, expected) => {
    expect(problems(text)).toEqual(expected);
    expect(parsePem(text).blocks.filter(({ label }) => label === 'X')).toEqual([]);
  });

  test('a begin line without an end line hides no later block, and a header hides no block', () => {
    expect(labels(`-----BEGIN DECOY-----\naaaa\n${hello}`)).toEqual(['GREETING']);
    expect(labels(`-----BEGIN A-----\nx: -----BEGIN B-----\n-----END A-----\n${hello}`)).toEqual(['GREETING']);
  });

  test('a text beyond the limit is rejected', () => {
    expect(() => parsePem(hello, { maxLength: 10 })).toThrow(
      new RangeError(`PEM text of ${hello.length} characters is longer than 10`),
    );
  });

  test('many blocks, and many BEGIN lines, take work proportional to their number', async () => {
    await expectProportional((count) => {
      const text = hello.repeat(count);
      return () => expect(parsePem(text).blocks).toHaveLength(count);
    }, 5_000);
    await expectProportional((count) => {
      const text = `${'-----BEGIN X-----\naaaa\n'.repeat(count)}-----END Y-----`;
      return () => expect(parsePem(text).blocks).toHaveLength(0);
    }, 5_000);
  });

  test('reads its own encoding', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (contents) => {
        const { blocks, junk } = parsePem(contents.map((bytes) => encodePem('X', bytes)).join(''));
        expect([blocks.map(({ bytes }) => [...bytes]), junk]).toEqual([contents.map((bytes) => [...bytes]), []]);
      }),
    );
  });

  test('never throws at any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('-----BEGIN X-----', '-----END X-----', '\n', 'aaaa', ':', ' ', '=', '\r') }),
        (text) => void parsePem(text),
      ),
    );
  });
});
