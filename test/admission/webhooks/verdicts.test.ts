/** The answer of a webhook is read in pieces: it may have as many warnings and annotations as fit into it. */
import { expect, test } from 'vitest';
import { verdictSteps } from '../../../src/admission/webhook/review.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';

/** Work that pauses whenever it may. */
const PAUSING: Work = { ...UNBOUNDED_WORK, spend: () => true };
const COUNT = 2_000;

const read = (members: JsonObject) => {
  const review = {
    ...{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' },
    response: { uid: 'a', allowed: true, ...members },
  };
  const hook = { phase: 'Validating', reviewVersion: 'v1' } as const;
  const steps = verdictSteps(PAUSING, { review, hook, uid: 'a', group: 'admission.k8s.io' });
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses += 1;
  return { pauses, verdict: step.value };
};

test('an answer pauses at each warning', () => {
  const warnings = Array.from({ length: COUNT }, (_, index) => `warning ${index}`);
  const { pauses, verdict } = read({ warnings });
  expect(verdict.warnings).toEqual(warnings);
  expect(pauses).toBeGreaterThanOrEqual(COUNT);
});

test('an answer pauses at each annotation', () => {
  const auditAnnotations = Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`k${index}`, `v${index}`]));
  const { pauses, verdict } = read({ auditAnnotations });
  expect(Object.fromEntries(verdict.auditAnnotations)).toEqual(auditAnnotations);
  expect(pauses).toBeGreaterThanOrEqual(COUNT);
});

test.each([
  [
    { warnings: ['a', 1] },
    'json: cannot unmarshal number into Go struct field AdmissionResponse.response.warnings of type string',
  ],
  [
    { auditAnnotations: { a: 'b', c: null } },
    'json: cannot unmarshal null into Go struct field AdmissionResponse.response.auditAnnotations of type string',
  ],
])('%j is not an answer', (members, message) => {
  expect(() => read(members)).toThrow(message);
});
