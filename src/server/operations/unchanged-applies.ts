import { equalInSlices, whenReady, type JsonObject, type StoredObject, type Work } from '../../foundation/index.js';

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
  has(live: StoredObject, intent: AppliedIntent, work?: Work): boolean | Promise<boolean> {
    const known = this.#byObject
      .get(live)
      ?.filter(
        ({ manager, force, subresource }) =>
          manager === intent.manager && force === intent.force && subresource === intent.subresource,
      );
    return known !== undefined && isAmong(known, intent, work, 0);
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

/** Returns whether an intent is one of those from an index on. */
function isAmong(
  known: readonly AppliedIntent[],
  intent: AppliedIntent,
  work: Work | undefined,
  index: number,
): boolean | Promise<boolean> {
  const one = known[index];
  if (one === undefined) return false;
  return whenReady(
    equalInSlices(work, one.applied, intent.applied),
    (isEqual) => isEqual || isAmong(known, intent, work, index + 1),
  );
}
