import { beforeAll, describe, expect, test } from 'vitest';
import { problemsIn } from '../../src/ui/web/data/check-schema.js';
import { Patterns } from '../../src/ui/web/data/patterns.js';
import { formOf, resolved } from '../../src/ui/web/data/schema.js';
import { objectIn, withValueIn } from '../../src/ui/web/data/yaml-text.js';

describe('a schema', () => {
  const all = {
    'a.Port': { description: 'behind', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    'a.Loop': { allOf: [{ $ref: '#/components/schemas/a.Loop' }] },
  };
  test('is found behind its references, and what is said beside them goes first', () => {
    const reference = { allOf: [{ $ref: '#/components/schemas/a.Port' }] };
    expect(resolved({ ...reference, description: 'beside', default: 1 }, all)).toEqual({
      ...{ description: 'beside', default: 1 },
      oneOf: [{ type: 'integer' }, { type: 'string' }],
    });
    expect(resolved(reference, all)['description']).toBe('behind');
    expect(resolved({ $ref: '#/components/schemas/a.Loop' }, all)).toEqual({});
    expect(resolved({ $ref: '#/components/schemas/b' }, all)).toEqual({});
  });
  test.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', enum: ['a'] }, 'choice'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'number' }, 'number'],
    [{ type: 'boolean' }, 'flag'],
    [{ type: 'array', items: {} }, 'list'],
    [{ type: 'object', properties: {} }, 'fields'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'map'],
    [{ type: 'object', additionalProperties: true }, 'anything'],
    [{ 'x-kubernetes-int-or-string': true }, 'number-or-text'],
    [{ 'x-orch-int-or-string': true }, 'number-or-text'],
    [all['a.Port'], 'number-or-text'],
    [{}, 'anything'],
  ] as const)('%o is entered as %s', (schema, form) => {
    expect(formOf(schema)).toBe(form);
  });
});

