import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../meta/finalizers.js';
import type { OwnerReference } from '../../meta/object.js';
import type { PropagationPolicy } from '../../registry/delete.js';
import { hasReason, retryOnConflict } from '../failures.js';
import type { WorkResult } from '../work-queue.js';
import { editMetadata, readLive, withoutBlocking, withoutFinalizer, withoutOwners } from './edits.js';
import type { DependencyGraph } from './graph.js';
import type { GraphNode } from './node.js';
import type { OwnerLookup } from './references.js';

/**
 * Finds out whether an object may stay, and acts on it: an object none of whose owners is there is deleted, one that has
 * some of them loses the references to the others, and one that waits for its dependants is let go when they are gone.
 *
 * What is decided here rests on the state that the graph knows. The delete is bound to that state by uid and
 * resourceVersion; when the object has another one by now, it is read and looked at again.
 *
 * @returns `retry` when nobody will tell of a change of the owners
 */
export async function examine(graph: DependencyGraph, owners: OwnerLookup, uid: string): Promise<WorkResult> {
  return retryOnConflict(async () => {
    const node = graph.get(uid);
    if (node?.state !== 'observed') return;
    if (node.deletingDependants) return letGo(node);
    if (node.ending || graph.isSound(node)) return;
    const { revision, owners: references } = node;
    const findings = await owners.find(node, references);
    if (findings.unresolvable) return;
    const unneeded = [...findings.dangling, ...findings.waiting];
    if (findings.solid.length === 0) return collect(graph, node, revision, findings.waiting);
    if (unneeded.length > 0)
      await editMetadata(node, withoutOwners(new Set(unneeded.map((reference) => reference.uid))));
    if (findings.unobserved) return 'retry';
  });
}

/** Ends the wait of an object for its dependants, when no dependant that blocks is left. */
async function letGo(node: GraphNode): Promise<void> {
  if (node.blocking === 0) await editMetadata(node, withoutFinalizer(FOREGROUND_FINALIZER));
}

async function collect(
  graph: DependencyGraph,
  node: GraphNode,
  revision: number,
  waiting: readonly OwnerReference[],
): Promise<void> {
  let known = revision;
  const hasDependants = [...node.dependants.values()].some((edge) => edge !== 'foreign');
  const foreground = waiting.length > 0 && hasDependants;
  if (foreground && isInCircle(node)) {
    const unblocked = await editMetadata(node, withoutBlocking);
    if (unblocked !== undefined) known = Number(unblocked.metadata.resourceVersion);
  }
  await deleteBound(graph, node, known, foreground ? 'Foreground' : policyOf(node));
}

/** An owner of it may also be a dependant: all of them would wait for each other. There are false alarms, which do no harm. */
function isInCircle(node: GraphNode): boolean {
  for (const dependant of node.dependants.keys()) if (dependant.deletingDependants) return true;
  return false;
}

/** What becomes of the dependants is what the finalizers of the object say already. */
function policyOf({ finalizers }: GraphNode): PropagationPolicy {
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}

/** @throws ApiError 409 when the object has another state by now, which the graph then knows */
async function deleteBound(
  graph: DependencyGraph,
  node: GraphNode,
  revision: number,
  propagationPolicy: PropagationPolicy,
): Promise<void> {
  const { kind, namespace, name, uid } = node;
  if (kind === undefined) return;
  try {
    await kind.client
      .namespace(namespace)
      .delete(name, { preconditions: { uid, resourceVersion: String(revision) }, propagationPolicy });
  } catch (error) {
    if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    const live = await readLive(node);
    if (live === undefined) graph.forget(uid);
    else graph.observe(live, kind);
    if (live !== undefined && hasReason(error, 'Conflict')) throw error;
  }
}
