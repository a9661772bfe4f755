import { expect, test } from 'vitest';
import { encryptionTrust, unreadKeys } from '../../../src/apiserver/agreement/encryption-keys.js';
import type { ResourceKeys } from '../../../src/storage/index.js';

const entry = (resources: string, ...keys: readonly string[]): ResourceKeys => ({
  resources: resources.split(','),
  keys,
});
/** Returns the objections of a server with the first entries to one with the second ones. */
const between = (own: readonly ResourceKeys[], other: readonly ResourceKeys[]): string[] =>
  unreadKeys(encryptionTrust(own), [encryptionTrust(other)]).map((text) => text.split(': ')[0] ?? '');

test('a key is stated with each mask, in the order in which keys are tried, and masks that are never reached are not', () => {
  expect(encryptionTrust([entry('secrets,*.apps', 'b', 'a'), entry('secrets,*.*', 'c')])).toEqual({
    uses: ['secrets b', '*.apps b', '*.* c'],
    accepts: ['secrets b', 'secrets a', '*.apps b', '*.apps a', '*.* c'],
  });
});

test('each server must read what the other writes, and nothing more', () => {
  const first = [entry('secrets', 'a', 'b', 'own')];
  expect(between(first, [entry('secrets', 'b', 'a', 'other')])).toEqual([]);
  expect(between(first, [entry('secrets', 'b')])).toEqual([
    'another server does not read secrets encrypted with the key a, as this server writes them',
  ]);
  expect(between(first, [entry('secrets', 'c', 'a')])).toEqual([
    'this server does not read secrets encrypted with the key c, as another server writes them',
  ]);
});

test('the remedy names the option', () => {
  const [mine, theirs] = [encryptionTrust([entry('secrets', 'a')]), encryptionTrust([entry('secrets', 'b')])];
  expect(unreadKeys(mine, [theirs, theirs])).toEqual([
    'this server does not read secrets encrypted with the key b, as another server writes them: add the key to the encryption configuration (--encryption-provider-config)',
    'another server does not read secrets encrypted with the key a, as this server writes them: first add the key to the encryption configuration (--encryption-provider-config) of every server, after the one that writes',
  ]);
});

test('a server without encryption reads and writes values as they are', () => {
  expect(between([], [])).toEqual([]);
  expect(between([], [entry('secrets', 'identity', 'a')])).toEqual([]);
  expect(between([], [entry('secrets', 'a', 'identity')])).toEqual([
    'this server does not read secrets encrypted with the key a, as another server writes them',
  ]);
  expect(between([], [entry('secrets', 'a')])).toContain(
    'another server does not read secrets stored as they are (identity), as this server writes them',
  );
});

test('masks that are written differently are compared by the resources that they cover', () => {
  const keys = ['a', 'identity'];
  expect(between([entry('secrets', ...keys)], [entry('*.', ...keys)])).toEqual([
    'this server does not read *. encrypted with the key a, as another server writes them',
  ]);
  expect(between([entry('secrets,*.', ...keys)], [entry('*.', ...keys)])).toEqual([]);
  expect(between([entry('*.*', ...keys)], [entry('widgets.example.com,*.example.com,*.*', ...keys)])).toEqual([]);
  // An earlier entry masks a later one.
  expect(between([entry('*.*', ...keys)], [entry('secrets', 'b', 'a'), entry('*.*', ...keys)])).toEqual([
    'this server does not read secrets encrypted with the key b, as another server writes them',
  ]);
  expect(between([entry('*.*', ...keys)], [entry('*.apps', 'identity'), entry('*.*', ...keys)])).toEqual([
    'another server does not read *.apps encrypted with the key a, as this server writes them',
  ]);
});

test('a server that states nothing is not compared', () => {
  expect(unreadKeys(undefined, [encryptionTrust([entry('secrets', 'a')])])).toEqual([]);
  expect(unreadKeys(encryptionTrust([entry('secrets', 'a')]), [undefined])).toEqual([]);
});
