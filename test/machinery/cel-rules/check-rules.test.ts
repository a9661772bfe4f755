import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { describe, expect, test } from 'vitest';
import type { JsonSchemaProps, ValidationRule } from '../../../src/machinery/schema/openapi/json-schema.js';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import { ruleChecks } from '../../../src/machinery/cel-rules/index.js';
import { compiledSchema, compiler, PATH, resource, ruleErrors, withExtensions, withRules } from './support.js';

const string: JsonSchemaProps = { type: 'string', maxLength: 64 };
const SPEC = `${PATH}.properties[spec]`;
const RULE = `${SPEC}.x-kubernetes-validations[0]`;

/** The errors of one rule on a spec with the text `a`. */
const errorsOf = (
  rule: string | ValidationRule,
  spec: JsonSchemaProps = { type: 'object', properties: { a: string } },
) => ruleErrors(resource(withRules(spec, rule)));

test('valid rules have no errors', () => {
  expect(errorsOf("self.a == 'x'")).toEqual([]);
  expect(errorsOf({ rule: 'self.a == oldSelf.a', messageExpression: "'was ' + oldSelf.a", fieldPath: '.a' })).toEqual(
    [],
  );
  expect(errorsOf({ rule: 'oldSelf.hasValue()', optionalOldSelf: true, reason: 'FieldValueRequired' })).toEqual([]);
  expect(ruleErrors({ type: 'object' })).toEqual([]);
});

const shown = (rule: string, rest = 'Message:"", MessageExpression:""'): string =>
  `Invalid value: apiextensions.ValidationRule{Rule:"${rule}", ${rest}, Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}`;

describe('expressions', () => {
  test('an unknown field', () => {
    expect(errorsOf('self.b == 1')).toEqual([
      `${RULE}.rule: ${shown('self.b == 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^`,
    ]);
  });

  test('a result that is no boolean', () => {
    expect(errorsOf('self.a')).toEqual([`${RULE}.rule: ${shown('self.a')}: cel expression must evaluate to a bool`]);
  });

  test('a message that is no text', () => {
    const rest = 'Message:"", MessageExpression:"1"';
    expect(errorsOf({ rule: 'true', messageExpression: '1' })).toEqual([
      `${RULE}.messageExpression: ${shown('true', rest)}: messageExpression must evaluate to a string`,
    ]);
  });

  test('a message that does not compile', () => {
    const [error] = errorsOf({ rule: 'true', messageExpression: 'self.b' });
    expect(error).toContain(": messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'b'");
  });

  test('a constant pattern that is invalid', () => {
    const [error] = errorsOf("self.a.matches('[')");
    expect(error).toContain(': compilation failed: ERROR: <input>:1:16: invalid matches argument');
  });

  test('optionalOldSelf without oldSelf', () => {
    expect(errorsOf({ rule: 'true', optionalOldSelf: false })).toEqual([
      `${RULE}.optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule`,
    ]);
  });

  test('a value that expressions cannot see', () => {
    const free = withExtensions({}, { preserveUnknownFields: true });
    expect(ruleErrors(resource(withRules(free, 'true')))).toEqual([
      `${SPEC}.x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations`,
    ]);
  });
});

describe('transition rules', () => {
  const item = withRules({ type: 'object', properties: { k: string } }, 'self == oldSelf');
  const list = (listType: string | undefined): JsonSchemaProps => {
    const props: JsonSchemaProps = { type: 'array', maxItems: 4, items: { ...item, required: ['k'] } };
    return listType === undefined ? props : withExtensions(props, { listType, listMapKeys: ['k'] });
  };

  test('need items with keys', () => {
    expect(ruleErrors(resource({ type: 'object', properties: { list: list('map') } }))).toEqual([]);
  });

  test.each([undefined, 'atomic', 'set'])('do not fit items of a list of type %s', (listType) => {
    expect(ruleErrors(resource({ type: 'object', properties: { list: list(listType) } }))).toEqual([
      `${SPEC}.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${SPEC}.properties[list]`,
    ]);
  });

  test('name the outermost list', () => {
    const outer: JsonSchemaProps = { type: 'array', maxItems: 2, items: list('map') };
    const [error] = ruleErrors(resource({ type: 'object', properties: { outer } }));
    expect(error).toContain(`within ${SPEC}.properties[outer]`);
  });
});

