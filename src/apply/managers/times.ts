import { union } from '../fieldpath/fieldset.js';
import type { Managers } from '../merge/managers.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';

/** Identifier under which a change is recorded until it is added to the writer's record. */
const CURRENT = 'current-operation';

/** The last formatted second; most writes share it with the write before. */
let lastSecond = Number.NaN;
let lastText = '';

/** Formats milliseconds since the epoch as RFC 3339 in UTC with second precision. */
export function timeText(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

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

  update(operation: UpdateOperation): Managers {
    const managers = this.#next.update({ ...operation, identifier: CURRENT });
    const current = managers.get(CURRENT);
    if (current === undefined) return managers;
    const result = new Map(managers);
    result.delete(CURRENT);
    const previous = managers.get(operation.identifier);
    const set = previous === undefined ? current.set : union(previous.set, current.set);
    return result.set(operation.identifier, { ...current, set, time: timeText(operation.nowMs) });
  }

  apply(operation: ApplyOperation): ApplyResult {
    const { object, managers } = this.#next.apply(operation);
    const record = managers.get(operation.identifier);
    if (object === undefined || record === undefined) return { object, managers };
    return {
      object,
      managers: new Map(managers).set(operation.identifier, { ...record, time: timeText(operation.nowMs) }),
    };
  }
}
