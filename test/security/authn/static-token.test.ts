import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../../src/security/authn/csv.js';
import { createStaticTokenAuthenticator, parseTokenFile, type StaticToken } from '../../../src/security/index.js';
import type { Entropy } from '../../../src/foundation/time/clock.js';

const entropy: Entropy = { uuid: () => '', bytes: (length) => new Uint8Array(length).fill(7) };
const request = new AbortController();

describe('parseCsv', () => {
  it.each([
    ['', []],
    ['a,b,c\n', [['a', 'b', 'c']]],
    [
      'a,b\r\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['\n\na\n\n', [['a']]],
    ['a,\n', [['a', '']]],
    ['"a,b",c', [['a,b', 'c']]],
    ['"say ""hi""",x', [['say "hi"', 'x']]],
    ['"two\nlines",x\ny', [['two\nlines', 'x'], ['y']]],
    ['"",x', [['', 'x']]],
    [' a , b ', [[' a ', ' b ']]],
  ])('%j', (text, expected) => {
    expect(parseCsv(text)).toEqual(expected);
  });

  it.each([
    ['a,b"c,d', 'parse error on line 1, column 4: bare " in non-quoted field'],
    ['x\na,"b"c', 'parse error on line 2, column 5: extraneous or missing " in quoted-field'],
    ['a,"b', 'parse error on line 1, column 5: extraneous or missing " in quoted-field'],
    ['a,"b\nc', 'record on line 1; parse error on line 2, column 2: extraneous or missing " in quoted-field'],
  ])('%j is refused', (text, message) => {
    expect(() => parseCsv(text)).toThrow(new Error(message));
  });

  it('parses its own quoted output', () => {
    const field = fc.string().filter((text) => !text.includes('\r'));
    fc.assert(
      fc.property(fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), (records) => {
        const text = records
          .map((record) => record.map((item) => `"${item.replaceAll('"', '""')}"`).join(','))
          .join('\n');
        expect(parseCsv(text)).toEqual(records);
      }),
    );
  });
});

describe('parseTokenFile', () => {
  it('reads users and groups', () => {
    const { tokens, warnings } = parseTokenFile(
      't1,alice,1,"dev,ops"\nt2,bob,2\nt3,carol,,one,ignored\n',
      'tokens.csv',
    );
    expect(tokens).toEqual([
      { token: 't1', user: { username: 'alice', uid: '1', groups: ['dev', 'ops'] } },
      { token: 't2', user: { username: 'bob', uid: '2', groups: [] } },
      { token: 't3', user: { username: 'carol', groups: ['one'] } },
    ]);
    expect(warnings).toEqual([]);
  });

  it('warns of empty and duplicate tokens; the last duplicate is used', () => {
    const { tokens, warnings } = parseTokenFile(',nobody,0\nt,alice,1\nt,bob,2\n', 'tokens.csv');
    expect(tokens.map(({ user }) => user.username)).toEqual(['bob']);
    expect(warnings).toEqual([
      "empty token has been found in token file 'tokens.csv', record number '1'",
      "duplicate token has been found in token file 'tokens.csv', record number '3'",
    ]);
  });

  it('requires three columns', () => {
    expect(() => parseTokenFile('t,alice\n', 'tokens.csv')).toThrow(
      new Error("token file 'tokens.csv' must have at least 3 columns (token, user name, user uid), found 2"),
    );
  });
});

describe('createStaticTokenAuthenticator', () => {
  const tokens: StaticToken[] = Array.from({ length: 500 }, (_, index) => ({
    token: `token-${index}`,
    user: { username: `user-${index}`, groups: [] },
  }));
  const authenticate = createStaticTokenAuthenticator(tokens, entropy);

  it('accepts every listed token', () => {
    for (const { token, user } of tokens) expect(authenticate(token, request)).toEqual({ user });
  });

  it.each(['', 'token', 'token-', 'token-500', 'token-1 ', 'Token-1', 'token-10token-10'])(
    'does not accept %j',
    (token) => {
      expect(authenticate(token, request)).toBeUndefined();
    },
  );

  it('accepts nothing without tokens', () => {
    expect(createStaticTokenAuthenticator([], entropy)('', request)).toBeUndefined();
  });
});
