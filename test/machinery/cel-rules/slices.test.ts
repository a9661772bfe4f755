/** Rules are compiled and evaluated in slices, with the results of one piece. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../../../src/foundation/work/work.js';
import { checkValidationRules, RuleValidator } from '../../../src/machinery/cel-rules/index.js';
import type { JsonSchemaProps } from '../../../src/machinery/schema/openapi/json-schema.js';
import { compiledSchema, compiler, extensions, resource, ruleErrors, withRules } from './support.js';

/** Work that counts the units of each slice. */
class Slices {
  readonly ended: number[] = [];
  #units = 0;
  readonly work: Work;

  /** @param size units of a slice */
  constructor(size: number) {
    this.work = { ...UNBOUNDED_WORK, spend: (units) => (this.#units += units) > size };
  }

  /** Runs steps to their end. Returns their result. */
  run<Result>(steps: Steps<Result>): Result {
    for (;;) {
      const step = steps.next();
      this.ended.push(this.#units);
      this.#units = 0;
      if (step.done === true) return step.value;
    }
  }
}

const numbers: JsonSchemaProps = { type: 'array', maxItems: 300, items: { type: 'integer' } };
const schema: JsonSchemaProps = resource({
  type: 'object',
  properties: {
    list: withRules(numbers, 'self.all(x, self.exists(y, y == x))', 'self.map(x, self.filter(y, y < x)).size() > 400'),
    map: {
      type: 'object',
      additionalProperties: withRules(numbers, 'self.exists(x, self.all(y, y <= x))', 'self.sum() < 3'),
    },
    items: { type: 'array', items: withRules({ type: 'integer' }, 'self < 999') },
  },
});
const list = Array.from({ length: 200 }, (_, index) => index);
const object: JsonObject = {
  spec: { list, map: { a: list, b: [1], c: list.slice(50) }, items: Array.from({ length: 1000 }, (_, index) => index) },
};

describe('the validation of an object', () => {
  test.each([1, 500, 20_000, 300_000])('has the same errors in slices of %i units', (size) => {
    const validator = new RuleValidator(compiledSchema(schema), compiler);
    const whole = validator.validate(object);
    expect(whole.errors.map(String)).toHaveLength(4);
    const slices = new Slices(size);
    const found = slices.run(validator.validateInSlices(object, undefined, slices.work));
    expect(found.errors.map(String)).toEqual(whole.errors.map(String));
    // Besides the first piece of an expression, which is abandoned, pieces are at most a thousand units longer.
    expect(Math.max(...slices.ended)).toBeLessThan(size + 101_000);
    expect(slices.ended.length).toBeGreaterThan(300_000 / Math.max(size, 1000));
  });

  test('with small rules needs one slice', () => {
    const slices = new Slices(20_000);
    const validator = new RuleValidator(compiledSchema(schema), compiler);
    slices.run(validator.validateInSlices({ spec: { map: { b: [1] } } }, undefined, slices.work));
    expect(slices.ended).toHaveLength(1);
  });

  test('keeps the budget of an object', () => {
    const validator = new RuleValidator(compiledSchema(schema), compiler);
    const options = { costBudget: 300_000 };
    const slices = new Slices(100);
    expect(slices.run(validator.validateInSlices(object, undefined, slices.work, options)).errors.map(String)).toEqual(
      validator.validate(object, undefined, options).errors.map(String),
    );
  });
});

test.each([
  ['objects', (index: number) => ({ known: [index], unknown: { deep: [index] } }), undefined],
  ['sets', (index: number) => `text-${index}`, 'set'],
  ['lists by key', (index: number) => ({ name: `n${index}`, value: [index] }), 'map'],
])('%s are compared in slices', (_name, item, listType) => {
  const of: JsonSchemaProps =
    listType === 'set'
      ? { type: 'string' }
      : {
          type: 'object',
          properties: { name: { type: 'string' }, known: numbers, value: numbers },
          [extensions.preserveUnknownFields]: true,
          ...(listType === 'map' ? { required: ['name'] } : {}),
        };
  const list: JsonSchemaProps = {
    type: 'array',
    items: of,
    ...(listType === undefined ? {} : { [extensions.listType]: listType }),
    ...(listType === 'map' ? { [extensions.listMapKeys]: ['name'] } : {}),
  };
  const compared = { type: 'object', properties: { list } } satisfies JsonSchemaProps;
  const ruled = compiledSchema(resource(withRules(compared, 'self.list == oldSelf.list && self == oldSelf')));
  const items = Array.from({ length: 15_000 }, (_each, index) => item(index));
  const given: JsonObject = { spec: { list: items } };
  const others = [items.slice().reverse(), [...items.slice(1), item(-1)]];
  for (const other of [items, ...others]) {
    const old: JsonObject = { spec: { list: other } };
    const whole = new RuleValidator(ruled, compiler).validate(given, old).errors.map(String);
    const slices = new Slices(500);
    const validator = new RuleValidator(ruled, compiler);
    const found = slices.run(validator.validateInSlices(given, old, slices.work));
    expect(found.errors.map(String)).toEqual(whole);
    const isEqual = other === items || (listType !== undefined && other === others[0]);
    expect(whole).toHaveLength(isEqual ? 0 : 1);
    if (isEqual && listType !== 'set') expect(slices.ended.length).toBeGreaterThan(20);
  }
});

test('the check of a schema pauses within long rules, and between rules', () => {
  const rule = Array.from({ length: 3000 }, (_, index) => `self[0] > ${index}`).join(' && ');
  const rules = [rule, 'self.size() < 3', rule.replaceAll('self[0]', 'self[1]')];
  const checked = compiledSchema(resource({ type: 'object', properties: { list: withRules(numbers, ...rules) } }));
  const options = { path: 'p', extension: extensions.validations };
  const slices = new Slices(40_000);
  const found = slices.run(checkValidationRules(checked, compiler, { ...options, work: slices.work }));
  expect(found).toEqual(atOnce(checkValidationRules(checked, compiler, { ...options, work: UNBOUNDED_WORK })));
  expect(slices.ended.length).toBeGreaterThan(20);
});

test('the text of all rules of a schema has a limit', () => {
  const rule = `self.size() >= 0 || "${'x'.repeat(90_000)}" == ""`;
  const errorsOf = (count: number): string[] => {
    const properties = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`p${index}`, withRules(numbers, rule)]),
    );
    return ruleErrors(resource({ type: 'object', properties }));
  };
  expect(errorsOf(2)).toEqual([]);
  expect(errorsOf(4)).toEqual([expect.stringMatching(/: Too long: must have at most 262144 bytes$/)]);
});
