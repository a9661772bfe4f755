import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { RuleValidator } from '../../../src/machinery/cel-rules/index.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';
import type { JsonSchemaProps, ValidationRule } from '../../../src/machinery/schema/openapi/json-schema.js';
import { compiledSchema, compiler, resource, validate, withExtensions, withRules } from './support.js';

const string: JsonSchemaProps = { type: 'string' };
const integer: JsonSchemaProps = { type: 'integer' };

/** The errors of a rule on a value, which may be absent before. */
function errorsOf(
  props: JsonSchemaProps,
  rules: string | ValidationRule | readonly (string | ValidationRule)[],
  value: JsonValue,
  oldValue?: JsonValue,
): string[] {
  const list: readonly (string | ValidationRule)[] = Array.isArray(rules) ? rules : [rules as string];
  const oldObject = oldValue === undefined ? undefined : { spec: oldValue };
  return validate(resource(withRules(props, ...list)), { spec: value }, oldObject).errors;
}

const holds = (props: JsonSchemaProps, rule: string, value: JsonValue): void => {
  expect(errorsOf(props, rule, value)).toEqual([]);
};

test('a kind without rules has no plan', () => {
  const validator = new RuleValidator(compiledSchema(resource({ type: 'object' })), compiler);
  expect(validator.hasRules).toBe(false);
  expect(validator.validate({ spec: {} })).toEqual({ errors: [], warnings: [] });
});

describe('values have the types of their schemas', () => {
  test.each<[string, JsonSchemaProps, JsonValue, string]>([
    ['an integer', integer, 5, 'type(self) == int && self / 2 == 2'],
    ['a whole number', { type: 'number' }, 5, 'type(self) == double && self / 2.0 == 2.5'],
    ['a boolean', { type: 'boolean' }, true, 'self'],
    ['bytes', { type: 'string', format: 'byte' }, 'QUI=', "self == b'AB'"],
    ['a date', { type: 'string', format: 'date' }, '2024-02-29', "self == timestamp('2024-02-29T00:00:00Z')"],
    ['a time', { type: 'string', format: 'date-time' }, '2024-02-29T01:00:00+01:00', 'self.getHours() == 0'],
    ['a duration', { type: 'string', format: 'duration' }, '1h30m', "self == duration('90m')"],
    ['a duration in words', { type: 'string', format: 'duration' }, '1 day 2 hours', "self == duration('26h')"],
    ['another format', { type: 'string', format: 'email' }, 'a@b.c', "self.contains('@')"],
    [
      'a map',
      { type: 'object', additionalProperties: integer },
      { a: 1, 'b-c': 2 },
      "self['b-c'] == 2 && size(self) == 2",
    ],
    ['a list', { type: 'array', items: integer }, [1, 2], 'self[1] == 2 && 1 in self'],
  ])('%s', (_, props, value, rule) => {
    holds(props, rule, value);
  });

  test('int-or-string has either type', () => {
    const port = withExtensions({}, { intOrString: true });
    holds(port, 'type(self) == int && self < 100', 80);
    holds(port, "type(self) == string ? self.startsWith('h') : self > 1", 'http');
    expect(errorsOf(port, 'self < 100', 'http')).toEqual([
      `spec: Invalid value: "": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self < 100`,
    ]);
  });

  test('a value without its format fails', () => {
    expect(errorsOf({ type: 'string', format: 'date' }, 'self.getDate() == 1', '2024-13-01')).toEqual([
      'spec: Invalid value: "string": Invalid date formatted string 2024-13-01 evaluating rule: self.getDate() == 1',
    ]);
  });
});

