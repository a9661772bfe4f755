import type { Steps } from '../../../foundation/index.js';
import type { Managers } from '../merge/managers.js';
import { zeroObject, type Type } from '../typed/type.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';

/** Name of the record of all fields that existed before ownership was tracked. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Tracks ownership from the creation of an object. For an object without records (created earlier, or cleared, also by
 * this update), tracking begins with its first apply, and one separate record owns all existing fields.
 */
export class SkipNonApplied implements FieldManagerRule {
  readonly #next: FieldManagerRule;
  readonly #type: Type;

  constructor(next: FieldManagerRule, type: Type) {
    this.#next = next;
    this.#type = type;
  }

  *update(operation: UpdateOperation): Steps<Managers> {
    if (operation.managers.size === 0 && !operation.creating) return operation.managers;
    return yield* this.#next.update(operation);
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    if (operation.managers.size > 0 || operation.creating) return yield* this.#next.apply(operation);
    const { pace, live, creating, subresource, nowMs, identifier } = operation;
    const managers = yield* this.#next.update({
      kind: 'update',
      pace,
      live: zeroObject(this.#type),
      creating,
      object: live,
      managers: operation.managers,
      manager: BEFORE_FIRST_APPLY,
      identifier,
      subresource,
      nowMs,
    });
    return yield* this.#next.apply({ ...operation, managers });
  }
}
