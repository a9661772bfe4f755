import type { AuditLevel, AuditStage } from '../event.js';

/** Resources of one group. */
export interface AuditGroupResources {
  /** Empty for the core group. */
  readonly group?: string | undefined;
  // `pods`, `pods/log`, `pods/*` (pods and all their subresources), `*/scale` (that subresource of any resource), `*`
  /** Resources and subresources, with wildcards; empty for all of the group. docs/reference/audit.md has the forms. */
  readonly resources?: readonly string[] | undefined;
  /** Names of objects; empty for all. */
  readonly resourceNames?: readonly string[] | undefined;
}

/** A rule. It matches a request that all its lists match; an empty list matches every request. */
export interface AuditPolicyRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[] | undefined;
  /** The user must be in one of the groups. */
  readonly userGroups?: readonly string[] | undefined;
  readonly verbs?: readonly string[] | undefined;
  readonly resources?: readonly AuditGroupResources[] | undefined;
  /** Namespaces; the empty string matches cluster-scoped resources. */
  readonly namespaces?: readonly string[] | undefined;
  /** Paths that name no resource: `/healthz*`, `*`. */
  readonly nonResourceURLs?: readonly string[] | undefined;
  /** Stages without an event, in addition to those of the policy. */
  readonly omitStages?: readonly AuditStage[] | undefined;
  /** Whether bodies omit `metadata.managedFields`; default that of the policy. */
  readonly omitManagedFields?: boolean | undefined;
}

/** A policy: the first rule that matches a request sets its level. A request that no rule matches is not recorded. */
export interface AuditPolicy {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: { readonly name?: string | undefined } | undefined;
  readonly rules: readonly AuditPolicyRule[];
  readonly omitStages?: readonly AuditStage[] | undefined;
  readonly omitManagedFields?: boolean | undefined;
}

/** A policy that was read but not validated: levels and stages are any texts. */
export type UncheckedAuditPolicy = Omit<AuditPolicy, 'rules' | 'omitStages'> & {
  readonly rules: readonly UncheckedAuditPolicyRule[];
  readonly omitStages?: readonly string[] | undefined;
};

/** A rule that was read but not validated. */
export type UncheckedAuditPolicyRule = Omit<AuditPolicyRule, 'level' | 'omitStages'> & {
  readonly level?: string | undefined;
  readonly omitStages?: readonly string[] | undefined;
};
