/** The expressions of policies and webhooks are compiled in slices: when they are written, and when they are needed. */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkTypes } from '../../../src/admission/policy/type-checking.js';
import { compileMatchConditions } from '../../../src/admission/policy/compile-policy.js';
import { Policy } from '../../../src/admission/policy/policy-index.js';
import { CompiledArtefacts } from '../../../src/foundation/work/compiled-artefacts.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../../../src/foundation/work/work.js';
import { ConfigMap } from '../../../src/kinds/builtin/index.js';
import { policyErrors } from '../../../src/kinds/builtin/admissionregistration/validate-policy.js';
import { webhookErrors } from '../../../src/kinds/builtin/admissionregistration/validate-webhooks.js';
import { loadExpressions } from '../../../src/kinds/builtin/shared/expressions.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { contextOf } from '../../kinds/builtin/support.js';
import { turnsDuring } from '../../support/turns.js';

beforeAll(() => loadExpressions());

const long = (count: number): string =>
  Array.from({ length: count }, (_, index) => `object.metadata.name != 'n${index}'`).join(' && ');

/** Work in slices of 20,000 units. */
function slices(): { readonly work: Work; run<Result>(steps: Steps<Result>): { result: Result; count: number } } {
  let units = 0;
  const work: Work = { ...UNBOUNDED_WORK, spend: (more) => (units += more) > 20_000 };
  return {
    work,
    run(steps) {
      for (let count = 1; ; count += 1) {
        units = 0;
        const step = steps.next();
        if (step.done === true) return { result: step.value, count };
      }
    },
  };
}

const spec = {
  matchConstraints: {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }],
  },
  matchConditions: [{ name: 'a', expression: long(200) }],
  variables: [{ name: 'v', expression: long(200) }],
  validations: [{ expression: `${long(200)} && variables.v`, messageExpression: `'${'x'.repeat(1000)}'` }],
};

describe('long expressions', () => {
  test('of a policy are checked in slices', () => {
    const { work, run } = slices();
    const context = { ...contextOf(kubernetes), work };
    const { result, count } = run(policyErrors(spec, 'a', context, undefined));
    expect(result).toEqual([]);
    expect(count).toBeGreaterThan(8);
    const wrong = { ...spec, validations: [{ expression: `${long(300)} && none` }] };
    expect(run(policyErrors(wrong, 'a', context, undefined)).result.map(String)).toEqual(
      atOnce(policyErrors(wrong, 'a', contextOf(kubernetes), undefined)).map(String),
    );
  });

  test('of webhooks are checked and compiled in slices', () => {
    const { work, run } = slices();
    const clientConfig = { url: 'https://example.com' };
    const webhook = { name: 'a.example.com', clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] };
    const { matchConditions } = spec;
    const context = { ...contextOf(kubernetes), work };
    const checked = run(webhookErrors([{ ...webhook, matchConditions }], undefined, context));
    expect(checked.result).toEqual([]);
    expect(checked.count).toBeGreaterThan(3);
    const compiled = run(compileMatchConditions(matchConditions, context, work));
    expect(typeof compiled.result[0]?.program).toBe('object');
    expect(compiled.count).toBeGreaterThan(3);
  });

  test('of a policy are compiled in slices of the request that needs them, and kept', async () => {
    const compiled = new CompiledArtefacts(Infinity, () => ({ hold: () => undefined }));
    const policy = new Policy('a', spec, { dialect: kubernetes, featureGates: { enabled: () => false }, compiled });
    let spent = 0;
    const work: Work = { ...UNBOUNDED_WORK, spend: (more) => (spent += more) % 3 === 0 || spent > 20_000 };
    const first = policy.compiled(work);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toBe(policy.compiled(work));
    expect(compiled.usedBytes).toBeGreaterThan(100_000);
  });

  test('are checked against the types of kinds in slices', async () => {
    const context = { dialect: kubernetes, featureGates: { enabled: () => false }, definitions: [ConfigMap] };
    const wrong = { ...spec, validations: [{ expression: `${long(300)} && object.none` }] };
    let warnings: unknown;
    expect(await turnsDuring(async () => (warnings = await checkTypes(wrong, context)))).toBeGreaterThan(5);
    expect(warnings).toMatchObject([{ fieldRef: 'spec.validations[0].expression' }]);
  });
});
