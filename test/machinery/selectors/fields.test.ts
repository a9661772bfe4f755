import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import { escapeFieldValue, FieldSelector, type FieldRequirement } from '../../../src/machinery/index.js';

function failure(text: string): string {
  try {
    FieldSelector.parse(text);
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('parse', () => {
  test.each<[string, string, FieldRequirement[]]>([
    ['', '', []],
    [',,', '', []],
    ['=', '', []],
    ['metadata.name=a', 'metadata.name=a', [{ field: 'metadata.name', operator: '=', value: 'a' }]],
    ['metadata.name==a', 'metadata.name=a', [{ field: 'metadata.name', operator: '=', value: 'a' }]],
    ['a!=b', 'a!=b', [{ field: 'a', operator: '!=', value: 'b' }]],
    ['a=', 'a=', [{ field: 'a', operator: '=', value: '' }]],
    ['a!=', 'a!=', [{ field: 'a', operator: '!=', value: '' }]],
    [
      'b=2,a=1',
      'a=1,b=2',
      [
        { field: 'a', operator: '=', value: '1' },
        { field: 'b', operator: '=', value: '2' },
      ],
    ],
    ['a=x\\,y\\=z\\\\', 'a=x\\,y\\=z\\\\', [{ field: 'a', operator: '=', value: 'x,y=z\\' }]],
    ['a=!b', 'a=!b', [{ field: 'a', operator: '=', value: '!b' }]],
    ['a!b=c', 'a!b=c', [{ field: 'a!b', operator: '=', value: 'c' }]],
    ['=a', '=a', [{ field: '', operator: '=', value: 'a' }]],
    [' a = b ', ' a = b ', [{ field: ' a ', operator: '=', value: ' b ' }]],
  ])('%j', (text, canonical, requirements) => {
    const selector = FieldSelector.parse(text);
    expect(selector.toString()).toBe(canonical);
    expect(selector.requirements).toEqual(requirements);
    expect(selector.empty).toBe(requirements.length === 0);
  });

  test.each([
    ['metadata.name>x', "invalid selector: 'metadata.name>x'; can't understand 'metadata.name>x'"],
    ['b=1,x,a', "invalid selector: 'b=1,x,a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a===b', 'invalid field selector: unescaped character in value: 61'],
    ['a!==b', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=\\🙂', 'invalid field selector: invalid escape sequence: \\🙂'],
    [`a=${'b'.repeat(65_536)}`, 'selector is too long: must have at most 65536 characters'],
    [Array(1_001).fill('a=b').join(), 'selector has too many requirements: must have at most 1000'],
  ])('rejected: %#', (text, message) => {
    expect(failure(text)).toBe(message);
  });
});

test('matches, and returns exact values for an index', () => {
  const selector = FieldSelector.parse('status.phase!=Running,spec.node=n1');
  const reader = (fields: Record<string, string>) => (field: string) => fields[field] ?? '';
  expect(selector.matches(reader({ 'spec.node': 'n1', 'status.phase': 'Pending' }))).toBe(true);
  expect(selector.matches(reader({ 'spec.node': 'n1' }))).toBe(true);
  expect(selector.matches(reader({ 'spec.node': 'n1', 'status.phase': 'Running' }))).toBe(false);
  expect(selector.matches(reader({ 'status.phase': 'Pending' }))).toBe(false);
  expect(selector.exact('spec.node')).toBe('n1');
  expect(selector.exact('status.phase')).toBeUndefined();
  expect(FieldSelector.parse('spec.node=').exact('spec.node')).toBe('');
});

test('unsupported fields cause two different errors', () => {
  const common = ['metadata.name', 'metadata.namespace'];
  const unknown = FieldSelector.parse('data.color=blue');
  expect(unknown.checkFields(common)).toBe(
    '"data.color" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
  expect(unknown.checkFields([...common, 'type'])).toBe('field label not supported: data.color');
  expect(unknown.checkFields(common, true)).toBe('field label not supported: data.color');
  expect(unknown.checkFields(['data.color'])).toBeUndefined();
  expect(FieldSelector.parse('metadata.name=a,metadata.namespace!=b').checkFields(common)).toBeUndefined();
  expect(FieldSelector.everything.checkFields([])).toBeUndefined();
});

describe('compared with a naive implementation', () => {
  const field = fc.constantFrom('metadata.name', 'status.phase', 'a');
  const value = fc.string({ unit: fc.constantFrom('a', 'b', ',', '=', '\\', '!', 'é'), maxLength: 5 });
  const requirement = fc.record({ field, operator: fc.constantFrom<'=' | '!='>('=', '!='), value });

  test('matches alike, and after formatting and parsing', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.dictionary(field, value), (requirements, object) => {
        const get = (name: string): string => object[name] ?? '';
        const selector = FieldSelector.of(requirements);
        const dumb = requirements.every((item) => (item.operator === '=') === (get(item.field) === item.value));
        expect(selector.matches(get)).toBe(dumb);
        const text = requirements
          .map((item) => `${item.field}${item.operator}${escapeFieldValue(item.value)}`)
          .join(',');
        expect(FieldSelector.parse(text)).toEqual(selector);
        expect(FieldSelector.parse(selector.toString())).toEqual(selector);
      }),
      { numRuns: 1000 },
    );
  });

  test('any text is parsed or rejected, and the result is stable', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ',', '=', '==', '!=', '\\', '!', '🙂'), maxLength: 12 });
    fc.assert(
      fc.property(text, (source) => {
        let selector;
        try {
          selector = FieldSelector.parse(source);
        } catch (error) {
          expect(error instanceof ApiError && error.code).toBe(400);
          return;
        }
        expect(FieldSelector.parse(selector.toString())).toEqual(selector);
      }),
      { numRuns: 3000 },
    );
  });
});
