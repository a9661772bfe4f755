import { formatTime } from '../../meta/time.js';
import type { Dialect } from '../../names/dialect.js';
import type { ObjectOf } from '../../registry/definition.js';
import type { Namespace } from '../../resources/index.js';

/** A namespace, as the client reads it. */
export type NamespaceObject = ObjectOf<typeof Namespace>;

type Condition = NonNullable<NonNullable<NonNullable<NamespaceObject['status']>['conditions']>[number]>;

/** What came of an attempt to delete the content of a namespace. */
export interface ContentFindings {
  /** Objects that are left, by `resource.group`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Objects that are left, by each finalizer that they have. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Why content could not be deleted, one text for each kind. */
  readonly failures: readonly string[];
}

interface ConditionRule {
  readonly type: string;
  good(dialect: Dialect): { readonly reason: string; readonly message: string };
  /** Reason and message when the condition is true; undefined when it is not. */
  bad(findings: ContentFindings): { readonly reason: string; readonly message: string } | undefined;
}

function counted(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .sort()
    .join(', ');
}

/** The five conditions of a terminating namespace, in their order. The kinds are fixed here, so discovery and parsing never fail. */
const RULES: readonly ConditionRule[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    good: () => ({ reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' }),
    bad: () => undefined,
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    good: ({ shortProduct }) => ({
      reason: 'ParsedGroupVersions',
      message: `All legacy ${shortProduct} types successfully parsed`,
    }),
    bad: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    good: () => ({
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    }),
    bad: ({ failures }) =>
      failures.length === 0
        ? undefined
        : {
            reason: 'ContentDeletionFailed',
            message: `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
          },
  },
  {
    type: 'NamespaceContentRemaining',
    good: () => ({ reason: 'ContentRemoved', message: 'All content successfully removed' }),
    bad: ({ remaining }) =>
      remaining.size === 0
        ? undefined
        : { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${counted(remaining, 'has')}` },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    good: () => ({ reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' }),
    bad: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${counted(finalizers, 'in')}`,
          },
  },
];

/**
 * Brings the conditions of a terminating namespace up to date, in place. A condition keeps its time while its status stays.
 *
 * @returns whether anything changed
 */
export function updateConditions(
  namespace: NamespaceObject,
  findings: ContentFindings,
  { dialect, nowMs }: { readonly dialect: Dialect; readonly nowMs: number },
): boolean {
  const conditions: Condition[] = [...(namespace.status?.conditions ?? [])];
  let changed = false;
  for (const { type, good, bad } of RULES) {
    const problem = bad(findings);
    const fresh = { type, status: problem === undefined ? 'False' : 'True', ...(problem ?? good(dialect)) };
    const at = conditions.findIndex((condition) => condition.type === type);
    const old = conditions[at];
    if (
      old !== undefined &&
      old.status === fresh.status &&
      old.reason === fresh.reason &&
      old.message === fresh.message
    )
      continue;
    changed = true;
    const lastTransitionTime =
      old?.status === fresh.status ? (old.lastTransitionTime ?? formatTime(nowMs)) : formatTime(nowMs);
    const condition: Condition = { ...fresh, lastTransitionTime };
    if (old === undefined) conditions.push(condition);
    else conditions[at] = condition;
  }
  if (changed) namespace.status = { ...namespace.status, conditions };
  return changed;
}
