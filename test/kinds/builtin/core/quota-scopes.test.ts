import { atOnce } from '../../../../src/foundation/work/work.js';
import { expect, test } from 'vitest';
import { FieldErrorList, MAX_ERROR_CHARACTERS } from '../../../../src/foundation/errors/field-error-list.js';
import { kubernetes, LONG_VALUE } from '../../../../src/foundation/index.js';
import { validateQuotaSpec } from '../../../../src/kinds/builtin/core/resource-quota/validate.js';

const COUNT = 5_000;
const scopes = Array.from({ length: COUNT }, () => 'BestEffort');
const hard = { pods: '1', secrets: '1', services: '1', configmaps: '1' };

test('a quota with many scopes has short errors', () => {
  const errors = new FieldErrorList();
  atOnce(validateQuotaSpec(errors, { hard, scopes }, kubernetes));
  expect(errors.length + errors.omitted).toBe(COUNT * 3);
  // Each error would show all scopes.
  expect(errors.map(String).join('').length).toBeLessThan(MAX_ERROR_CHARACTERS);
  expect(String(errors[0])).toContain(LONG_VALUE);
});
