import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../foundation/index.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../registry/index.js';
import { firstNeed } from './first-need.js';

/**
 * Creates a plugin that reports when the garbage collector is first needed: for an object with an owner, or a deletion
 * that waits for dependents. Until then the server need not track owners.
 */
export function garbageCollectionTrigger(onNeeded: () => void): AdmissionPlugin {
  return firstNeed('GarbageCollectionTrigger', concernsDependents, onNeeded);
}

function concernsDependents({ object, oldObject, deleteOptions }: AdmissionAttributes): boolean {
  if (deleteOptions !== undefined) {
    const { propagationPolicy, orphanDependents } = deleteOptions;
    if (orphanDependents === true || propagationPolicy === 'Orphan' || propagationPolicy === 'Foreground') return true;
  }
  const metadata = object?.metadata ?? oldObject?.metadata;
  if ((metadata?.ownerReferences?.length ?? 0) > 0) return true;
  return (
    metadata?.finalizers?.some((finalizer) => finalizer === ORPHAN_FINALIZER || finalizer === FOREGROUND_FINALIZER) ===
    true
  );
}
