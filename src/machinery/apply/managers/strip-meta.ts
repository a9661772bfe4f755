import { isSteps, type Steps } from '../../../foundation/index.js';
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
    return yield* strip(operation, yield* this.#next.update(operation));
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    const { object, managers } = yield* this.#next.apply(operation);
    return { object, managers: yield* keepUnchangedRecord(yield* strip(operation, managers), operation) };
  }
}

/** Keeps the record of an applier whose fields have not changed, so that its entry is not encoded again. */
function* keepUnchangedRecord(
  managers: Managers,
  { pace, identifier, managers: former }: ApplyOperation,
): Steps<Managers> {
  const record = managers.get(identifier);
  const before = former.get(identifier);
  if (record === undefined || before === undefined || record.apiVersion !== before.apiVersion) return managers;
  const comparing = pace.equalSets(record.set, before.set);
  const isUnchanged = isSteps(comparing) ? yield* comparing : comparing;
  return isUnchanged ? new Map(managers).set(identifier, before) : managers;
}

function* strip({ pace, identifier }: UpdateOperation | ApplyOperation, managers: Managers): Steps<Managers> {
  const record = managers.get(identifier);
  if (record === undefined) return managers;
  const stripping = pace.difference(record.set, UNTRACKED);
  const set = isSteps(stripping) ? yield* stripping : stripping;
  const result = new Map(managers);
  if (pace.isEmpty(set)) result.delete(identifier);
  else result.set(identifier, withSet(record, set));
  return result;
}
