import { difference, equalSets, isEmpty, type FieldSet } from '../fieldpath/fieldset.js';
import { fieldSet } from '../fieldpath/paths.js';
import { withSet, type Managers } from '../merge/managers.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';

/** Metadata fields that identify an object or belong to the server. They have no owner. */
const UNTRACKED_METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
] as const;

/** The fields that have no owner. */
export const UNTRACKED: FieldSet = fieldSet(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...UNTRACKED_METADATA.map((name) => ['f:metadata', `f:${name}`]),
);

/** Keeps identity and server-owned metadata out of the writer's record. */
export class StripMeta implements FieldManagerRule {
  readonly #next: FieldManagerRule;

  constructor(next: FieldManagerRule) {
    this.#next = next;
  }

  update(operation: UpdateOperation): Managers {
    return strip(this.#next.update(operation), operation.identifier);
  }

  apply(operation: ApplyOperation): ApplyResult {
    const { object, managers } = this.#next.apply(operation);
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
