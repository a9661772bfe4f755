import { formatTime, type Dialect } from '../../foundation/index.js';
import type { Namespace } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';

/** A Namespace as the API returns it. */
export type NamespaceObject = ObjectOf<typeof Namespace>;

type Condition = NonNullable<NonNullable<NonNullable<NamespaceObject['status']>['conditions']>[number]>;

/** The result of an attempt to delete the content of a namespace. */
export interface ContentFindings {
  /** Number of remaining objects, by `resource.group`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Number of remaining objects, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** The reasons why content could not be deleted, one message for each kind. */
  readonly failures: readonly string[];
}

interface ConditionRule {
  readonly type: string;
  whenFalse(dialect: Dialect): { readonly reason: string; readonly message: string };
  /** Returns reason and message when the condition is true, or undefined when it is false. */
  whenTrue(findings: ContentFindings): { readonly reason: string; readonly message: string } | undefined;
}

function formatCounts(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .sort()
    .join(', ');
}

/**
 * The five conditions of a terminating namespace, in order. The served kinds are fixed, so discovery and parsing cannot
 * fail.
 */
const RULES: readonly ConditionRule[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    whenFalse: () => ({ reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' }),
    whenTrue: () => undefined,
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    whenFalse: ({ shortProduct }) => ({
      reason: 'ParsedGroupVersions',
      message: `All legacy ${shortProduct} types successfully parsed`,
    }),
    whenTrue: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    whenFalse: () => ({
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    }),
    whenTrue: ({ failures }) =>
      failures.length === 0
        ? undefined
        : {
            reason: 'ContentDeletionFailed',
            message: `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
          },
  },
  {
    type: 'NamespaceContentRemaining',
    whenFalse: () => ({ reason: 'ContentRemoved', message: 'All content successfully removed' }),
    whenTrue: ({ remaining }) =>
      remaining.size === 0
        ? undefined
        : { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${formatCounts(remaining, 'has')}` },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    whenFalse: () => ({ reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' }),
    whenTrue: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${formatCounts(finalizers, 'in')}`,
          },
  },
];

/**
 * Updates the conditions of a terminating namespace in place. A condition keeps its transition time while its status is
 * unchanged.
 *
 * @returns true when a condition changed
 */
export function updateConditions(
  namespace: NamespaceObject,
  findings: ContentFindings,
  { dialect, nowMs }: { readonly dialect: Dialect; readonly nowMs: number },
): boolean {
  const conditions: Condition[] = [...(namespace.status?.conditions ?? [])];
  let changed = false;
  for (const { type, whenFalse, whenTrue } of RULES) {
    const problem = whenTrue(findings);
    const fresh = { type, status: problem === undefined ? 'False' : 'True', ...(problem ?? whenFalse(dialect)) };
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
