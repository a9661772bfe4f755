import { formatTime } from '../../foundation/index.js';

/** A condition that a controller states. */
export interface Condition {
  /** A CamelCase word, such as `Ready`. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** A CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

/** A condition as it is stored. */
export interface StoredCondition extends Condition {
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number | undefined;
}

/**
 * Returns a condition for `setStatus`.
 *
 * @param holds whether the condition is true; `Unknown` when nobody can say
 * @param reason a CamelCase word
 */
export const condition = (type: string, holds: boolean | 'Unknown', reason: string, message = ''): Condition => ({
  type,
  status: holds === 'Unknown' ? holds : holds ? 'True' : 'False',
  reason,
  message,
});

/**
 * Returns the conditions after a statement: those of other types stay, and one whose status stays the same keeps the time
 * of its last transition.
 */
export function withConditions(
  stored: readonly StoredCondition[],
  stated: readonly Condition[],
  { nowMs, generation }: { readonly nowMs: number; readonly generation: number | undefined },
): StoredCondition[] {
  const next = [...stored];
  for (const { type, status, reason, message } of stated) {
    const position = next.findIndex((other) => other.type === type);
    const known = next[position];
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : formatTime(nowMs);
    const entry: StoredCondition = {
      ...{ type, status, reason, message, lastTransitionTime },
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    if (position === -1) next.push(entry);
    else next[position] = entry;
  }
  return next;
}
