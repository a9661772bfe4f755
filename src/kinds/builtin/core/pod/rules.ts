/**
 * The facts that the validation of pods depends on besides the pod itself: the features of the server, and values that
 * older objects have. An object that has such a value keeps it: an update must stay possible.
 *
 * @module
 */
import type { Dialect, Steps } from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import { deletionCostError } from './deletion-cost.js';
import { hasIndivisibleHugePages } from './huge-pages.js';
import type { PodSpec } from './types.js';
import { hasRelaxedNames } from './validate/validate-environment.js';
import { hasTokenPathOutside } from './validate/validate-projected.js';
import { hasHostSysctls } from './validate/validate-sysctls.js';
import { hasInvalidAffinitySelectors, hasInvalidSpreadSelectors } from './warnings/old-selectors.js';

/** A pod or a template before the change. */
export interface OldPod {
  readonly spec: PodSpec;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The rules for one pod or template. */
export interface PodRules {
  readonly dialect: Dialect;
  /** Whether the spec is that of a pod; otherwise that of a template. */
  readonly isPod: boolean;
  /** Containers with all rights on their node. */
  readonly allowsPrivileged: boolean;
  /** Name of the pod; empty in a template, whose pods get their names later. */
  readonly podName: string;
  readonly allowsIndivisibleHugePages: boolean;
  /** Values of selectors in the affinity that no label can have. */
  readonly allowsInvalidSelectorValues: boolean;
  readonly allowsInvalidSpreadSelectors: boolean;
  readonly allowsTokenPathsOutside: boolean;
  /** Kernel parameters of a namespace that the pod shares with its node. */
  readonly allowsHostSysctls: boolean;
  readonly allowsInvalidDeletionCost: boolean;
  /** Any printable ASCII character but `=` in names of environment variables. */
  readonly allowsRelaxedEnvironment: boolean;
}

/**
 * Returns the rules for a pod or template.
 *
 * @param old the state before an update; undefined for a new object
 */
export function* podRules(
  { dialect, featureGates, work, allowPrivileged = true }: RequestContext,
  { isPod, podName = '' }: { readonly isPod: boolean; readonly podName?: string | undefined },
  old?: OldPod,
): Steps<PodRules> {
  const had = (hasValue: (spec: PodSpec) => boolean): boolean => old !== undefined && hasValue(old.spec);
  const hadInvalidCost = old !== undefined && deletionCostError(old.annotations, dialect) !== undefined;
  return {
    dialect,
    isPod,
    allowsPrivileged: allowPrivileged,
    podName,
    allowsIndivisibleHugePages: had(hasIndivisibleHugePages),
    allowsInvalidSelectorValues: old !== undefined && (yield* hasInvalidAffinitySelectors(old.spec, work)),
    allowsInvalidSpreadSelectors: old !== undefined && (yield* hasInvalidSpreadSelectors(old.spec, work)),
    allowsTokenPathsOutside: had(hasTokenPathOutside),
    allowsHostSysctls: had(hasHostSysctls),
    allowsInvalidDeletionCost: !featureGates.enabled('PodDeletionCost') || hadInvalidCost,
    allowsRelaxedEnvironment: featureGates.enabled('RelaxedEnvironmentVariableValidation') || had(hasRelaxedNames),
  };
}
