import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stampDecoded, stampedText } from '../../../src/storage/remote/stamp.js';

const stamped = (text: string, revision: number): string | undefined => stampedText(Buffer.from(text), revision);

describe('the revision in a value', () => {
  it.each([
    [
      'in its usual place',
      '{"kind":"A","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"0"},"data":{}}',
      '{"kind":"A","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"},"data":{}}',
    ],
    [
      'after nested members',
      '{"spec":{"a":[1,{"b":"}"}]},"metadata":{"labels":{"x":"y"},"resourceVersion":"0"}}',
      '{"spec":{"a":[1,{"b":"}"}]},"metadata":{"labels":{"x":"y"},"resourceVersion":"7"}}',
    ],
    [
      'among blanks',
      '{ "metadata" : {\n "resourceVersion" : "0" } }',
      '{ "metadata" : {\n "resourceVersion" : "7" } }',
    ],
    [
      'not in another object of the same name',
      '{"spec":{"metadata":{"resourceVersion":"0"}},"metadata":{"resourceVersion":"0"}}',
      '{"spec":{"metadata":{"resourceVersion":"0"}},"metadata":{"resourceVersion":"7"}}',
    ],
    [
      'not in an annotation that quotes it',
      '{"metadata":{"annotations":{"last":"{\\"resourceVersion\\":\\"0\\"}"},"resourceVersion":"0"}}',
      '{"metadata":{"annotations":{"last":"{\\"resourceVersion\\":\\"0\\"}"},"resourceVersion":"7"}}',
    ],
    [
      'after escapes and non-ASCII text',
      '{"a\\\\":"\\"","ключ":"🔑","metadata":{"resourceVersion":"12"}}',
      '{"a\\\\":"\\"","ключ":"🔑","metadata":{"resourceVersion":"7"}}',
    ],
  ])('is inserted %s', (_, text, expected) => {
    expect(stamped(text, 7)).toBe(expected);
  });

  it.each([
    ['an object without metadata', '{"value":1}'],
    ['metadata without a revision', '{"metadata":{"name":"a"}}'],
    ['a revision that is no string', '{"metadata":{"resourceVersion":0}}'],
    ['a truncated object', '{"metadata":{"resourceVersion":"0'],
    ['a deeply nested object', `${'{"a":'.repeat(50)}1${'}'.repeat(50)}`],
  ])('%s is left unchanged', (_, text) => {
    expect(stamped(text, 7)).toBe(text);
  });

  it.each([
    ['the binary form of another server', Buffer.from('k8s\0\n\x0c\n\x02v1\x12\x06Secret')],
    ['an encrypted value', Buffer.from('k8s:enc:aescbc:v1:key1:abc')],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['nothing', Buffer.alloc(0)],
    ['an array', Buffer.from('[]')],
    ['an API object without metadata', Buffer.from('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}')],
  ])('%s is foreign', (_, value) => {
    expect(stampedText(value, 7)).toBeUndefined();
  });

  it('is where the JSON parser finds it', () => {
    const metadata = fc.record({
      name: fc.string({ unit: 'binary' }),
      resourceVersion: fc.nat().map(String),
      labels: fc.dictionary(fc.string(), fc.string({ unit: 'binary' })),
    });
    const object = fc.record({ before: fc.jsonValue(), metadata, after: fc.jsonValue() });
    fc.assert(
      fc.property(object, fc.boolean(), fc.integer({ min: 1 }), (value, behind, revision) => {
        const ordered = behind
          ? { before: value.before, metadata: value.metadata, after: value.after }
          : { metadata: value.metadata, before: value.before };
        const expected = JSON.stringify({
          ...ordered,
          metadata: { ...value.metadata, resourceVersion: String(revision) },
        });
        expect(stamped(JSON.stringify(ordered), revision)).toBe(expected);
      }),
    );
  });
});

describe('the revision in a decoded value', () => {
  it('replaces the placeholder', () => {
    const decoded = { metadata: { name: 'a', resourceVersion: '0' } };
    stampDecoded(decoded, 12);
    expect(decoded).toEqual({ metadata: { name: 'a', resourceVersion: '12' } });
  });

  it.each([[undefined], [null], [{}], [{ metadata: {} }], [{ metadata: { resourceVersion: 1 } }]])(
    '%j is left unchanged',
    (decoded) => {
      const copy = structuredClone(decoded);
      stampDecoded(decoded, 12);
      expect(decoded).toEqual(copy);
    },
  );
});
