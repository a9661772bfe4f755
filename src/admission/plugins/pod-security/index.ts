/**
 * The Pod Security Standards: namespaces choose by labels which pods they refuse, warn of, and audit.
 *
 * @see release 1.31, the module pod-security-admission
 * @module
 */
import {
  errors,
  goQuote,
  ownMember,
  shareTurn,
  type Clock,
  type Dialect,
  type FieldError,
  type ObjectMeta,
} from '../../../foundation/index.js';
import { Namespace, Pod, type coreV1 } from '../../../kinds/index.js';
import type { AdmissionAttributes, AdmissionPlugin, Catalogue, ResourceDefinition } from '../../../registry/index.js';
import type { NamespaceLookup } from '../../namespace-lifecycle.js';
import { admissionRefusal } from '../../refusal.js';
import { aggregated } from '../aggregated.js';
import type { CheckedPod } from './check.js';
import { evaluate, type Verdict } from './evaluate.js';
import type { PodSecurityMeter, PodSecurityRequest } from './meter.js';
import {
  compareLevels,
  defaultPolicy,
  podSecurityModes,
  policyOf,
  policyText,
  type LevelVersion,
  type PodSecurityOptions,
  type Policy,
} from './policy.js';
import { presentPods, type PresentPods } from './present-pods.js';

/** The parts that the plugin needs. */
export interface PodSecurityParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly catalogue: Catalogue;
  readonly findNamespace: NamespaceLookup;
  /** Kinds with a template of pods. */
  readonly workloads: readonly ResourceDefinition[];
  readonly meter: PodSecurityMeter;
}

/** Subresources of pods that do not change what runs in them. All others are checked. */
const IGNORED_SUBRESOURCES: readonly string[] = [
  ...['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status'],
];
/** Longest time for trying a stricter policy on the pods of a namespace. */
const MAX_MS = 1000;
const PRIVILEGED: LevelVersion = { level: 'privileged', minor: Infinity };

/** Creates the plugin. The options have been checked. */
export function podSecurity(options: PodSecurityOptions, parts: PodSecurityParts): AdmissionPlugin {
  const plugin = new PodSecurity(options, parts);
  return {
    name: 'PodSecurity',
    kinds: [Namespace, Pod, ...parts.workloads],
    operations: ['CREATE', 'UPDATE'],
    validate: (attributes) => plugin.validate(attributes),
  };
}

