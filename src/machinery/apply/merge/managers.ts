import type { ManagedFieldsEntry } from '../../../foundation/index.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import type { Type } from '../typed/type.js';

/** How a manager came to own fields. */
export type ManagerOperation = 'Apply' | 'Update';

/** The fields that one manager owns, in one version of the kind. */
export interface ManagerRecord {
  readonly manager: string;
  readonly operation: ManagerOperation;
  /** Version in which the set is written. */
  readonly apiVersion: string;
  /** Subresource that was written; empty for the main resource. */
  readonly subresource: string;
  readonly set: FieldSet;
  /** RFC 3339; absent until the manager changes a value. */
  readonly time?: string | undefined;
  /** The entry that the record was decoded from. It is written back while the record has not changed. */
  readonly source?: ManagedFieldsEntry | undefined;
  /** The type of the version that the set is known to match. */
  readonly matches?: Type | undefined;
}

/**
 * All managers of an object by identifier. An applier has one record for all versions, an updater one per version.
 */
export type Managers = ReadonlyMap<string, ManagerRecord>;

/** Returns the record with another set. */
export function withSet(record: ManagerRecord, set: FieldSet): ManagerRecord {
  return record.set === set ? record : { ...record, set };
}
