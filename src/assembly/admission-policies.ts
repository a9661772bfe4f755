/**
 * The validating admission policies of one server: they follow the stored policies and bindings. CEL and the code of
 * policies are loaded with the first policy.
 *
 * @module
 */
import type { DecideAccess, ValidatingPolicies } from '../admission/policy/index.js';
import type { Authorizer, Decision } from '../authz/authorizer.js';
import type { AuthorizationCheck, AuthorizationDecision } from '../cel/index.js';
import { loading } from '../meta/loading.js';
import type { Logger } from '../meta/logger.js';
import { isJsonObject, type JsonObject } from '../meta/json.js';
import type { StoredObject, UserInfo } from '../meta/object.js';
import type { AdmissionPlugin } from '../registry/admission.js';
import type { Catalogue } from '../registry/catalogue.js';
import type { FeatureSwitches } from '../registry/context.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { StoreMirror } from '../registry/mirror.js';
import {
  Namespace,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingV1alpha1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyV1beta1,
} from '../resources/index.js';
import type { Attributes } from '../authz/attributes.js';
import { requirementsOf } from '../server/selector-attributes.js';
import { loadExpressions } from '../resources/shared/expressions.js';

/** Dependencies of {@link AdmissionPolicies}. */
export interface AdmissionPoliciesParts {
  readonly catalogue: Catalogue;
  readonly featureGates: FeatureSwitches;
  readonly logger: Logger;
  readonly authorize: Authorizer;
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

type PolicyModule = typeof import('../admission/policy/index.js');
type Change = (policies: ValidatingPolicies) => void;

/** The policies of one server. */
export class AdmissionPolicies {
  readonly #parts: AdmissionPoliciesParts;
  #mirrors: readonly StoreMirror[] = [];
  #policies: ValidatingPolicies | undefined;
  /** Set while the code is loading. Requests wait for it. */
  #loading: Promise<void> | undefined;
  /** The newest change of each object that came before the code was loaded, by storage key. */
  readonly #waiting = new Map<string, Change>();
  #hasPolicy = false;

  constructor(parts: AdmissionPoliciesParts) {
    this.#parts = parts;
  }

  /**
   * Reads the stored policies and bindings, and starts to follow them.
   *
   * @throws StorageError when the storage cannot be read
   */
  async start(): Promise<void> {
    const { catalogue } = this.#parts;
    if (!catalogue.serves(ValidatingAdmissionPolicy) || !catalogue.serves(ValidatingAdmissionPolicyBinding)) return;
    this.#mirrors = [
      this.#follow(ValidatingAdmissionPolicy, {
        present: (name, { spec }) => {
          this.#hasPolicy = true;
          return ({ index }) => index.setPolicy(name, spec);
        },
        absent:
          (name) =>
          ({ index }) =>
            index.deletePolicy(name),
      }),
      this.#follow(ValidatingAdmissionPolicyBinding, {
        present:
          (name, { spec }) =>
          ({ index }) =>
            index.setBinding(name, spec),
        absent:
          (name) =>
          ({ index }) =>
            index.deleteBinding(name),
      }),
    ];
    await Promise.all(this.#mirrors.map((mirror) => mirror.start()));
  }

  /** Stops following. */
  stop(): void {
    for (const mirror of this.#mirrors) mirror.stop();
  }

  /** The admission plugin. */
  readonly plugin: AdmissionPlugin = {
    name: 'ValidatingAdmissionPolicy',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    validate: (attributes) => {
      if (!this.#hasPolicy) return undefined;
      if (this.#policies !== undefined) return this.#policies.validate(attributes);
      return this.#load().then(() => this.#policies?.validate(attributes));
    },
  };

  /** The plugin that lets only those write policies and bindings who may read the parameters. */
  readonly paramAccess: AdmissionPlugin = {
    name: 'ValidatingAdmissionPolicyParamAccess',
    operations: ['CREATE', 'UPDATE'],
    kinds: POLICY_KINDS,
    validate: async (attributes) => {
      const { checkParamAccess } = await loading(import('../admission/policy/param-access.js'));
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

  #follow(
    definition: ResourceDefinition,
    changes: {
      readonly present: (name: string, object: WithSpec) => Change;
      readonly absent: (name: string) => Change;
    },
  ): StoreMirror {
    const { catalogue, logger } = this.#parts;
    const store = catalogue.store(definition);
    const sink = {
      present: (key: string, object: StoredObject) => {
        if (!hasSpec(object)) throw new TypeError(`the object stored under ${key} has no spec`);
        this.#apply(key, changes.present(store.info.placeOf(key).name, object));
      },
      absent: (key: string) => this.#apply(key, changes.absent(store.info.placeOf(key).name)),
    };
    return new StoreMirror(store, sink, {
      clock: catalogue.environment.clock,
      onError: (error) =>
        logger.error('admission policies cannot be read; the last known ones stay in force', { error }),
      onUnreadable: (key, error) => logger.error(`${key} cannot be read, and is not in force`, { error }),
    });
  }

  #apply(key: string, change: Change): void {
    if (this.#policies !== undefined) return change(this.#policies);
    this.#waiting.set(key, change);
    if (this.#hasPolicy)
      this.#load().catch((error: unknown) =>
        this.#parts.logger.error('the code of admission policies does not load', { error }),
      );
  }

  /** Loads the code. After a failure the next request tries again. */
  #load(): Promise<void> {
    this.#loading ??= loading(this.#loadOnce()).catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #loadOnce(): Promise<void> {
    const [module] = await Promise.all([import('../admission/policy/index.js'), loadExpressions()]);
    this.#policies = this.#create(module);
    for (const change of this.#waiting.values()) change(this.#policies);
    this.#waiting.clear();
  }

  #create({ ValidatingPolicies }: PolicyModule): ValidatingPolicies {
    const { catalogue, featureGates, authorize } = this.#parts;
    return new ValidatingPolicies({
      ...{ catalogue, featureGates },
      dialect: catalogue.environment.dialect,
      findNamespace: (name) => catalogue.find(Namespace, '', name),
      decideAccess: accessDecider(authorize),
    });
  }
}

/** An object with the spec of a policy or binding. Validation has checked the members. */
type WithSpec = StoredObject & { readonly spec: JsonObject };

const hasSpec = (object: StoredObject): object is WithSpec => isJsonObject(object['spec']);

/** Returns the function that decides the checks of expressions, by the authorizers of the server. */
function accessDecider(authorize: Authorizer): DecideAccess {
  return (user, check) => {
    const decision = authorize(attributesOf(user, check));
    return decision instanceof Promise ? decision.then(answer) : answer(decision);
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
