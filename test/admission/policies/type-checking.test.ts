import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../src/entries/index.js';
import { ValidatingAdmissionPolicy } from '../../../src/entries/kinds.js';
import { startTestServer } from '../../../src/entries/testing.js';
import { definition, specOf, version } from '../../kinds/custom/world.js';
import { rule, type PolicySpec } from './support.js';

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  ...definition({ versions: [version('v1', specOf({ size: { type: 'integer' } }))] }),
};

const deployments = rule('deployments', { apiGroups: ['apps'] });

/** The status of a policy once it is checked. */
async function statusOf(spec: PolicySpec, update?: PolicySpec) {
  await using running = await startTestServer({ dialect: kubernetes, crds: [widgets] });
  const policies = running.client.resource(ValidatingAdmissionPolicy);
  await policies.create({ metadata: { name: 'p' }, spec });
  await running.settled();
  if (update !== undefined) {
    const { metadata } = await policies.get('p');
    await policies.update({ metadata, spec: update });
    await running.settled();
  }
  return (await policies.get('p')).status;
}

describe('the status of a policy', () => {
  test('shows that it is checked', async () => {
    const status = await statusOf({
      matchConstraints: { resourceRules: [deployments] },
      variables: [{ name: 'replicas', expression: 'object.spec.replicas' }],
      validations: [
        { expression: "variables.replicas > 1 && object.metadata.labels['a'] == 'b'" },
        {
          expression:
            "namespaceObject.metadata.name == request.namespace && authorizer.path('/').check('get').allowed()",
        },
      ],
    });
    expect(status).toEqual({ observedGeneration: 1, typeChecking: {} });
  });

  test('shows expressions that do not fit the kind', async () => {
    const status = await statusOf({
      matchConstraints: { resourceRules: [deployments] },
      validations: [
        { expression: 'object.spec.replicas > 1', messageExpression: "object.spec.nam + ''" },
        { expression: "object.spec.replicas == 'x'" },
      ],
    });
    expect(status).toEqual({
      observedGeneration: 1,
      typeChecking: {
        expressionWarnings: [
          {
            fieldRef: 'spec.validations[0].messageExpression',
            warning:
              "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'nam'\n | object.spec.nam + ''\n | ...........^\n",
          },
          {
            fieldRef: 'spec.validations[1].expression',
            warning:
              "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(int, string)'\n | object.spec.replicas == 'x'\n | .....................^\n",
          },
        ],
      },
    });
  });

  test('shows each kind that does not fit, in order, also custom kinds', async () => {
    const status = await statusOf({
      matchConstraints: {
        resourceRules: [
          rule('widgets', { apiGroups: ['example.com'] }),
          rule('replicasets', { apiGroups: ['apps'], resources: ['replicasets', 'deployments', 'deployments/scale'] }),
          rule('*', { apiGroups: ['batch'] }),
        ],
      },
      validations: [{ expression: 'object.spec.strategy.type != "x" && object.spec.size > 1' }],
    });
    const [{ warning = '' } = {}] = status?.typeChecking?.expressionWarnings ?? [];
    expect(warning.split('\n').filter((line) => line.includes('ERROR'))).toEqual([
      "apps/v1, Kind=Deployment: ERROR: <input>:1:48: undefined field 'size'",
      "apps/v1, Kind=ReplicaSet: ERROR: <input>:1:12: undefined field 'strategy'",
      "ERROR: <input>:1:48: undefined field 'size'",
      "example.com/v1, Kind=Widget: ERROR: <input>:1:12: undefined field 'strategy'",
    ]);
  });

  test('checks parameters by their kind', async () => {
    const status = await statusOf({
      paramKind: { apiVersion: 'example.com/v1', kind: 'Widget' },
      matchConstraints: { resourceRules: [deployments] },
      validations: [
        { expression: 'object.spec.replicas < params.spec.size' },
        { expression: 'params.spec.colour == 1' },
      ],
    });
    expect(status?.typeChecking?.expressionWarnings).toEqual([
      {
        fieldRef: 'spec.validations[1].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'colour'\n | params.spec.colour == 1\n | ...........^\n",
      },
    ]);
  });

  test('follows the generation', async () => {
    const matchConstraints = { resourceRules: [deployments] };
    const status = await statusOf(
      { matchConstraints, validations: [{ expression: 'object.spec.bad == 1' }] },
      { matchConstraints, validations: [{ expression: 'object.spec.replicas == 1' }] },
    );
    expect(status).toEqual({ observedGeneration: 2 });
  });
});
