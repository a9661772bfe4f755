import type { AdmissionAttributes, AdmissionPlugin } from '../registry/admission.js';
import { firstNeed } from './first-need.js';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../registry/delete.js';

/**
 * Tells, once, when the garbage collector gets something to do: when an object first names an owner, or when the end of
 * one is first to wait for its dependants. Until then a server need not keep account of who owns whom.
 */
export function garbageCollectionTrigger(onNeeded: () => void): AdmissionPlugin {
  return firstNeed('GarbageCollectionTrigger', concernsDependants, onNeeded);
}

function concernsDependants({ object, oldObject, deleteOptions }: AdmissionAttributes): boolean {
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
