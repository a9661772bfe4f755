/** Many header fields are read as few are, and in time that does not grow with each name that is asked for. */
import { expectProportional } from '../support/units.js';
import { describe, expect, test } from 'vitest';
import { NodeRequestHeaders } from '../../src/transport/node/request-headers.js';

const FEW = ['Accept', 'a', 'X-Two', 'one', 'x-two', 'two', 'Impersonate-User', 'ann'];
const other = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => [`X-${index}`, `${index}`]).flat();

describe.each([
  ['few', FEW],
  ['many', [...FEW, ...other(4_000)]],
])('of %s fields', (_name, raw) => {
  const headers = new NodeRequestHeaders(raw);

  test('one is found by its name in lower case, and several values are joined', () => {
    expect(headers.get('accept')).toBe('a');
    expect(headers.get('x-two')).toBe('one, two');
    expect(headers.getAll('x-two')).toEqual(['one', 'two']);
    expect([headers.get('absent'), headers.getAll('absent')]).toEqual([undefined, []]);
  });

  test('names and prefixes are found', () => {
    expect([...headers.names()].slice(0, 3)).toEqual(['accept', 'x-two', 'impersonate-user']);
    expect([headers.hasPrefix('impersonate-'), headers.hasPrefix('absent-')]).toEqual([true, false]);
  });
});

test('all values are read in time in proportion to their number', async () => {
  await expectProportional((count) => {
    const raw = other(count);
    return () => {
      const headers = new NodeRequestHeaders(raw);
      for (const name of headers.names()) headers.getAll(name);
    };
  }, 500);
});