describe('fields', () => {
  test.each([
    ['namespace', '__namespace__'],
    ['a-b', 'a__dash__b'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['a__b', 'a__underscores__b'],
    ['_x', '_x'],
  ])('%s is %s', (name, field) => {
    holds({ type: 'object', properties: { [name]: integer } }, `has(self.${field}) && self.${field} == 1`, {
      [name]: 1,
    });
  });

  test('null is absent', () => {
    holds({ type: 'object', properties: { a: { ...integer, nullable: true } } }, '!has(self.a)', { a: null });
  });

  test('null in a list or map is null', () => {
    holds({ type: 'array', items: { ...integer, nullable: true } }, 'type(self[0]) == null_type', [null]);
    holds({ type: 'object', additionalProperties: { ...string, nullable: true } }, "type(self['a']) == null_type", {
      a: null,
    });
  });

  test('a name that expressions cannot write has rules of its own', () => {
    const props = resource({ type: 'object', properties: { 'a b': withRules(integer, 'self > 1') } });
    expect(validate(props, { spec: { 'a b': 1 } }).errors).toEqual([
      'spec.a b: Invalid value: "integer": failed rule: self > 1',
    ]);
  });

  test('every resource has a name, a kind and a version', () => {
    const rule =
      "self.metadata.name == 'x' && self.kind == 'K' && self.apiVersion == 'v1' && !has(self.metadata.generateName)";
    const root = withRules({ type: 'object', properties: { metadata: { type: 'object' } } }, rule);
    expect(validate(root, { apiVersion: 'v1', kind: 'K', metadata: { name: 'x' } }).errors).toEqual([]);
    const embedded = withExtensions({ type: 'object' }, { embeddedResource: true, preserveUnknownFields: true });
    holds(embedded, rule, { apiVersion: 'v1', kind: 'K', metadata: { name: 'x' } });
  });
});

describe('lists by type', () => {
  const set = withExtensions({ type: 'array', items: string }, { listType: 'set' });
  const item: JsonSchemaProps = { type: 'object', properties: { k: string, v: integer } };
  const map = withExtensions({ type: 'array', items: item }, { listType: 'map', listMapKeys: ['k'] });
  const both = (props: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { a: props, b: props } });

  test('the order of a set does not matter', () => {
    holds(both(set), 'self.a == self.b', { a: ['x', 'y'], b: ['y', 'x'] });
    holds(both({ type: 'array', items: string }), 'self.a != self.b', { a: ['x', 'y'], b: ['y', 'x'] });
    holds(both(set), 'self.a != self.b', { a: ['x', 'y'], b: ['y', 'z'] });
  });

  test('adding to a set adds new items', () => {
    holds(both(set), "self.a + self.b == ['x', 'y', 'z'] && size(self.a + ['x']) == 2", {
      a: ['x', 'y'],
      b: ['y', 'z'],
    });
  });

  test('items with keys are compared by key', () => {
    const [one, two] = [
      { k: 'x', v: 1 },
      { k: 'y', v: 2 },
    ];
    // Items of one list have one type; the items of two fields have two.
    const lists: JsonSchemaProps = { type: 'array', items: map };
    const nine = { k: 'x', v: 9 };
    const three = { k: 'z', v: 3 };
    holds(lists, 'self[0] == self[1]', [
      [one, two],
      [two, one],
    ]);
    holds(lists, 'self[0] != self[1]', [
      [one, two],
      [two, nine],
    ]);
    holds(lists, 'self[0] + self[1] == [self[1][0], self[0][1], self[1][1]]', [
      [one, two],
      [nine, three],
    ]);
  });

  test('objects with fields that have no schema are compared whole', () => {
    const open = withExtensions({ type: 'object', properties: { a: string } }, { preserveUnknownFields: true });
    const rule = 'self[0] == self[1] && self[0] != self[2]';
    const [same, other] = [
      { a: 'x', u: [1] },
      { a: 'x', u: [2] },
    ];
    holds({ type: 'array', items: open }, rule, [same, { ...same }, other]);
  });
});

