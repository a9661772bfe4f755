import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FieldError, invalid, notSupported, VerbatimValue } from '../../src/foundation/errors/field-error.js';
import { goQuote, goStringSlice, isPrintable, utf8Length, goSyntax } from '../../src/foundation/go/go-text.js';
import { goFloat, goNumber, goTypeName, goValue } from '../../src/foundation/go/go-values.js';

test.each([
  ['plain', '"plain"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['tab\tline\nbell\x07 nul\0', '"tab\\tline\\nbell\\a nul\\x00"'],
  ['del\x7f', '"del\\x7f"'],
  ['Ünïcode 漢 🙂', '"Ünïcode 漢 🙂"'],
  ['wide\u2028', '"wide\\u2028"'],
  ['zero\u200b', '"zero\\u200b"'],
  ['private\u{f0000}', '"private\\U000f0000"'],
  ['nbsp\u00a0', '"nbsp\\u00a0"'],
])('goQuote %j', (text, expected) => {
  expect(goQuote(text)).toBe(expected);
});

test('lists of strings', () => {
  expect(goStringSlice(['orphan', 'a"b'])).toBe('[]string{"orphan", "a\\"b"}');
  expect(goStringSlice([])).toBe('[]string{}');
});

test('printable characters', () => {
  expect(['a', ' ', 'é', '🙂', '-'].every(isPrintable)).toBe(true);
  expect(['\n', '\x7f', '\u200b', '\u00a0'].some(isPrintable)).toBe(false);
});

test('lengths in UTF-8 are those of an encoder', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'a', 'é', '漢') })),
      (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      },
    ),
  );
});

test('field errors show values as Kubernetes does', () => {
  expect(String(invalid('a', 'x\x07', 'no'))).toBe('a: Invalid value: "x\\a": no');
  expect(String(invalid('a', ['x', 'y'], 'no'))).toBe('a: Invalid value: []string{"x", "y"}: no');
  expect(String(invalid('a', new VerbatimValue('2001-01-01 00:00:00 +0000 UTC'), 'no'))).toBe(
    'a: Invalid value: 2001-01-01 00:00:00 +0000 UTC: no',
  );
  expect(String(invalid('a', undefined, 'no'))).toBe('a: Invalid value: "null": no');
  expect(String(notSupported('a', 3, ['b', 'c']))).toBe('a: Unsupported value: 3: supported values: "b", "c"');
  expect(String(new FieldError('TooLong', 'a', 'x', 'y'))).toBe('a: Too long: y');
});

test('values as Go prints them', () => {
  expect(goValue({ '\uffff': 1e-5, '\u{1f600}': [1e21, 'x', null], a: {}, b: undefined })).toBe(
    'map[a:map[] \uffff:1e-05 \u{1f600}:[1e+21 x <nil>]]',
  );
  expect([1e-4, 9.5e-5, 1e15, 1234567.5, 1e20].map(goNumber)).toEqual([
    '0.0001',
    '9.5e-05',
    '1000000000000000',
    '1.2345675e+06',
    '1e+20',
  ]);
  expect([0, 1e-4, 9.5e-5, 999999.5, 1e6].map(goFloat)).toEqual(['0', '0.0001', '9.5e-05', '999999.5', '1e+06']);
  expect([null, 'a', true, 1, 1.5, [], {}].map(goTypeName)).toEqual([
    '<nil>',
    'string',
    'bool',
    'int64',
    'float64',
    '[]interface {}',
    'map[string]interface {}',
  ]);
});

test('values in the syntax of Go', () => {
  expect(goSyntax({ b: [true, null, 1.5], a: 'x"' })).toBe(
    'map[string]interface {}{"a":"x\\"", "b":[]interface {}{true, interface {}(nil), 1.5}}',
  );
});
