import { zeroObject } from '../typed/created.js';
import type { Type } from '../typed/type.js';
import type { Managers } from '../merge/managers.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';

/** Name of the record of all that was there when ownership began to be tracked. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Tracks ownership from an object's creation on, and for an object without records (made before, or stripped) from its
 * first apply on: everything in it then belongs to one record of its own.
 */
export class SkipNonApplied implements FieldManagerRule {
  readonly #next: FieldManagerRule;
  readonly #type: Type;

  constructor(next: FieldManagerRule, type: Type) {
    this.#next = next;
    this.#type = type;
  }

  update(operation: UpdateOperation): Managers {
    // Clearing is not the same as having none: who changes something along with it owns that.
    if (operation.managers.size === 0 && !operation.creating && !operation.reset) return operation.managers;
    return this.#next.update(operation);
  }

  apply(operation: ApplyOperation): ApplyResult {
    if (operation.managers.size > 0 || operation.creating) return this.#next.apply(operation);
    const { live, creating, subresource, nowMs, identifier } = operation;
    const managers = this.#next.update({
      kind: 'update',
      live: zeroObject(this.#type),
      creating,
      object: live,
      reset: false,
      managers: operation.managers,
      manager: BEFORE_FIRST_APPLY,
      identifier,
      subresource,
      nowMs,
    });
    return this.#next.apply({ ...operation, managers });
  }
}