describe('errors', () => {
  const object: JsonSchemaProps = {
    type: 'object',
    properties: { a: string, m: { type: 'object', additionalProperties: string } },
  };

  test.each<[string, ValidationRule, string]>([
    ['no message', { rule: ' false ' }, 'spec: Invalid value: "object": failed rule: false'],
    ['a message', { rule: 'false', message: ' no ' }, 'spec: Invalid value: "object": no'],
    ['forbidden', { rule: 'false', reason: 'FieldValueForbidden' }, 'spec: Forbidden: failed rule: false'],
    ['required', { rule: 'false', reason: 'FieldValueRequired' }, 'spec: Required value: failed rule: false'],
    ['duplicate', { rule: 'false', reason: 'FieldValueDuplicate' }, 'spec: Duplicate value: "object"'],
    ['invalid', { rule: 'false', reason: 'FieldValueInvalid' }, 'spec: Invalid value: "object": failed rule: false'],
    ['a path', { rule: 'false', fieldPath: '.m.x' }, 'spec.m[x]: Invalid value: "object": failed rule: false'],
    [
      'a path in brackets',
      { rule: 'false', fieldPath: "['a']" },
      'spec.a: Invalid value: "object": failed rule: false',
    ],
    [
      'a failing evaluation',
      { rule: "self.m['y'] == ''", message: 'no y', fieldPath: '.a', reason: 'FieldValueForbidden' },
      'spec: Invalid value: "object": no such key: y evaluating rule: no y',
    ],
    [
      'a message of an expression',
      { rule: 'false', messageExpression: "' a is ' + self.a" },
      'spec: Invalid value: "object": a is 1',
    ],
    [
      'a message expression that fails',
      { rule: 'false', message: 'no', messageExpression: "self.m['y']" },
      'spec: Invalid value: "object": no',
    ],
    [
      'an empty message',
      { rule: 'false', messageExpression: "' '" },
      'spec: Invalid value: "object": failed rule: false',
    ],
    ['two lines', { rule: 'false', messageExpression: "'a\\nb'" }, 'spec: Invalid value: "object": failed rule: false'],
  ])('%s', (_, rule, error) => {
    expect(errorsOf(object, rule, { a: '1', m: { x: '' } })).toEqual([error]);
  });

  test('a path to an entry of the value itself', () => {
    expect(
      errorsOf({ type: 'object', additionalProperties: string }, { rule: 'false', fieldPath: "['x']" }, {}),
    ).toEqual(['spec.[x]: Invalid value: "object": failed rule: false']);
  });

  test('the object itself has no path', () => {
    const root = withRules({ type: 'object', properties: { spec: object } }, 'false', {
      rule: 'false',
      fieldPath: '.spec.a',
    });
    expect(validate(root, {}).errors).toEqual([
      '<nil>: Invalid value: "object": failed rule: false',
      'spec.a: Invalid value: "object": failed rule: false',
    ]);
  });

  test('a too long message is not shown', () => {
    const rule = { rule: 'false', messageExpression: 'self' };
    expect(errorsOf(string, rule, 'x'.repeat(5 * 1024))).toEqual([
      `spec: Invalid value: "string": ${'x'.repeat(5 * 1024)}`,
    ]);
    expect(errorsOf(string, rule, 'x'.repeat(5 * 1024 + 1))).toEqual([
      'spec: Invalid value: "string": failed rule: false',
    ]);
  });

  test('items and entries', () => {
    const props = resource({
      type: 'object',
      properties: {
        list: { type: 'array', items: withRules(integer, 'self > 1') },
        map: { type: 'object', additionalProperties: withRules(integer, 'self > 1') },
      },
    });
    expect(validate(props, { spec: { list: [2, 1], map: { a: 1, b: 2 } } }).errors).toEqual([
      'spec.list[1]: Invalid value: "integer": failed rule: self > 1',
      'spec.map[a]: Invalid value: "integer": failed rule: self > 1',
    ]);
  });

  test('conditions of allOf', () => {
    const spec: JsonSchemaProps = {
      ...object,
      allOf: [withRules({ properties: { a: withRules({}, "self != '1'") } }, 'false')],
    };
    expect(validate(resource(spec), { spec: { a: '1' } }).errors).toEqual([
      'spec: Invalid value: "object": failed rule: false',
      `spec.a: Invalid value: "string": failed rule: self != '1'`,
    ]);
  });

  test('a recursive type', () => {
    const properties = new Map<string, StructuralSchema>([['size', { type: 'integer', presence: 'keep' }]]);
    const tree: StructuralSchema = {
      type: 'object',
      presence: 'keep',
      properties,
      validations: [{ rule: 'self.size > 0' }],
    };
    properties.set('child', tree);
    const root: StructuralSchema = { type: 'object', presence: 'keep', properties: new Map([['spec', tree]]) };
    const { errors } = new RuleValidator(root, compiler).validate({
      spec: { size: 1, child: { size: 2, child: { size: 0 } } },
    });
    expect(errors.map(String)).toEqual(['spec.child.child: Invalid value: "object": failed rule: self.size > 0']);
  });
});

