import { ValidatingPolicies } from '../../src/admission/policy/index.js';
import { AdmissionWebhooks } from '../../src/admission/webhook/index.js';
import { CompiledArtefacts } from '../../src/foundation/work/compiled-artefacts.js';
import { systemClock, systemEntropy } from '../../src/foundation/index.js';
import { silentLogger } from '../../src/foundation/reporting/logger.js';
import type { ApiObject } from '../../src/foundation/objects/object.js';
import { kubernetes } from '../../src/foundation/index.js';
import type { AdmissionAttributes } from '../../src/registry/verbs/admission.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { ConfigMap, Secret } from '../../src/kinds/builtin/index.js';
import { loadExpressions } from '../../src/kinds/builtin/shared/expressions.js';
import { benchConfigMap } from './object.mjs';
import { interleaved, type Measure } from './measure.js';

const ROUNDS = 15;
const MISSES = 200_000;
const CREATES = 2_000;
const POLICIES = 50;

const resourceRules = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
];

const policy = (index: number) => ({
  matchConstraints: { resourceRules },
  variables: [{ name: 'size', expression: 'has(object.data) ? object.data.size() : 0' }],
  validations: [
    { expression: `variables.size <= ${100 + index}`, messageExpression: "'too many: ' + string(variables.size)" },
    { expression: "object.metadata.name != 'forbidden'" },
  ],
});

/** The cost of policies and webhooks for a request that none matches, and of policies for a create that fifty match. */
export async function admission(): Promise<Measure[]> {
  await loadExpressions();
  const infos = { configMaps: new ResourceInfo(ConfigMap, kubernetes), secrets: new ResourceInfo(Secret, kubernetes) };
  const policies = policiesOf([infos.configMaps, infos.secrets]);
  const webhooks = webhooksOf([infos.configMaps, infos.secrets]);
  const object: ApiObject = { apiVersion: 'v1', kind: 'ConfigMap', ...benchConfigMap('subject') };
  const missed = attributesOf(infos.secrets, object);
  const created = attributesOf(infos.configMaps, object);
  let sink = 0;
  const costs = await interleaved(ROUNDS, {
    miss: () => {
      for (let index = 0; index < MISSES; index += 1) sink += policies.validate(missed) === undefined ? 1 : 0;
    },
    missWebhooks: () => {
      for (let index = 0; index < MISSES; index += 1)
        sink += webhooks.mutate(missed, 0) === undefined && webhooks.validate(missed) === undefined ? 1 : 0;
    },
    create: async () => {
      for (let index = 0; index < CREATES; index += 1) await policies.validate(created);
    },
  });
  if (sink === 0) throw new Error('a policy matches');
  return [
    {
      name: 'policies that do not match a request',
      value: costs.miss.cpuUs / MISSES,
      unit: 'µs CPU',
      target: { sense: '<=', value: 2 },
      detail: `${POLICIES} policies for another resource`,
    },
    {
      name: 'webhooks that do not match a request',
      value: costs.missWebhooks.cpuUs / MISSES,
      unit: 'µs CPU',
      target: { sense: '<=', value: 2 },
      detail: `${POLICIES} mutating and ${POLICIES} validating webhooks for another resource`,
    },
    {
      name: `${POLICIES} policies that match a create`,
      value: costs.create.cpuUs / CREATES,
      unit: 'µs CPU',
      target: { sense: '<=', value: 100 },
      detail: 'two validations and a variable each',
    },
  ];
}

const unused = (): never => {
  throw new Error('a request that nothing matches needs nothing else');
};
const featureGates = { enabled: () => false };

function webhooksOf(resources: readonly ResourceInfo[]): AdmissionWebhooks {
  const webhooks = new AdmissionWebhooks([], {
    ...{ catalogue: { resources }, dialect: kubernetes, clock: systemClock, logger: silentLogger, featureGates },
    ...{ http: unused, decode: unused, findService: unused, findNamespace: unused, decideAccess: unused },
    compiled: new CompiledArtefacts(Infinity, () => ({ hold: () => undefined })),
    meter: {
      ...{ now: unused, called: unused, failedOpen: unused },
      conditions: { now: unused, evaluated: unused },
    },
  });
  for (let index = 0; index < POLICIES; index += 1) {
    const hook = {
      ...{
        name: `hook-${index}.example.com`,
        rules: resourceRules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
      clientConfig: { url: 'https://hooks.example.com' },
    };
    webhooks.mutating.setConfiguration(`hooks-${index}`, [hook]);
    webhooks.validating.setConfiguration(`hooks-${index}`, [hook]);
  }
  return webhooks;
}

function policiesOf(resources: readonly ResourceInfo[]): ValidatingPolicies {
  const policies = new ValidatingPolicies({
    catalogue: { resources, store: unused },
    dialect: kubernetes,
    featureGates,
    compiled: new CompiledArtefacts(Infinity, () => ({ hold: () => undefined })),
    findNamespace: unused,
    decideAccess: unused,
  });
  for (let index = 0; index < POLICIES; index += 1) {
    const name = `policy-${index}`;
    policies.index.setPolicy(name, policy(index));
    policies.index.setBinding(name, { policyName: name, validationActions: ['Deny'] });
  }
  return policies;
}

function attributesOf(info: ResourceInfo, object: ApiObject): AdmissionAttributes {
  const user = { username: 'bench', groups: [] };
  return {
    ...{ operation: 'CREATE', info, subresource: '', namespace: 'default', name: 'subject', requestName: '' },
    ...{ object, oldObject: undefined, user, dryRun: false },
    context: {
      ...{ user, dialect: kubernetes, clock: systemClock, entropy: systemEntropy, userAgent: 'bench' },
      featureGates,
      warn: () => undefined,
    },
  };
}
