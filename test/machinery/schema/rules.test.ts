import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineResource } from '../../../src/entries/index.js';
import { compileSchema, needsRefinements } from '../../../src/machinery/index.js';
import { rules } from '../../../src/machinery/schema/define/vocabulary.js';
import { startTestServer } from '../../../src/entries/testing.js';

const validationsOf = (schema: z.ZodType) => compileSchema(schema).validations;
const one = { rule: 'self == "a"' };
const two = { rule: 'self != "b"', message: 'must not be b', reason: 'FieldValueForbidden', fieldPath: '.c' } as const;

describe('rules in the vocabulary', () => {
  test('become validations of the compiled schema, and need no zod', () => {
    const schema = rules(z.string(), [one, two]);
    expect(validationsOf(schema)).toEqual([one, two]);
    expect(needsRefinements(schema)).toBe(false);
    expect(validationsOf(z.string())).toBeUndefined();
  });

  test('do not change the type that they are given', () => {
    const text = z.string();
    rules(text, [one]);
    expect(validationsOf(text)).toBeUndefined();
  });

  test('add up, through wrappers and derived types', () => {
    const text = rules(z.string(), [one]);
    expect(validationsOf(rules(text, [two]))).toEqual([one, two]);
    expect(validationsOf(text.min(1).optional())).toEqual([one]);
    expect(validationsOf(rules(text.optional().describe('A text.'), [two]))).toEqual([one, two]);
    expect(validationsOf(text.default('a').readonly())).toEqual([one]);
    const left = rules(z.object({ a: z.string() }), [one]);
    expect(validationsOf(rules(z.intersection(left, rules(z.object({ b: z.string() }), [two])), [one]))).toEqual([
      one,
      two,
      one,
    ]);
  });

  test('keep the facts and the fields of the type', () => {
    const schema = rules(z.object({ a: z.string().describe('A.') }).describe('All.'), [one]);
    expect(compileSchema(schema)).toMatchObject({ description: 'All.', required: ['a'], validations: [one] });
  });

  test.each<[unknown, string]>([
    [one, 'rules: validations must be a list of rules, such as [{ rule: "self.min <= self.max" }], got an object'],
    [[{}], 'rules: validations[0].rule is required'],
    [[{ rule: '' }], 'must be a string that is not empty'],
    [[{ rule: 'a', message: 'a\nb' }], 'must be a string of one line'],
    [[{ rule: 'a', reason: 'Invalid' }], 'must be one of FieldValueInvalid'],
    [[{ rule: 'a', path: '.a' }], 'unknown option "validations[0].path"'],
  ])('refuse %j', (given, message) => {
    expect(() => rules(z.string(), given as never)).toThrow(message);
  });
});

describe('rules of a kind that is declared in code', () => {
  const names = { group: 'rules.example', version: 'v1', scope: 'Namespaced' } as const;
  const range = rules(z.object({ min: z.number().int(), max: z.number().int(), name: z.string() }), [
    { rule: 'self.min <= self.max', messageExpression: '"min is " + string(self.min)', fieldPath: '.min' },
    { rule: 'self.name == oldSelf.name', message: 'name never changes', reason: 'FieldValueForbidden' },
  ]);
  const Range = defineResource({
    ...names,
    kind: 'Range',
    plural: 'ranges',
    schema: () => rules(z.object({ spec: range }), [{ rule: 'self.metadata.name != "taken"', message: 'is taken' }]),
  });

  test('run on create and update', async () => {
    await using running = await startTestServer({ resources: [Range] });
    const ranges = running.client.resource(Range).namespace('default');
    const spec = { min: 1, max: 2, name: 'a' };
    await ranges.create({ metadata: { name: 'a' }, spec });
    const refusal = async (call: Promise<unknown>) =>
      call.then(
        () => 'accepted',
        (error: unknown) => (error as Error).message.replace(/^.* is invalid: /, ''),
      );
    expect(await refusal(ranges.create({ metadata: { name: 'b' }, spec: { ...spec, min: 3 } }))).toBe(
      'spec.min: Invalid value: "object": min is 3',
    );
    expect(await refusal(ranges.create({ metadata: { name: 'taken' }, spec }))).toBe(
      '<nil>: Invalid value: "object": is taken',
    );
    expect(await refusal(ranges.patch('a', { spec: { name: 'b' } }))).toBe('spec: Forbidden: name never changes');
    expect(await refusal(ranges.create({ metadata: { name: 'b' }, spec: { min: 3 } } as never))).toContain(
      'some validation rules were not checked because the object was invalid',
    );
    expect(await refusal(ranges.patch('a', { spec: { max: 5 } }))).toBe('accepted');
  });

  test('run on operations', async () => {
    const Sum = defineResource({
      ...names,
      kind: 'Sum',
      plural: 'sums',
      schema: () => rules(z.object({ a: z.number().int(), b: z.number().int() }), [{ rule: 'self.a < self.b' }]),
      perform: (object) => object,
    });
    await using running = await startTestServer({ resources: [Sum] });
    const sums = running.client.resource(Sum).namespace('default');
    expect(await sums.create({ metadata: {}, a: 1, b: 2 })).toMatchObject({ a: 1 });
    await expect(sums.create({ metadata: {}, a: 2, b: 1 })).rejects.toThrow('failed rule: self.a < self.b');
  });

  test('that do not compile refuse every object', async () => {
    const Broken = defineResource({
      ...names,
      kind: 'Broken',
      plural: 'brokens',
      schema: () => rules(z.object({ a: z.string() }), [{ rule: 'self.b == 1' }]),
    });
    await using running = await startTestServer({ resources: [Broken] });
    const brokens = running.client.resource(Broken).namespace('default');
    await expect(brokens.create({ metadata: { name: 'a' }, a: 'x' })).rejects.toThrow(
      /rule compile error|undefined field/,
    );
  });
});
