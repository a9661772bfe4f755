import { expect, test } from 'vitest';
import { ApiError, errors } from '../../src/foundation/errors/api-error.js';
import { invalid, VerbatimValue } from '../../src/foundation/errors/field-error.js';

const LONG = 'A'.repeat(400_000);
const KIND = { group: '', kind: 'ConfigMap' };
const RESOURCE = { group: '', resource: 'configmaps' };

test.each<[string, () => ApiError]>([
  ['the name of an invalid object', () => errors.invalid(KIND, LONG, [invalid('metadata.name', LONG, 'wrong')])],
  [
    'many errors of one name',
    () =>
      errors.invalid(
        KIND,
        LONG,
        [1, 2, 3, 4].map((n) => invalid('a', LONG, `${n}`)),
      ),
  ],
  ['a field', () => errors.invalid(KIND, 'a', [invalid(`spec[${LONG}]`, 1, 'wrong')])],
  ['a value as it is', () => errors.invalid(KIND, 'a', [invalid('a', new VerbatimValue(LONG), 'wrong')])],
  ['a name that is not found', () => errors.notFound(RESOURCE, LONG)],
  ['a name that exists', () => errors.alreadyExists(RESOURCE, LONG)],
  ['a name in conflict', () => errors.conflict(RESOURCE, LONG, 'why')],
  ['a name that is forbidden', () => errors.forbidden(RESOURCE, LONG, 'why')],
])('an error does not repeat all of a long text: %s', (_name, make) => {
  const text = JSON.stringify(make().status);
  expect(text).toMatch(/AAAA"?… \(38[\d,]+ more\)|AAAA\\"… \(38[\d,]+ more\)/);
  // Two texts and a name, each cut, for one error; four errors for the second.
  expect(text.length).toBeLessThan(12 * 16_384);
});

test('a short name is quoted whole', () => {
  expect(errors.notFound(RESOURCE, 'a"b').message).toBe('configmaps "a\\"b" not found');
});