describe('cost', () => {
  const HINT =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
  const numbers = (rule: string, maxItems?: number): JsonSchemaProps =>
    withRules({ type: 'array', maxItems, items: { type: 'number' } }, rule);

  test('of one rule', () => {
    expect(ruleErrors(resource(numbers('self.all(x, x == 0.0)', 4_000_000)))).toEqual([
      `${RULE}.rule: Forbidden: estimated rule cost exceeds budget by factor of 1.6x ${HINT}`,
    ]);
    expect(ruleErrors(resource(numbers('self.all(x, x == 0.0)', 3_000_000)))).toEqual([
      `${RULE}.rule: Forbidden: estimated rule cost exceeds budget by factor of 1.200000x ${HINT}`,
    ]);
  });

  test('is not limited for a schema that did not change', () => {
    expect(ruleErrors(resource(numbers('self.all(x, x == 0.0)', 4_000_000)), true)).toEqual([]);
  });

  test('counts the values to which a rule may apply', () => {
    const bounded: JsonSchemaProps = { type: 'array', maxItems: 10, items: numbers('self.all(x, true)', 1000) };
    expect(ruleErrors(resource(bounded))).toEqual([]);
    const unbounded: JsonSchemaProps = { type: 'array', items: numbers('self.all(x, true)', 1000) };
    expect(ruleErrors(resource(unbounded))).toEqual([
      `${SPEC}.items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${HINT}`,
      `${SPEC}.items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `${PATH}: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 31.5x ${HINT}`,
    ]);
  });

  test('of a message', () => {
    const props = withRules(
      { type: 'array', items: { type: 'string' } },
      {
        rule: 'true',
        messageExpression: "self.join(',')",
      },
    );
    expect(ruleErrors(resource(props))[0]).toBe(
      `${RULE}.messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of more than 100x ${HINT}`,
    );
  });

  test('of all rules names the four most expensive', () => {
    const properties = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) => [name, numbers('self.all(x, x == 0.0)', 6e6 + index)]),
    );
    const found = ruleErrors(resource({ type: 'object', properties }));
    const contributors = found.filter((text) => text.includes('contributed to')).map((text) => text.split(']')[1]);
    expect(contributors).toEqual(['.properties[f', '.properties[e', '.properties[d', '.properties[c']);
    expect(found.at(-1)).toContain('entire OpenAPIv3 schema exceeds budget by factor of 1.440001x');
  });
});

test.each([
  "quantity(self.a) == quantity('1')",
  "ip(self.a) == ip('::1')",
  "cidr(self.a) != cidr('10.0.0.0/8')",
  "self.list.exists(item, quantity(item) == quantity('1'))",
])('the estimate of a comparison without a bound refuses a definition: %s', (rule) => {
  const bounded: JsonSchemaProps = { type: 'string', maxLength: 10 };
  const spec: JsonSchemaProps = {
    type: 'object',
    properties: { a: bounded, list: { type: 'array', items: bounded, maxItems: 3 } },
  };
  expect(errorsOf(rule, spec)[0]).toContain('estimated rule cost exceeds budget by factor of more than 100x');
  expect(errorsOf("quantity(self.a).compareTo(quantity('1')) == 0", spec)).toEqual([]);
  expect(errorsOf("url(self.a) == url('http://x')", spec)).toEqual([]);
});

test('defaults are checked by the rules of their schema', () => {
  const { checkDefault } = ruleChecks(compiler);
  const check = (props: JsonSchemaProps, value: JsonValue): string[] =>
    atOnce(checkDefault(compiledSchema(props), value, 'spec.default', UNBOUNDED_WORK)).map(String);
  expect(check(withRules({ type: 'integer' }, 'self > 1', 'self > oldSelf'), 1)).toEqual([
    'spec.default: Invalid value: "integer": failed rule: self > 1',
    'spec.default: Invalid value: "integer": failed rule: self > oldSelf',
  ]);
  const optional = (rule: string): JsonSchemaProps =>
    withExtensions({ type: 'integer' }, { validations: [{ rule, optionalOldSelf: true }] });
  expect(check(optional('oldSelf.hasValue() || self > 1'), 1)).toEqual([
    'spec.default: Invalid value: "integer": failed rule: oldSelf.hasValue() || self > 1',
  ]);
  expect(check(optional('oldSelf.orValue(2) > 1'), 1)).toHaveLength(1);
  expect(check(optional('oldSelf.orValue(2) > 1'), 2)).toEqual([]);
  expect(check({ type: 'object', properties: { a: withRules({ type: 'integer' }, 'self > 1') } }, { a: 1 })).toEqual([
    'spec.default.a: Invalid value: "integer": failed rule: self > 1',
  ]);
});