class PodSecurity {
  readonly #parts: PodSecurityParts;
  readonly #defaults: Policy;
  readonly #exempt: {
    readonly usernames: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };

  constructor(options: PodSecurityOptions, parts: PodSecurityParts) {
    const { usernames, namespaces, runtimeClasses } = options.exemptions ?? {};
    this.#parts = parts;
    this.#defaults = defaultPolicy(options);
    this.#exempt = {
      usernames: new Set(usernames),
      namespaces: new Set(namespaces),
      runtimeClasses: new Set(runtimeClasses),
    };
  }

  validate(attributes: AdmissionAttributes): Promise<void> | undefined {
    const { info, subresource, namespace, user } = attributes;
    if (info.definition === Namespace) return subresource === '' ? this.#validateNamespace(attributes) : undefined;
    const isPod = info.definition === Pod;
    if (isPod ? IGNORED_SUBRESOURCES.includes(subresource) : subresource !== '') return undefined;
    if (this.#exempt.namespaces.has(namespace)) this.#passExempt(attributes, 'namespace');
    else if (this.#exempt.usernames.has(user.username)) this.#passExempt(attributes, 'user');
    else return this.#validatePod(attributes, isPod);
    return undefined;
  }

  #passExempt(attributes: AdmissionAttributes, by: 'namespace' | 'user' | 'runtimeClass'): void {
    this.#annotate(attributes, 'exempt', by);
    this.#parts.meter.exempted(measured(attributes));
  }

  #annotate({ context }: AdmissionAttributes, key: string, value: string): void {
    context.annotate?.(`pod-security.${this.#parts.dialect.labelDomain}/${key}`, value);
  }

  #policyOf(labels: Readonly<Record<string, string>> = {}) {
    return policyOf(labels, this.#defaults, this.#parts.dialect);
  }

  async #validatePod(attributes: AdmissionAttributes, isPod: boolean): Promise<void> {
    const { namespace, object, oldObject } = attributes;
    const found = await this.#parts.findNamespace(namespace);
    const { meter } = this.#parts;
    if (found === undefined) {
      const failure = `failed to lookup namespace ${goQuote(namespace)}`;
      meter.failed(true, measured(attributes));
      if (isPod) throw errors.internal(failure);
      this.#annotate(attributes, 'error', `${failure}: namespace ${goQuote(namespace)} not found`);
      return;
    }
    const { policy, problems } = this.#policyOf(found.metadata.labels);
    const { enforce, audit, warn } = policy;
    const levels = isPod ? [enforce, audit, warn] : [audit, warn];
    if (problems.length === 0 && levels.every(({ level }) => level === 'privileged')) {
      if (!isPod) return;
      this.#annotate(attributes, 'enforce-policy', policyText(PRIVILEGED));
      meter.evaluated({ policy: enforce, mode: 'enforce', denied: false }, measured(attributes));
      return;
    }
    const pod = this.#podOf(attributes, object);
    if (pod === undefined) return;
    if (isPod && oldObject !== undefined) {
      const old = this.#podOf(attributes, oldObject);
      if (old !== undefined && !changesSecurity(pod, old)) return;
    }
    if (this.#exempt.runtimeClasses.has(pod.spec.runtimeClassName ?? '')) this.#passExempt(attributes, 'runtimeClass');
    else this.#apply(attributes, policy, problems, pod, isPod);
  }

  #apply(
    attributes: AdmissionAttributes,
    { enforce, audit, warn }: Policy,
    problems: readonly FieldError[],
    pod: CheckedPod,
    isPod: boolean,
  ): void {
    const { context } = attributes;
    const { meter } = this.#parts;
    const request = measured(attributes);
    const denied = (mode: 'enforce' | 'audit' | 'warn', policy: LevelVersion): void =>
      meter.evaluated({ policy, mode, denied: true }, request);
    const annotate = (key: string, value: string): void => this.#annotate(attributes, key, value);
    if (problems.length > 0) meter.failed(false, request);
    if (problems.length > 0) annotate('error', `Failed to parse policy: ${problemsText(problems)}`);
    const verdicts = new Map<string, Verdict | undefined>();
    const verdictOf = (policy: LevelVersion): Verdict | undefined => {
      const key = policyText(policy);
      if (!verdicts.has(key)) verdicts.set(key, evaluate(policy, pod));
      return verdicts.get(key);
    };
    if (isPod) annotate('enforce-policy', policyText(enforce));
    const audited = verdictOf(audit);
    if (audited !== undefined) {
      annotate('audit-violations', `would violate PodSecurity "${policyText(audit)}": ${audited.details}`);
      denied('audit', audit);
    }
    const refused = isPod ? verdictOf(enforce) : undefined;
    if (isPod) meter.evaluated({ policy: enforce, mode: 'enforce', denied: refused !== undefined }, request);
    if (refused !== undefined)
      throw admissionRefusal(attributes, `violates PodSecurity "${policyText(enforce)}": ${refused.details}`);
    const warned = verdictOf(warn);
    if (warned === undefined) return;
    denied('warn', warn);
    context.warn(`would violate PodSecurity "${policyText(warn)}": ${warned.details}`);
  }

  /** Returns the pod of an object, or that of its template; undefined when it has none. */
  #podOf({ info }: AdmissionAttributes, object: object | undefined): CheckedPod | undefined {
    const { dialect } = this.#parts;
    const template = templateOf(object, info.kind);
    const spec = template?.spec;
    return spec === undefined ? undefined : { annotations: template?.metadata?.annotations ?? {}, spec, dialect };
  }

  async #validateNamespace(attributes: AdmissionAttributes): Promise<void> {
    const { object, oldObject, info, context, name } = attributes;
    const { policy, problems } = this.#policyOf(object?.metadata.labels);
    const old = oldObject === undefined ? undefined : this.#policyOf(oldObject.metadata.labels);
    if (problems.length > 0 && (old === undefined || problemsText(problems) !== problemsText(old.problems)))
      throw errors.invalid(info, object?.metadata.name ?? name, problems);
    const isExempt = this.#exempt.namespaces.has(name);
    if (old === undefined) {
      if (isExempt) this.#warnOfExemption(attributes, policy);
      return;
    }
    const { enforce } = policy;
    const before = old.policy.enforce;
    if (enforce.level === 'privileged' || policyText(enforce) === policyText(before)) return;
    if (enforce.minor === before.minor && compareLevels(enforce.level, before.level) < 1) return;
    if (isExempt) this.#warnOfExemption(attributes, policy);
    else for (const warning of await this.#presentViolations(attributes, enforce)) context.warn(warning);
  }

  /** Warns that the labels of an exempt namespace have no effect. */
  #warnOfExemption({ name, object, context }: AdmissionAttributes, policy: Policy): void {
    const { labelDomain } = this.#parts.dialect;
    const labels = object?.metadata.labels ?? {};
    const given = podSecurityModes.filter(
      (mode) =>
        policy[mode].level !== 'privileged' &&
        [mode, `${mode}-version`].some((label) => labels[`pod-security.${labelDomain}/${label}`] !== undefined),
    );
    if (podSecurityModes.every((mode) => policyText(policy[mode]) === policyText(this.#defaults[mode]))) return;
    if (given.length === 0) return;
    const text = given.map((mode) => `${mode}=${policyText(policy[mode])}`).join(', ');
    context.warn(`namespace ${goQuote(name)} is exempt from Pod Security, and the policy (${text}) will be ignored`);
  }

  /** Returns warnings of the pods of a namespace that a new policy would refuse. */
  async #presentViolations({ name: namespace, context }: AdmissionAttributes, policy: LevelVersion): Promise<string[]> {
    const { catalogue, clock, dialect } = this.#parts;
    if (!catalogue.serves(Pod)) return [];
    const until = clock.now() + MAX_MS;
    const isLate = (): boolean => clock.now() > until || context.signal?.aborted === true;
    let present: PresentPods;
    try {
      present = await presentPods(catalogue, namespace, this.#exempt.runtimeClasses, isLate);
    } catch {
      return ['failed to list pods while checking new PodSecurity enforce level'];
    }
    const { pods, total } = present;
    const found = new Map<string, string[]>();
    let checked = 0;
    for (const { metadata, spec } of pods) {
      await shareTurn();
      const { annotations = {} } = metadata;
      const verdict = spec === undefined ? undefined : evaluate(policy, { annotations, spec, dialect });
      if (verdict !== undefined)
        found.set(verdict.reasons, [...(found.get(verdict.reasons) ?? []), metadata.name ?? '']);
      checked += 1;
      if (isLate()) break;
    }
    return [
      ...(checked < total
        ? [`new PodSecurity enforce level only checked against the first ${checked} of ${total} existing pods`]
        : []),
      ...(found.size > 0
        ? [
            `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${policyText(policy)}"`,
          ]
        : []),
      ...[...found].map(([reasons, names]) => `${namesText(names)}: ${reasons}`).sort(),
    ];
  }
}

/** Describes a request for metrics. */
function measured({ info, operation, subresource }: AdmissionAttributes): PodSecurityRequest {
  const { definition } = info;
  const resource = definition === Pod ? 'pod' : definition === Namespace ? 'namespace' : 'controller';
  return { operation, resource, subresource };
}

const problemsText = (problems: readonly FieldError[]): string => aggregated(problems.map(String));

/** Returns pods with the same violations: `a`, `a (and 1 other pod)`, `a (and 2 other pods)`. */
function namesText(names: readonly string[]): string {
  const [first = '', ...others] = [...names].sort();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}

/** A pod, or a template of pods. */
interface Template {
  readonly metadata?: Pick<ObjectMeta, 'annotations'> | undefined;
  readonly spec?: coreV1.PodSpec | undefined;
}

/** Where kinds have their template; all others have it in `spec.template`. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  PodTemplate: ['template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
};

/** Returns the template of an object, whose kind has validated it. */
function templateOf(object: object | undefined, kind: string): Template | undefined {
  let at: unknown = object;
  for (const name of ownMember(PLACES, kind) ?? ['spec', 'template'])
    at = typeof at === 'object' && at !== null && name in at ? Reflect.get(at, name) : undefined;
  return asTemplate(at);
}

/** Gives a validated template its type. */
function asTemplate(value: unknown): Template | undefined;
function asTemplate(value: unknown): unknown {
  return value;
}

/** Returns whether an update changes what the checks read of a pod: images, containers, seccomp annotations. */
function changesSecurity(pod: CheckedPod, old: CheckedPod): boolean {
  const { labelDomain } = pod.dialect;
  const isOther = (key: string): boolean => pod.annotations[key] !== old.annotations[key];
  if (isOther(`seccomp.security.alpha.${labelDomain}/pod`)) return true;
  const changes = (
    container: coreV1.Container | coreV1.EphemeralContainer,
    before: { image?: string | undefined } | undefined,
  ) =>
    before === undefined ||
    container.image !== before.image ||
    isOther(`container.seccomp.security.alpha.${labelDomain}/${container.name}`);
  const [now, then] = [pod.spec, old.spec];
  return (
    (['containers', 'initContainers'] as const).some((list) => {
      const [containers, before] = [now[list] ?? [], then[list] ?? []];
      return (
        containers.length !== before.length || containers.some((container, index) => changes(container, before[index]))
      );
    }) ||
    (now.ephemeralContainers ?? []).some((container) =>
      changes(
        container,
        then.ephemeralContainers?.find(({ name }) => name === container.name),
      ),
    )
  );
}
