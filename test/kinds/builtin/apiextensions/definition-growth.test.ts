/** The checks of a definition take a time in proportion to it. */
import { expectProportional } from '../../../support/units.js';
import { expect, test } from 'vitest';
import { DEFAULT_DEFINITION_LIMITS } from '../../../../src/foundation/objects/definition-limits.js';
import { atOnce, UNBOUNDED_WORK } from '../../../../src/foundation/work/work.js';
import { kubernetes } from '../../../../src/foundation/index.js';
import {
  noRuleChecks,
  validateDefinitionUpdate,
  type Definition,
} from '../../../../src/kinds/builtin/apiextensions/validation/index.js';
import { definition } from './world.js';

const checks = {
  dialect: kubernetes,
  ruleChecks: noRuleChecks,
  limits: DEFAULT_DEFINITION_LIMITS,
  warn: () => undefined,
  work: UNBOUNDED_WORK,
};

function withStoredVersions(count: number): Definition {
  const storedVersions = ['v1', ...Array.from({ length: count }, (_, index) => `v1beta${index}`)];
  const status = { acceptedNames: { plural: '', kind: '' }, storedVersions, conditions: null };
  const names = { singular: 'thing', listKind: 'ThingList' };
  return { ...definition({ names }), status } as unknown as Definition;
}

test('the number of stored versions', async () => {
  await expectProportional((size) => {
    const stored = withStoredVersions(size);
    return () => atOnce(validateDefinitionUpdate(stored, stored, checks));
  }, 4000);
  const errors = atOnce(validateDefinitionUpdate(withStoredVersions(5000), withStoredVersions(5000), checks));
  expect(String(errors[0])).toBe('status.storedVersions[1]: Invalid value: "v1beta0": must appear in spec.versions');
  expect(errors).toHaveLength(1000);
});
