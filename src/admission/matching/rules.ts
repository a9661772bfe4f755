import type { GroupVersionResource } from '../../foundation/index.js';
import type { admissionregistrationV1 } from '../../kinds/index.js';
import type { AdmissionOperation } from '../../registry/index.js';

/** The facts of a request that rules match. They are the same for all requests of one kind, route and operation. */
export interface RuleTarget extends GroupVersionResource {
  readonly operation: AdmissionOperation;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** False for cluster-scoped kinds, and so for namespaces. */
  readonly namespaced: boolean;
}

/** A rule of a policy or webhook. */
export type Rule = admissionregistrationV1.RuleWithOperations;

const EVERY = '*';

/** Returns whether a rule matches: its scope, operations, groups, versions and resources. */
export function ruleMatches(rule: Rule, target: RuleTarget): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  return (
    scopeMatches(rule.scope, target) &&
    includes(operations, target.operation) &&
    includes(apiGroups, target.group) &&
    includes(apiVersions, target.version) &&
    resources.some((text) => resourceMatches(text, target))
  );
}

const includes = (values: readonly string[], value: string): boolean =>
  values.some((allowed) => allowed === EVERY || allowed === value);

function scopeMatches(scope: string = EVERY, { namespaced }: RuleTarget): boolean {
  return scope === EVERY || (scope === 'Namespaced') === namespaced;
}

/** `pods` is the main resource only, `pods/*` every subresource with it, `*` every main resource. */
function resourceMatches(text: string, { resource, subresource }: RuleTarget): boolean {
  const slash = text.indexOf('/');
  const wanted = slash < 0 ? text : text.slice(0, slash);
  const wantedSubresource = slash < 0 ? '' : text.slice(slash + 1);
  return (
    (wanted === EVERY || wanted === resource) && (wantedSubresource === EVERY || wantedSubresource === subresource)
  );
}
