import { ORPHAN_FINALIZER } from '../../meta/finalizers.js';
import { forEachBounded } from '../failures.js';
import { editMetadata, withoutFinalizer, withoutOwners } from './edits.js';
import type { DependencyGraph } from './graph.js';

/** Maximum number of dependents that are updated concurrently. */
const CONCURRENCY = 20;

/**
 * Removes the references to an object from its dependents, and then the orphan finalizer from the object.
 *
 * @param catchUp resolves when the graph has every object that exists at the time of the call. A dependent missing from
 *   the graph would be deleted as soon as the owner is gone.
 */
export async function orphanDependents(
  graph: DependencyGraph,
  uid: string,
  catchUp: () => Promise<void>,
): Promise<void> {
  if (graph.get(uid)?.orphaningDependents !== true) return;
  await catchUp();
  const node = graph.get(uid);
  if (node?.state !== 'observed' || !node.orphaningDependents) return;
  const dependents = [...node.dependents].filter(([, edge]) => edge !== 'foreign').map(([dependent]) => dependent);
  const edit = withoutOwners(new Set([uid]));
  await forEachBounded(dependents, CONCURRENCY, async (dependent) => {
    await editMetadata(dependent, edit);
  });
  await editMetadata(node, withoutFinalizer(ORPHAN_FINALIZER));
}
