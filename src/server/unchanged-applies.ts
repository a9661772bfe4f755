import { equalJson, type JsonObject } from '../meta/json.js';
import type { StoredObject } from '../meta/object.js';

/** An intent, and who applies it how. */
export interface AppliedIntent {
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource: string;
}

/** Intents that are remembered of one object. */
const LIMIT = 4;

/**
 * The intents that were found to leave an object as it is, owners included. A reconciler applies the same intent again and
 * again; the answer for the very same stored object cannot be another. Held only as long as the object itself is.
 */
export class UnchangedApplies {
  readonly #byObject = new WeakMap<StoredObject, AppliedIntent[]>();

  /** Whether an intent is known to change nothing. */
  has(live: StoredObject, intent: AppliedIntent): boolean {
    for (const known of this.#byObject.get(live) ?? []) {
      const { manager, force, subresource, applied } = known;
      if (
        manager === intent.manager &&
        force === intent.force &&
        subresource === intent.subresource &&
        equalJson(applied, intent.applied)
      )
        return true;
    }
    return false;
  }

  /** Remembers an intent that changes nothing; the one remembered longest makes room. Nobody may change the intent any more. */
  add(live: StoredObject, intent: AppliedIntent): void {
    const known = this.#byObject.get(live);
    if (known === undefined) this.#byObject.set(live, [intent]);
    else {
      if (known.length >= LIMIT) known.shift();
      known.push(intent);
    }
  }
}
