import type { Behaviour, StoredKind } from '../behaviour.js';

/** Returns the conversion between two versions of a kind with the same fields. */
export function sameFields<Kind>(): NonNullable<Behaviour<Kind>['conversion']> {
  return {
    toHub: (object) => ({ ...object }),
    fromHub: (object) => ({ ...(object as StoredKind<Kind>) }),
  };
}
