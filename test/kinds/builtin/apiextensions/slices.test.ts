import { describe, expect, test } from 'vitest';
import { DEFAULT_DEFINITION_LIMITS } from '../../../../src/foundation/objects/definition-limits.js';
import { UNBOUNDED_WORK, type Steps, type Work } from '../../../../src/foundation/work/work.js';
import { kubernetes } from '../../../../src/foundation/index.js';
import {
  noRuleChecks,
  validateDefinition,
  validateDefinitionUpdate,
  type Definition,
} from '../../../../src/kinds/builtin/apiextensions/validation/index.js';
import { definition } from './world.js';

type Schema = Readonly<Record<string, unknown>>;

const VALIDATIONS = 'x-kubernetes-validations';

function definitionOf(schema: Schema): Definition {
  const names = { singular: 'thing', listKind: 'ThingList' };
  const status = { acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'], conditions: null };
  return { ...definition({ schema, names }), status } as unknown as Definition;
}

interface Ran {
  readonly errors: readonly string[];
  readonly units: number;
  readonly pauses: number;
}

/** Runs the checks of a definition with pauses wherever they may pause. */
function ran(steps: (checks: Parameters<typeof validateDefinition>[1]) => Steps<readonly object[]>): Ran {
  let units = 0;
  let pauses = 0;
  const work: Work = {
    ...UNBOUNDED_WORK,
    spend: (more) => {
      units += more;
      return true;
    },
  };
  const running = steps({
    dialect: kubernetes,
    ruleChecks: noRuleChecks,
    limits: DEFAULT_DEFINITION_LIMITS,
    warn: () => undefined,
    work,
  });
  for (let step = running.next(); ; step = running.next()) {
    if (step.done === true) return { errors: step.value.map(String), units, pauses };
    pauses += 1;
  }
}

const created = (schema: Schema): Ran => ran((checks) => validateDefinition(definitionOf(schema), checks));
const updated = (schema: Schema, old: Schema): Ran =>
  ran((checks) => validateDefinitionUpdate(definitionOf(schema), definitionOf(old), checks));

const fields = (count: number, field: (index: number) => Schema): Schema => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, field(index)])),
});

describe('the check of a definition pauses', () => {
  test('at each of its schemas, when it is created and when it changes', () => {
    const wide = fields(2_000, () => ({ type: 'string' }));
    expect(created(wide)).toMatchObject({ errors: [] });
    expect(created(wide).pauses).toBeGreaterThan(5 * 2_000);
    expect(updated({ ...wide, description: 'new' }, wide).pauses).toBeGreaterThan(8 * 2_000);
  });

  test('within conditions', () => {
    const field = () => ({ type: 'string', anyOf: Array.from({ length: 50 }, (_, minLength) => ({ minLength })) });
    expect(created(fields(40, field)).pauses).toBeGreaterThan(5 * 2_000);
  });

  test('at each pattern', () => {
    const patterns = (count: number) => created(fields(count, (index) => ({ type: 'string', pattern: `a{${index}}` })));
    const plain = created(fields(100, () => ({ type: 'string' })));
    expect(patterns(100)).toMatchObject({ errors: [] });
    expect(patterns(100).pauses).toBeGreaterThanOrEqual(plain.pauses + 100);
  });

  test('and finds the errors in the same order', () => {
    const { errors } = created(fields(3, (index) => (index === 1 ? {} : { type: 'string', pattern: '(' })));
    const path = 'spec.validation.openAPIV3Schema.properties';
    expect(errors).toEqual([
      `${path}[f0].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
      `${path}[f1].type: Required value: must not be empty for specified object fields`,
      `${path}[f2].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
    ]);
  });
});

describe('the check of a definition is linear', () => {
  test('in rules that name fields of the same schema', () => {
    const withRules = (count: number) =>
      created({
        ...fields(500, () => ({ type: 'string' })),
        [VALIDATIONS]: Array.from({ length: count }, () => ({ rule: 'true', fieldPath: '.f7' })),
      });
    const more = withRules(1_000).units - withRules(500).units;
    // 500 rules more, not 500 schemas more for each of them.
    expect(withRules(500).errors).toEqual([]);
    expect(more).toBeLessThan(500 * 100);
  });

  test('in nested schemas with such a rule each', () => {
    const nested = (depth: number): Schema =>
      depth === 0
        ? fields(3, () => ({ type: 'string' }))
        : {
            type: 'object',
            properties: { deeper: nested(depth - 1), f0: { type: 'string' } },
            [VALIDATIONS]: [{ rule: 'true', fieldPath: '.f0' }],
          };
    expect(created(nested(200)).errors).toEqual([]);
    expect(created(nested(200)).units).toBeLessThan(2.2 * created(nested(100)).units);
  });

  test('in fields with the same pattern, which is compiled once', () => {
    const samePattern = (count: number) => created(fields(count, () => ({ type: 'string', pattern: '[a-z]{900}' })));
    const plain = (count: number) => created(fields(count, () => ({ type: 'string' })));
    const of = (count: number) => samePattern(count).units - plain(count).units;
    expect(of(1_000) - of(500)).toBeLessThan(500 * 100);
  });

  test('in the keys of a list, each of which has its errors', () => {
    const keys = Array.from({ length: 300 }, (_, index) => `f${index}`);
    const items = { ...fields(300, () => ({ type: 'string' })), required: keys };
    const list = (listMapKeys: readonly string[]): Schema => ({
      type: 'object',
      properties: {
        list: { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': listMapKeys },
      },
    });
    expect(created(list(keys)).errors).toEqual([]);
    expect(created(list([...keys, 'f7', 'missing'])).errors).toHaveLength(2);
  });
});
