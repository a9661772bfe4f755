import { equalJson, type JsonObject } from '../meta/json.js';
import type { StoredObject } from '../meta/object.js';

/** An intent with the options of its apply. */
export interface AppliedIntent {
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource: string;
}

/** Maximum number of intents remembered per object. */
const MAX_INTENTS = 4;

/**
 * Remembers the intents that change neither an object nor its field owners. A reconciler applies the same intent
 * repeatedly; for the identical stored object the result is the same. An entry lives as long as the object itself.
 */
export class UnchangedApplies {
  readonly #byObject = new WeakMap<StoredObject, AppliedIntent[]>();

  /** Returns whether an intent is known to change nothing. */
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

  /**
   * Remembers an intent that changes nothing; drops the oldest one beyond the maximum. The intent must not change
   * afterwards.
   */
  add(live: StoredObject, intent: AppliedIntent): void {
    const known = this.#byObject.get(live);
    if (known === undefined) this.#byObject.set(live, [intent]);
    else {
      if (known.length >= MAX_INTENTS) known.shift();
      known.push(intent);
    }
  }
}
