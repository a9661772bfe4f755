import { ORPHAN_FINALIZER } from '../../meta/finalizers.js';
import { forEachBounded } from '../failures.js';
import { editMetadata, withoutFinalizer, withoutOwners } from './edits.js';
import type { DependencyGraph } from './graph.js';

/** Dependants that are written at a time. */
const CONCURRENCY = 20;

/**
 * Takes the references to an object out of its dependants, and then the finalizer that asks for it out of the object.
 *
 * @param catchUp resolves when the graph knows of everything that exists at the time of the call: a dependant that it did
 * not know would be collected as soon as the owner is gone
 */
export async function orphanDependants(
  graph: DependencyGraph,
  uid: string,
  catchUp: () => Promise<void>,
): Promise<void> {
  if (graph.get(uid)?.orphaningDependants !== true) return;
  await catchUp();
  const node = graph.get(uid);
  if (node?.state !== 'observed' || !node.orphaningDependants) return;
  const dependants = [...node.dependants].filter(([, edge]) => edge !== 'foreign').map(([dependant]) => dependant);
  const edit = withoutOwners(new Set([uid]));
  await forEachBounded(dependants, CONCURRENCY, async (dependant) => {
    await editMetadata(dependant, edit);
  });
  await editMetadata(node, withoutFinalizer(ORPHAN_FINALIZER));
}