describe('problems', () => {
  let patterns: Patterns;
  beforeAll(
    () =>
      new Promise<void>((resolve) => {
        patterns = new Patterns(resolve);
        // Only the server can say it until the library is loaded.
        expect(patterns.matches('b', '^a$')).toBeUndefined();
      }),
  );
  const problems = (value: unknown, schema: Record<string, unknown>): string[] =>
    problemsIn(value, schema, {}, patterns.matches).map(({ path, message }) => `${path.join('.')} ${message}`);
  const properties = (of: Record<string, object>, more: object = {}) => ({ type: 'object', properties: of, ...more });

  test.each([
    [{ type: 'integer' }, 1, 'a'],
    [{ type: 'integer' }, 2n ** 60n, 1.5],
    [{ type: 'number', minimum: 1, maximum: 2 }, 1.5, 3],
    [{ type: 'number', minimum: 1 }, 1, 0],
    [{ type: 'string' }, '1', 1],
    [{ type: 'string', enum: ['a', 'b'] }, 'b', 'c'],
    [{ type: 'string', minLength: 2 }, 'äö', 'ä'],
    [{ type: 'string', maxLength: 1 }, '😀', 'ab'],
    [{ type: 'string', pattern: '^a+$' }, 'aa', 'ab'],
    [{ type: 'boolean' }, false, 'false'],
    [{ type: 'array', minItems: 1 }, [1], []],
    [{ type: 'array', maxItems: 1 }, [1], [1, 2]],
    [{ type: 'array', items: { type: 'string' } }, ['a'], [1]],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 'b' }, { a: 1 }],
    [{ 'x-kubernetes-int-or-string': true }, '80%', true],
    [{ type: 'string', nullable: true }, null, 1],
    [properties({ a: { type: 'string' } }), { a: 'b' }, { b: 'a' }],
    [properties({ a: {} }, { required: ['a'] }), { a: 1 }, {}],
  ])('%o accepts %o, and not %o', (schema, good, bad) => {
    expect(problems(good, schema)).toEqual([]);
    expect(problems(bad, schema)).toHaveLength(1);
  });
  test('are at their places', () => {
    const schema = properties({ list: { type: 'array', items: properties({ a: { type: 'integer' } }) } });
    expect(problems({ list: [{ a: 1 }, { a: 'x' }] }, schema)).toEqual(['list.1.a must be an integer']);
  });
  test('are items with the keys of others, where a key that is left out has its default', () => {
    const items = properties({ port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } });
    const schema = { type: 'array', items, 'x-kubernetes-list-map-keys': ['port', 'protocol'] };
    expect(problems([{ port: 1 }, { port: 1, protocol: 'UDP' }], schema)).toEqual([]);
    expect(problems([{ port: 1 }, { port: 1, protocol: 'TCP' }], schema)).toEqual([
      '1 has the same port and protocol as an item before it',
    ]);
  });
  test('are not members that the schema keeps, nor required ones that the server fills in', () => {
    expect(problems({ b: 1 }, properties({ a: {} }, { 'x-kubernetes-preserve-unknown-fields': true }))).toEqual([]);
    const withDefault = (value: unknown) => properties({ a: { type: 'string', default: value } }, { required: ['a'] });
    expect(problems({}, withDefault('x'))).toEqual([]);
    // The schemas of built-in kinds say the zero value of Go of required fields.
    expect(problems({}, withDefault(''))).toEqual(['a is required']);
  });
  test('are bounded', () => {
    const many = Array.from({ length: 5000 }, () => 'x');
    expect(problems(many, { type: 'array', items: { type: 'integer' } })).toHaveLength(100);
  });
  test.each([
    // Expressions of JavaScript would take longer than a life for these.
    ['^(a+)+$', `${'a'.repeat(40)}!`],
    ['^(a|a)*$', `${'a'.repeat(200)}!`],
    ['^(a?){50}a{50}$', 'b'],
    // Go has these, and JavaScript does not.
    ['^(?P<x>b)$', 'a'],
    ['^(?i)b$', 'a'],
    ['^\\Qa+b\\E$', 'ab'],
  ])('are those of the pattern %s, as the server compares it', (pattern, text) => {
    expect(problems(text, { type: 'string', pattern })).toEqual([` must match ${pattern}`]);
  });
  test('are none of patterns that only the server can compare', () => {
    // Not valid, too large, and a text that is too long for one turn.
    for (const pattern of ['(', '((a{100}){100}){100}', '(?=a)'])
      expect(problems('b', { type: 'string', pattern })).toEqual([]);
    expect(problems('a'.repeat(100_000), { type: 'string', pattern: '^(a+)+b$' })).toEqual([]);
  });
});

describe('a value in a text', () => {
  const text = '# head\nspec:\n  a: 1 # one\n  list:\n    - x\nempty: {}\nnone:\n';
  test('is replaced, added and removed, and the comments stay', () => {
    expect(withValueIn(text, ['spec', 'a'], 2)).toBe(text.replace('a: 1', 'a: 2'));
    expect(withValueIn(text, ['spec', 'list', 1], { b: true })).toContain('    - x\n    - b: true\n');
    expect(withValueIn(text, ['spec', 'list', 0], undefined)).toContain('list: []');
    expect(withValueIn(text, ['spec', 'c', 'd'], '5')).toContain('  c:\n    d: "5"\n');
    expect(objectIn(withValueIn(text, ['spec'], undefined))).toEqual({ empty: {}, none: null });
    expect(withValueIn(text, ['absent', 'x'], undefined)).toBe(text);
  });
  test('finds room in an empty map, and where nothing is', () => {
    expect(withValueIn(text, ['empty', 'a', 'b'], 1)).toContain('empty:\n  a:\n    b: 1\n');
    expect(withValueIn(text, ['none', 'a'], 1)).toContain('none:\n  a: 1\n');
    expect(withValueIn('', ['a', 'b'], 'x')).toBe('a:\n  b: x\n');
  });
  test('keeps integers that numbers cannot hold, and long texts on their lines', () => {
    const long = 'x '.repeat(200);
    expect(objectIn(withValueIn('big: 9007199254740993\n', ['long'], long))).toEqual({ big: 9007199254740993n, long });
    expect(withValueIn('a: 1\n', ['long'], long).split('\n')).toHaveLength(3);
  });
  test('cannot be set in a text that is not YAML', () => {
    expect(() => withValueIn('a: [', ['a'], 1)).toThrow();
  });
});