describe('transition rules', () => {
  test('need an old value', () => {
    expect(errorsOf(integer, 'self >= oldSelf', 1)).toEqual([]);
    expect(errorsOf(integer, 'self >= oldSelf', 1, 2)).toEqual([
      'spec: Invalid value: "integer": failed rule: self >= oldSelf',
    ]);
    expect(errorsOf({ ...integer, nullable: true }, 'self >= oldSelf', 1, null)).toEqual([]);
  });

  test('with an optional old value run without one', () => {
    const rule: ValidationRule = { rule: 'self >= oldSelf.orValue(2)', optionalOldSelf: true };
    expect(errorsOf(integer, rule, 1)).toHaveLength(1);
    expect(errorsOf(integer, rule, 1, 1)).toEqual([]);
  });

  test('find old items by their keys', () => {
    const item = withRules({ type: 'object', properties: { k: string, v: integer } }, 'self.v >= oldSelf.v');
    const list = withExtensions({ type: 'array', items: item }, { listType: 'map', listMapKeys: ['k'] });
    const [oldX, oldY] = [
      { k: 'x', v: 1 },
      { k: 'y', v: 5 },
    ];
    expect(
      errorsOf(
        list,
        'true',
        [
          { k: 'y', v: 6 },
          { k: 'x', v: 0 },
          { k: 'z', v: 0 },
        ],
        [oldX, oldY],
      ),
    ).toEqual(['spec[1]: Invalid value: "object": failed rule: self.v >= oldSelf.v']);
  });

  test('a message expression without an old value falls back', () => {
    const rule = { rule: 'oldSelf.hasValue()', optionalOldSelf: true, messageExpression: 'string(oldSelf.orValue(1))' };
    expect(errorsOf(integer, rule, 1)).toEqual(['spec: Invalid value: "integer": failed rule: oldSelf.hasValue()']);
  });
});

describe('values of any type whose unknown fields are preserved', () => {
  const any = withExtensions({}, { preserveUnknownFields: true });
  const spec = (rule: string): JsonSchemaProps =>
    withRules({ type: 'object', properties: { a: any, list: { type: 'array', items: any, maxItems: 3 } } }, rule);
  const one = { a: { x: [1, null, { y: 'z' }], b: 1.5 }, list: [{ x: 1 }, 'text', [null]] };
  const reordered = { list: [{ x: 1 }, 'text', [null]], a: { b: 1.5, x: [1, null, { y: 'z' }] } };
  const other = { ...one, list: [{ x: 2 }, 'text', [null]] };
  const inner = { ...one, a: { x: [1, null, { y: 'y' }], b: 1.5 } };
  const holds = (rule: string, value: JsonValue, oldValue: JsonValue): boolean =>
    validate(resource(spec(rule)), { spec: value }, { spec: oldValue }).errors.length === 0;

  test.each([
    ['self == oldSelf', [true, false, false]],
    ['self in [oldSelf]', [true, false, false]],
    ['[self] == [oldSelf]', [true, false, false]],
    ['self != oldSelf', [false, true, true]],
  ])('are compared as parts of others: %s', (rule, expected) => {
    expect([reordered, other, inner].map((value) => holds(rule, value, one))).toEqual(expected);
  });

  test('may have integers that a double would round', () => {
    const big = (last: bigint): JsonValue => ({ a: { x: [9_007_199_254_740_990n + last] }, list: [] });
    expect(holds('self == oldSelf', big(3n), big(3n))).toBe(true);
    expect(holds('self == oldSelf', big(3n), big(2n))).toBe(false);
  });
});

