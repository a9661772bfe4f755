/**
 * The validating admission policies of one server: they follow the stored policies and bindings. CEL and the code of
 * policies are loaded with the first policy.
 *
 * @module
 */
import type { DecideAccess, ValidatingPolicies } from '../../admission/index.js';
import { importParamAccess, importPolicy } from '../../admission/late.js';
import {
  isJsonObject,
  loading,
  whenReady,
  type CompiledArtefacts,
  type JsonObject,
  type Logger,
  type StoredObject,
  type UserInfo,
} from '../../foundation/index.js';
import {
  loadExpressions,
  Namespace,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingV1alpha1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyV1beta1,
} from '../../kinds/index.js';
import type { AuthorizationCheck, AuthorizationDecision } from '../../machinery/index.js';
import {
  FollowedConfiguration,
  type AdmissionPlugin,
  type Catalogue,
  type ConfiguringKind,
  type FeatureSwitches,
  type ResourceDefinition,
} from '../../registry/index.js';
import type { Attributes, Authorizer, Decision } from '../../security/index.js';
import { policyMeter, requirementsOf, type Metrics } from '../../server/index.js';

/** Dependencies of {@link AdmissionPolicies}. */
export interface AdmissionPoliciesParts {
  readonly catalogue: Catalogue;
  readonly featureGates: FeatureSwitches;
  readonly compiled: CompiledArtefacts;
  readonly logger: Logger;
  readonly authorize: Authorizer;
  readonly metrics: Metrics;
}

/** The kinds of policies and bindings, in all versions. */
const POLICY_KINDS: readonly ResourceDefinition[] = [
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyBindingV1alpha1,
];

/** The policies of one server. */
export class AdmissionPolicies {
  readonly #parts: AdmissionPoliciesParts;
  readonly #configuration: FollowedConfiguration<ValidatingPolicies>;

  constructor(parts: AdmissionPoliciesParts) {
    const { catalogue, logger } = parts;
    this.#parts = parts;
    this.#configuration = new FollowedConfiguration({
      ...{ catalogue, logger },
      subject: 'admission policies',
      kinds: [policies, bindings],
      load: () => this.#load(),
    });
  }

  /**
   * Reads the stored policies and bindings, and starts to follow them.
   *
   * @throws StorageError when the storage cannot be read
   */
  start(): Promise<void> {
    return this.#configuration.start();
  }

  /** Stops following. */
  stop(): void {
    this.#configuration.stop();
  }

  /** The admission plugin. */
  readonly plugin: AdmissionPlugin = {
    name: 'ValidatingAdmissionPolicy',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    validate: (attributes) => this.#configuration.use((found) => found.validate(attributes)),
  };

  /** The plugin that lets only those write policies and bindings who may read the parameters. */
  readonly paramAccess: AdmissionPlugin = {
    name: 'ValidatingAdmissionPolicyParamAccess',
    operations: ['CREATE', 'UPDATE'],
    kinds: POLICY_KINDS,
    validate: async (attributes) => {
      const { checkParamAccess } = await loading(importParamAccess());
      const { catalogue, authorize } = this.#parts;
      await checkParamAccess(attributes, {
        catalogue,
        findPolicy: (name) => catalogue.find(ValidatingAdmissionPolicy, '', name),
        isAllowed: async (user, { group: apiGroup, version: apiVersion, ...permission }) => {
          const { decision, error } = await authorize({
            ...{ ...permission, user, apiGroup, apiVersion },
            ...{ isResource: true, subresource: '', path: '' },
          });
          if (decision !== 'Allow' && error !== undefined) throw error;
          return decision === 'Allow';
        },
      });
    },
  };

  async #load(): Promise<ValidatingPolicies> {
    const { catalogue, featureGates, compiled, authorize, metrics } = this.#parts;
    const [{ ValidatingPolicies }] = await Promise.all([importPolicy(), loadExpressions()]);
    return new ValidatingPolicies({
      ...{ catalogue, featureGates, compiled },
      dialect: catalogue.environment.dialect,
      findNamespace: (name) => catalogue.find(Namespace, '', name),
      decideAccess: accessDecider(authorize),
      meter: policyMeter(metrics, catalogue.environment.clock),
    });
  }
}

/** Returns the spec of a policy or binding. Validation has checked its members. */
function specOf(name: string, { spec }: StoredObject & { readonly spec?: unknown }): JsonObject {
  if (!isJsonObject(spec)) throw new TypeError(`the stored object ${name} has no spec`);
  return spec;
}

const policies: ConfiguringKind<ValidatingPolicies> = {
  definition: ValidatingAdmissionPolicy,
  needsPart: true,
  present: (name, object) => {
    const spec = specOf(name, object);
    return ({ index }) => index.setPolicy(name, spec);
  },
  absent:
    (name) =>
    ({ index }) =>
      index.deletePolicy(name),
};

const bindings: ConfiguringKind<ValidatingPolicies> = {
  definition: ValidatingAdmissionPolicyBinding,
  needsPart: false,
  present: (name, object) => {
    const spec = specOf(name, object);
    return ({ index }) => index.setBinding(name, spec);
  },
  absent:
    (name) =>
    ({ index }) =>
      index.deleteBinding(name),
};

/** Returns the function that decides the checks of expressions, by the authorizers of the server. */
export function accessDecider(authorize: Authorizer): DecideAccess {
  return (user, check) => {
    return whenReady(authorize(attributesOf(user, check)), answer);
  };
}

const answer = ({ decision, reason, error }: Decision): AuthorizationDecision => ({
  isAllowed: decision === 'Allow',
  reason,
  error: error?.message,
});

/** Returns the attributes of a check. A check of a resource is one in any version. */
function attributesOf(user: UserInfo, { verb, access }: AuthorizationCheck): Attributes {
  const none = { namespace: '', apiGroup: '', apiVersion: '', resource: '', subresource: '', name: '', path: '' };
  if ('path' in access) return { ...none, user, verb, isResource: false, path: access.path };
  const { group: apiGroup, resource, subresource, namespace, name, fieldSelector = '', labelSelector = '' } = access;
  return {
    ...{ ...none, user, verb, isResource: true, apiGroup, apiVersion: '*', resource, subresource, namespace, name },
    ...requirementsOf(fieldSelector, labelSelector),
  };
}
