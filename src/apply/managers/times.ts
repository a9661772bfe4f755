import { union } from '../fieldpath/fieldset.js';
import type { Managers } from '../merge/managers.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';

/** Identifier under which a change is recorded until it is added to the writer's record. */
const CURRENT = 'current-operation';

/** The second that was written last; most writes share it with the one before. */
let lastSecond = Number.NaN;
let lastText = '';

/** RFC 3339 in UTC, second precision. */
export function timeText(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

/**
 * Gives the writer's record its time. An update is recorded apart first, so that a writer's earlier record loses what the
 * same writer now changes in another way, and the time moves only when fields were taken. An apply moves it when the
 * object changed.
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
