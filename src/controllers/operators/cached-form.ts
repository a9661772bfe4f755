import { deepFrozen } from '../../foundation/index.js';
import type { AnyObject } from '../runtime/served-kinds.js';
import { ownKeepOf } from '../runtime/shared-informers.js';
import { isSameKind, kindOf, type Source, type View } from '../runtime/sources.js';
import type { ControllerSpec } from './spec.js';

/** Returns the function that reduces the objects of a source to what the caches of a manager hold. */
export type CachedForm = (source: Source) => View['keep'];

/**
 * Returns what the caches of a manager hold: what a view keeps; of kinds in `owns` all, since their managers say what a
 * controller has applied; of others all but `managedFields`, which are often half of an object. Without them an update
 * leaves the managers as they are, while a part of them would replace all.
 *
 * @param frozen whether a change of a cached object throws
 */
export function cachedFormOf(specs: readonly ControllerSpec[], frozen: boolean): CachedForm {
  const owned = specs.flatMap(({ owns = [] }) => owns.map(kindOf));
  const keepOf: CachedForm = (source) => {
    const own = ownKeepOf(source);
    if (own !== undefined) return own;
    return owned.some((kind) => isSameKind(kind, kindOf(source))) ? undefined : withoutManagers;
  };
  if (!frozen) return keepOf;
  return (source) => {
    const keep = keepOf(source);
    return (object) => deepFrozen(keep === undefined ? object : keep(object));
  };
}

function withoutManagers(object: AnyObject): AnyObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _left, ...metadata } = object.metadata;
  return { ...object, metadata };
}
