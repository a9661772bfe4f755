import { describe, expect, test } from 'vitest';
import { errors } from '../../src/foundation/errors/api-error.js';
import { aggregateText, invalid, notSupported } from '../../src/foundation/errors/field-error.js';
import { allErrors, appendErrors, FieldErrorList } from '../../src/foundation/errors/field-error-list.js';

const KIND = { group: 'shop.example.com', kind: 'Cup' };

function manyErrors(count: number, value: unknown = 1): FieldErrorList {
  const found = new FieldErrorList();
  for (let index = 0; index < count; index += 1) found.push(invalid(`spec.items[${index}]`, value, 'is wrong'));
  return found;
}

describe('a list of errors', () => {
  test('keeps the first thousand, and counts the others', () => {
    const found = manyErrors(1_300_000);
    expect([found.length, found.omitted, found.isFull]).toEqual([1_000, 1_299_000, true]);
  });

  test('is full when the texts are long', () => {
    const found = manyErrors(500, 'x'.repeat(10_000));
    expect(found.length).toBe(27);
    expect(found.omitted).toBe(473);
  });

  test('adds up the errors that were left out', () => {
    const all = allErrors(manyErrors(900), manyErrors(2_000), [invalid('a', 1, 'b')]);
    expect([all.length, all.omitted]).toEqual([1_000, 1_901]);
    const more = new FieldErrorList();
    appendErrors(more, all);
    expect([more.length, more.omitted]).toEqual([1_000, 1_901]);
    expect(more.filter(() => true)).not.toBeInstanceOf(FieldErrorList);
  });
});

describe('a Status', () => {
  test('has the first errors as causes, then their number', () => {
    const { status } = errors.invalid(KIND, 'a', manyErrors(1_300_000));
    expect(status.details?.causes).toHaveLength(1_001);
    expect(status.details?.causes?.at(-1)).toEqual({ message: '… and 1,299,000 more' });
    expect(status.message).toMatch(
      /^Cup\.shop\.example\.com "a" is invalid: \[spec\.items\[0\]: Invalid value: 1: is wrong, /,
    );
    expect(status.message).toMatch(/, … and 1,299,000 more\]$/);
  });

  test('has at most 256 KiB of texts', () => {
    // A plain list: of a validation that collects its errors itself.
    const found = Array.from({ length: 5_000 }, (_, index) => invalid(`f[${index}]`, 'x'.repeat(9_000), 'is wrong'));
    const { status } = errors.invalid(KIND, 'a', found);
    expect(JSON.stringify(status.details?.causes).length).toBeLessThan(280_000);
    expect(status.message).toContain('… and 4,971 more]');
    expect(aggregateText(found).length).toBeLessThan(280_000);
  });

  test('has a single error as it is', () => {
    const { status } = errors.invalid(KIND, 'a', [invalid('spec.size', 7, 'is wrong')]);
    expect(status.message).toBe('Cup.shop.example.com "a" is invalid: spec.size: Invalid value: 7: is wrong');
    expect(status.details?.causes).toHaveLength(1);
  });
});

describe('an error', () => {
  test('shows 4 KiB of the values of an enumeration', () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `value-${index}`);
    const { detail } = notSupported('spec.size', 'x', values);
    expect(detail.length).toBeLessThan(4_200);
    expect(detail).toMatch(/^supported values: "value-0", "value-1", .*"value-\d+", … \(19,\d{3} more\)$/);
    expect(notSupported('a', 'x', ['b', 'c']).detail).toBe('supported values: "b", "c"');
  });

  test('shows the beginning of a long text', () => {
    const text = invalid('a', 'x'.repeat(1_000_000), 'is wrong').toString();
    expect(text).toBe(`a: Invalid value: "${'x'.repeat(16_384)}"… (983,616 more): is wrong`);
  });

  test('does not show a long object', () => {
    const object = { list: Array.from({ length: 100_000 }, () => ({ a: 1 })) };
    expect(invalid('a', object, 'is wrong').body).toBe('Invalid value: … (more than 16,384 characters): is wrong');
    expect(invalid('a', { b: [1] }, 'is wrong').body).toBe('Invalid value: {"b":[1]}: is wrong');
  });

  test('shows the beginning of a long detail', () => {
    expect(invalid('a', 1, `must match ${'x'.repeat(500_000)}`).body.length).toBeLessThan(17_000);
  });
});
