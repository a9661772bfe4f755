import { beforeAll, describe, expect, test } from 'vitest';
import { ValidatingPolicies } from '../../../src/admission/policy/index.js';
import { systemEntropy } from '../../../src/foundation/index.js';
import { CompiledArtefacts } from '../../../src/foundation/work/compiled-artefacts.js';
import { kubernetes } from '../../../src/foundation/index.js';
import type { AdmissionAttributes } from '../../../src/registry/verbs/admission.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { ConfigMap } from '../../../src/kinds/builtin/index.js';
import { loadExpressions } from '../../../src/kinds/builtin/shared/expressions.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { rule, type PolicySpec } from './support.js';

const info = new ResourceInfo(ConfigMap, kubernetes);
const featureGates = { enabled: () => false };
const RECORD = { text: '', modRevision: 1, createRevision: 1, decoded: undefined };

beforeAll(() => loadExpressions());

/** The annotations that a policy adds, with two bindings whose parameters are ConfigMaps of their names. */
async function annotationsOf(spec: PolicySpec, data: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  const notFound = new Error('not found');
  const policies = new ValidatingPolicies({
    catalogue: {
      resources: [info],
      store: () => ({
        readable: () => undefined,
        find: (_namespace, name) => Promise.resolve({ ...RECORD, key: name }),
        readFor: (_work, { key: name }) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name },
          data: { name },
        }),
        list: () => Promise.reject(notFound),
      }),
    },
    ...{
      dialect: kubernetes,
      featureGates,
      compiled: new CompiledArtefacts(Infinity, () => ({ hold: () => undefined })),
    },
    findNamespace: () => Promise.reject(notFound),
    decideAccess: () => ({ isAllowed: false, reason: '' }),
  });
  policies.index.setPolicy('p', {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConstraints: { resourceRules: [rule('configmaps')] },
    ...spec,
  });
  for (const name of ['a', 'b'])
    policies.index.setBinding(name, {
      policyName: 'p',
      validationActions: ['Audit', 'Warn'],
      paramRef: { name, parameterNotFoundAction: 'Deny' },
    });
  const annotations = new Map<string, string>();
  const user = { username: 'me', groups: [] };
  const attributes: AdmissionAttributes = {
    ...{ operation: 'CREATE', info, subresource: '', namespace: 'default', name: 'x', requestName: '' },
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data },
    ...{ oldObject: undefined, user, dryRun: false },
    context: {
      ...{ user, dialect: kubernetes, clock: createManualClock(), entropy: systemEntropy, featureGates, userAgent: '' },
      warn: () => undefined,
      // The first value of a key stays.
      annotate: (key, value) => void (annotations.has(key) || annotations.set(key, value)),
    },
  };
  await policies.validate(attributes);
  return annotations;
}

describe('the audit event of a request', () => {
  test('gets the values of all bindings, each once', async () => {
    const annotations = await annotationsOf(
      {
        auditAnnotations: [
          { key: 'same', valueExpression: "'value of ' + object.metadata.name" },
          { key: 'each', valueExpression: 'string(params.data.name)' },
          { key: 'none', valueExpression: 'null' },
          { key: 'blank', valueExpression: "'  '" },
        ],
      },
      {},
    );
    expect([...annotations]).toEqual([
      ['p/same', 'value of x'],
      ['p/each', 'a, b'],
    ]);
  });

  test('gets at most 10 KiB of a value, and whole characters', async () => {
    const auditAnnotations = [{ key: 'long', valueExpression: 'string(object.data.text)' }];
    const annotations = await annotationsOf({ auditAnnotations }, { text: `${'x'.repeat(10_239)}ä` });
    expect(annotations.get('p/long')).toBe('x'.repeat(10_239));
  });

  test('gets the first failure', async () => {
    const validations = [{ expression: 'true' }, { expression: 'false', message: 'bad' }];
    const annotations = await annotationsOf({ validations }, {});
    expect([...annotations.keys()]).toEqual(['validation.policy.admission.k8s.io/validation_failure']);
    expect(JSON.parse(annotations.get('validation.policy.admission.k8s.io/validation_failure') ?? '')).toEqual([
      { message: 'bad', policy: 'p', binding: 'a', expressionIndex: 1, validationActions: ['Audit', 'Warn'] },
    ]);
  });

  test('does not get the error of an annotation, which denies', async () => {
    const auditAnnotations = [{ key: 'broken', valueExpression: 'string(object.data.none)' }];
    await expect(annotationsOf({ auditAnnotations }, {})).rejects.toThrow(
      "ValidatingAdmissionPolicy 'p' with binding 'a' denied request: expression 'string(object.data.none)' resulted in error: no such key: none",
    );
    expect(await annotationsOf({ auditAnnotations, failurePolicy: 'Ignore' }, {})).toEqual(new Map());
  });
});
