import { formatTime, isSteps, type Steps } from '../../../foundation/index.js';
import { EMPTY } from '../fieldpath/fieldset.js';
import type { Managers } from '../merge/managers.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';

/** Identifier under which a change is recorded until it is added to the writer's record. */
const CURRENT = 'current-operation';

/**
 * Sets the time of the writer's record. An update is first recorded under a separate identifier, so that the writer's
 * earlier record loses the fields that change, and the time advances only when the writer gains fields. An apply
 * advances the time when the object changes.
 */
export class ManagedFieldsTimes implements FieldManagerRule {
  readonly #next: FieldManagerRule;

  constructor(next: FieldManagerRule) {
    this.#next = next;
  }

  *update(operation: UpdateOperation): Steps<Managers> {
    const managers = yield* this.#next.update({ ...operation, identifier: CURRENT });
    const current = managers.get(CURRENT);
    if (current === undefined) return managers;
    const result = new Map(managers);
    result.delete(CURRENT);
    const previous = managers.get(operation.identifier);
    const uniting = operation.pace.union(previous?.set ?? EMPTY, current.set);
    const set = isSteps(uniting) ? yield* uniting : uniting;
    return result.set(operation.identifier, { ...current, set, time: formatTime(operation.nowMs) });
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    const { object, managers } = yield* this.#next.apply(operation);
    const record = managers.get(operation.identifier);
    if (object === undefined || record === undefined) return { object, managers };
    return {
      object,
      managers: new Map(managers).set(operation.identifier, { ...record, time: formatTime(operation.nowMs) }),
    };
  }
}
