import type { ManagedFieldsEntry } from '../../meta/object.js';
import type { FieldSet } from '../fieldpath/fieldset.js';

/** How a manager came to own fields. */
export type ManagerOperation = 'Apply' | 'Update';

/** What one manager owns, as of one version of the kind. */
export interface ManagerRecord {
  readonly manager: string;
  readonly operation: ManagerOperation;
  /** Version of the kind that the set is written in. */
  readonly apiVersion: string;
  /** Subresource that was written; empty for the main resource. */
  readonly subresource: string;
  readonly set: FieldSet;
  /** RFC 3339; absent when the manager has changed no value yet. */
  readonly time?: string | undefined;
  /** The entry that the record was read from; it is written back as long as nothing in the record differs from it. */
  readonly source?: ManagedFieldsEntry | undefined;
}

/**
 * All managers of an object by identifier. Appliers are one record each whatever version they use; updaters one a version.
 */
export type Managers = ReadonlyMap<string, ManagerRecord>;

/** The record with another set. */
export function withSet(record: ManagerRecord, set: FieldSet): ManagerRecord {
  return record.set === set ? record : { ...record, set };
}
