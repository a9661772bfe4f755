import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, type OwnerReference } from '../../foundation/index.js';
import type { PropagationPolicy } from '../../registry/index.js';
import { hasReason, retryOnConflict } from '../runtime/failures.js';
import type { WorkResult } from '../runtime/work-queue.js';
import { editMetadata, readLive, withoutBlocking, withoutFinalizer, withoutOwners } from './edits.js';
import type { DependencyGraph } from './graph.js';
import type { GraphNode } from './node.js';
import type { OwnerLookup } from './references.js';

/**
 * Decides whether an object may stay, and acts on it. An object without any existing owner is deleted. An object with
 * some existing owners loses its references to the others. An object that waits for its dependents loses its finalizer
 * when they are gone.
 *
 * The decision uses the state in the graph. The delete has that state's uid and resourceVersion as preconditions; when
 * the object has changed, it is read and examined again.
 *
 * @returns `retry` when no watch will report a change of the owners
 */
export async function examine(graph: DependencyGraph, owners: OwnerLookup, uid: string): Promise<WorkResult> {
  return retryOnConflict(async () => {
    const node = graph.get(uid);
    if (node?.state !== 'observed') return;
    if (node.deletingDependents) return finishForegroundDeletion(node);
    if (node.terminating || graph.hasAllOwners(node)) return;
    const { revision, owners: references } = node;
    const findings = await owners.find(node, references);
    if (findings.unresolvable) return;
    const unneeded = [...findings.dangling, ...findings.waiting];
    if (findings.solid.length === 0) return deleteUnowned(graph, node, revision, findings.waiting);
    if (unneeded.length > 0)
      await editMetadata(node, withoutOwners(new Set(unneeded.map((reference) => reference.uid))));
    if (findings.unobserved) return 'retry';
  });
}

/** Removes the foreground finalizer when no blocking dependent is left. */
async function finishForegroundDeletion(node: GraphNode): Promise<void> {
  if (node.blocking === 0) await editMetadata(node, withoutFinalizer(FOREGROUND_FINALIZER));
}

async function deleteUnowned(
  graph: DependencyGraph,
  node: GraphNode,
  revision: number,
  waiting: readonly OwnerReference[],
): Promise<void> {
  let preconditionRevision = revision;
  const hasDependents = [...node.dependents.values()].some((edge) => edge !== 'foreign');
  const foreground = waiting.length > 0 && hasDependents;
  if (foreground && isInCycle(node)) {
    const unblocked = await editMetadata(node, withoutBlocking);
    if (unblocked !== undefined) preconditionRevision = Number(unblocked.metadata.resourceVersion);
  }
  await deleteWithPreconditions(graph, node, preconditionRevision, foreground ? 'Foreground' : policyOf(node));
}

/**
 * Returns true when a dependent may also be an owner, so that both would wait for each other. False positives are
 * harmless.
 */
function isInCycle(node: GraphNode): boolean {
  for (const dependent of node.dependents.keys()) if (dependent.deletingDependents) return true;
  return false;
}

/** Returns the propagation policy that the object's finalizers already request. */
function policyOf({ finalizers }: GraphNode): PropagationPolicy {
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}

/**
 * Deletes an object in a known state.
 *
 * @throws ApiError 409 when the object has changed; the graph then has its new state
 */
async function deleteWithPreconditions(
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
