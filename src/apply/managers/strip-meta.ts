import type { Steps } from '../../meta/work.js';
import { difference, equalSets, isEmpty } from '../fieldpath/fieldset.js';
import { withSet, type Managers } from '../merge/managers.js';
import { UNTRACKED } from '../typed/untracked.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';

/** Keeps identity and server-owned metadata out of the writer's record. */
export class StripMeta implements FieldManagerRule {
  readonly #next: FieldManagerRule;

  constructor(next: FieldManagerRule) {
    this.#next = next;
  }

  *update(operation: UpdateOperation): Steps<Managers> {
    return strip(yield* this.#next.update(operation), operation.identifier);
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    const { object, managers } = yield* this.#next.apply(operation);
    return { object, managers: keepUnchangedRecord(strip(managers, operation.identifier), operation) };
  }
}

/** Keeps the record of an applier whose fields have not changed, so that its entry is not encoded again. */
function keepUnchangedRecord(managers: Managers, { identifier, managers: former }: ApplyOperation): Managers {
  const record = managers.get(identifier);
  const before = former.get(identifier);
  if (
    record === undefined ||
    before === undefined ||
    record.apiVersion !== before.apiVersion ||
    !equalSets(record.set, before.set)
  )
    return managers;
  return new Map(managers).set(identifier, before);
}

function strip(managers: Managers, identifier: string): Managers {
  const record = managers.get(identifier);
  if (record === undefined) return managers;
  const set = difference(record.set, UNTRACKED);
  const result = new Map(managers);
  if (isEmpty(set)) result.delete(identifier);
  else result.set(identifier, withSet(record, set));
  return result;
}