describe('ratcheting', () => {
  const rules = (props: JsonSchemaProps): JsonSchemaProps => withRules(props, 'self > 5');
  const check = (spec: JsonSchemaProps, value: JsonValue, oldValue: JsonValue) =>
    validate(resource(spec), { spec: value }, { spec: oldValue }, { ratchet: true });
  const failed = (path: string): string => `${path}: Invalid value: "integer": failed rule: self > 5`;

  test('warns of an unchanged value', () => {
    expect(check(rules(integer), 1, 1)).toEqual({ errors: [], warnings: [failed('spec')] });
    expect(check(rules(integer), 1, 2)).toEqual({ errors: [failed('spec')], warnings: [] });
  });

  test('is off by default', () => {
    expect(validate(resource(rules(integer)), { spec: 1 }, { spec: 1 }).errors).toEqual([failed('spec')]);
  });

  test('does not apply to transition rules and failing evaluations', () => {
    expect(check(withRules(integer, 'self > oldSelf'), 1, 1).errors).toHaveLength(1);
    expect(check(withRules(integer, '1 / (self - 1) > 0'), 1, 1).errors).toEqual([
      'spec: Invalid value: "integer": division by zero evaluating rule: 1 / (self - 1) > 0',
    ]);
  });

  const list = (listType: string | undefined, items: JsonSchemaProps): JsonSchemaProps =>
    listType === undefined
      ? { type: 'array', items }
      : withExtensions({ type: 'array', items }, { listType, listMapKeys: ['k'] });

  test.each([undefined, 'atomic', 'set'])('items of a list of type %s depend on the whole list', (type) => {
    expect(check(list(type, rules(integer)), [1], [1]).warnings).toEqual([failed('spec[0]')]);
    expect(check(list(type, rules(integer)), [1, 9], [1]).errors).toEqual([failed('spec[0]')]);
  });

  test('items with keys are compared by key', () => {
    const item: JsonSchemaProps = { type: 'object', properties: { k: string, v: rules(integer) } };
    const { errors, warnings } = check(
      list('map', item),
      [
        { k: 'b', v: 1 },
        { k: 'a', v: 2 },
      ],
      [
        { k: 'a', v: 1 },
        { k: 'b', v: 1 },
      ],
    );
    expect(errors).toEqual([failed('spec[1].v')]);
    expect(warnings).toEqual([failed('spec[0].v')]);
  });

  test('a field without a schema counts as a change', () => {
    const open = withExtensions({ type: 'object', properties: { a: integer } }, { preserveUnknownFields: true });
    const spec = withRules(open, 'self.a > 5');
    expect(check(spec, { a: 1 }, { a: 1 }).warnings).toHaveLength(1);
    expect(check(spec, { a: 1, u: 1 }, { a: 1, u: 1 }).errors).toHaveLength(1);
  });

  test('the kind and version never count as unchanged', () => {
    const root: JsonSchemaProps = { type: 'object', properties: { kind: withRules(string, 'false') } };
    const object: JsonObject = { kind: 'K' };
    expect(validate(root, object, object, { ratchet: true }).errors).toHaveLength(1);
  });
});

describe('limits', () => {
  const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';
  const numbers: JsonSchemaProps = { type: 'array', items: integer };

  test('a rule that costs too much ends the validation', () => {
    const rule = 'self.all(x, self.all(y, self.all(z, z >= 0)))';
    const value = Array.from({ length: 200 }, (_, index) => index);
    expect(errorsOf(numbers, [rule, 'false'], value)).toEqual([
      `spec: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ]);
  });

  test('an object has a budget', () => {
    const spec = withRules(numbers, 'self.all(x, x >= 0)', 'self.all(x, x >= 0)', 'false');
    const value = { spec: Array.from({ length: 100 }, (_, index) => index) };
    expect(validate(resource(spec), value, undefined, { costBudget: 700 }).errors).toEqual([
      `spec: Invalid value: "array": ${OUT_OF_BUDGET}`,
    ]);
    expect(validate(resource(spec), value, undefined, { costBudget: 0 }).errors).toEqual([
      `spec: Invalid value: "array": ${OUT_OF_BUDGET}`,
    ]);
  });

  test('a message is part of the budget', () => {
    const rule = { rule: 'self.size() == 0', messageExpression: "self.map(x, string(x)).join(',')" };
    const spec = withRules(numbers, rule, 'false');
    const value = { spec: Array.from({ length: 100 }, (_, index) => index) };
    expect(validate(resource(spec), value, undefined, { costBudget: 100 }).errors).toEqual([
      `spec: Invalid value: "array": messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run`,
    ]);
  });
});

test('a rule that no longer compiles is an error of every value', () => {
  const [error] = errorsOf(integer, ['missing', 'self > 5'], 1);
  expect(error).toContain(
    `spec: Invalid value: "integer": rule compile error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'missing'`,
  );
});
