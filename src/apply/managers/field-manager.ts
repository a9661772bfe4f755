/**
 * The field manager of a kind: what a registry asks at every write.
 *
 * @module
 */
import { ApiError } from '../../meta/api-error.js';
import { messageOf } from '../../meta/error-message.js';
import type { JsonObject } from '../../meta/json.js';
import type { ApiObject, ManagedFieldsEntry, StoredObject } from '../../meta/object.js';
import type { StructuralSchema } from '../../schema/structural.js';
import { difference, isEmpty, recursiveDifference, type FieldSet } from '../fieldpath/fieldset.js';
import { ConflictError } from '../merge/conflict.js';
import type { Managers } from '../merge/managers.js';
import type { IgnoredFields } from '../merge/updater.js';
import { typedConvert, type Convert } from '../merge/versions.js';
import { createdFields, zeroObject } from '../typed/created.js';
import { TypedError } from '../typed/errors.js';
import { Types, type Type } from '../typed/type.js';
import { asMap, without } from '../typed/value.js';
import { CapManagers, MAX_UPDATE_MANAGERS } from './cap-managers.js';
import type { FieldManagerRule } from './chain.js';
import { decodeManagedFields, encodeManagedFields, isReset } from './entries.js';
import { failure, kindText } from './failure.js';
import type { ClientSideApply } from './last-applied-annotation.js';
import { LastAppliedUpdater } from './last-applied-updater.js';
import { LastAppliedMigration } from './last-applied.js';
import { ManagerInfo, UNKNOWN_MANAGER } from './manager-info.js';
import { SkipNonApplied } from './skip-non-applied.js';
import { StripMeta, UNTRACKED } from './strip-meta.js';
import { StructuredMerge } from './structured-merge.js';
import { ManagedFieldsTimes, timeText } from './times.js';
import { VersionCheck } from './version-check.js';

/** What a field manager is made from. */
export interface FieldManagerOptions {
  /** Schema of the whole object, apiVersion, kind and metadata included. */
  readonly schema: StructuralSchema;
  /** Version of the kind that objects are handed in. */
  readonly apiVersion: string;
  readonly kind: string;
  /**
   * Fields that a writer neither owns nor takes from others, because the server keeps them as they were: by subresource
   * (the main resource under the empty name), then by apiVersion. `{ '': { v1: fieldSet(['f:status']) } }`.
   */
  readonly resetFields?: Readonly<Record<string, IgnoredFields>>;
  /** Converts to the other versions of the kind. Without it records of other versions are dropped. */
  readonly convert?: Convert;
  /** The client whose last-applied annotation is honoured and kept up to date. */
  readonly clientSideApply?: ClientSideApply;
  /** Update records that are kept apart. Default 10. */
  readonly maxUpdateManagers?: number;
}

/** A write that is no apply. */
export interface FieldManagerUpdate {
  /** State before; undefined of a create. */
  readonly live: StoredObject | undefined;
  /** State after, with the managedFields that the request carried. Not changed. */
  readonly object: ApiObject | StoredObject;
  /** Name of the writer; empty counts as `unknown`. */
  readonly manager: string;
  readonly subresource?: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** An apply. */
export interface FieldManagerApply extends Omit<FieldManagerUpdate, 'object'> {
  /** The intent as it was sent, after decoding. Not changed. */
  readonly applied: JsonObject;
  /** Takes fields from other managers instead of conflicting with them. */
  readonly force: boolean;
}

/** What comes of an apply. */
export interface FieldManagerApplied {
  /** The new object without managedFields. Not defaulted. It shares its parts with the live object and the intent: nobody may change it. */
  readonly object: JsonObject;
  readonly managedFields: ManagedFieldsEntry[];
  /** False when no value differs from the live object's; ownership may differ all the same. */
  readonly changed: boolean;
}

/** Keeps account of who owns which fields of the objects of one kind. Holds no state about objects. */
export interface FieldManager {
  /**
   * The managedFields of an object after a create, an update or a patch that is no apply. Entries that cannot be read
   * count as not sent. Never throws: when accounting fails for an object, its entries are cleared, or, when the object does
   * not fit its schema, left as they were.
   */
  update(write: FieldManagerUpdate): ManagedFieldsEntry[];
  /**
   * Merges an intent into the live object.
   *
   * @throws ApiError 409 with a cause for each field in conflict; 400 for an intent of another kind or version or with
   * managedFields; 500, as in production, for an intent that does not fit the schema
   */
  apply(write: FieldManagerApply): FieldManagerApplied;
}

/** Makes the field manager of a kind. */
export function createFieldManager(options: FieldManagerOptions): FieldManager {
  return new ChainedFieldManager(options, new Types());
}

/** The rules in their order, the outermost first. This nesting is the specification. */
function ruleChain(options: FieldManagerOptions, type: Type, types: Types): FieldManagerRule {
  const { apiVersion, kind, convert, resetFields, clientSideApply, maxUpdateManagers = MAX_UPDATE_MANAGERS } = options;
  const tracking = new SkipNonApplied(
    new CapManagers(
      new ManagerInfo(
        new ManagedFieldsTimes(
          new StripMeta(new StructuredMerge({ apiVersion, type, convert: typedConvert(convert, types), resetFields })),
        ),
        apiVersion,
      ),
      maxUpdateManagers,
    ),
    type,
  );
  const migrating =
    clientSideApply === undefined
      ? tracking
      : new LastAppliedUpdater(new LastAppliedMigration(tracking, clientSideApply, apiVersion, type), clientSideApply);
  return new VersionCheck(migrating, kindText({ apiVersion, kind }));
}

class ChainedFieldManager implements FieldManager {
  readonly #options: FieldManagerOptions;
  readonly #type: Type;
  readonly #rules: FieldManagerRule;

  constructor(options: FieldManagerOptions, types: Types) {
    this.#options = options;
    this.#type = types.of(options.schema);
    this.#rules = ruleChain(options, this.#type, types);
  }

  update(write: FieldManagerUpdate): ManagedFieldsEntry[] {
    const { live, manager, subresource = '', nowMs } = write;
    const sent = write.object.metadata.managedFields ?? [];
    if (live === undefined && sent.length === 0) return this.#created(write);
    try {
      const reset = subresource === '' && isReset(sent);
      const managers = reset ? NO_MANAGERS : managersBefore(live, subresource === '' ? sent : []);
      const creating = live === undefined;
      const after = this.#rules.update({
        kind: 'update',
        live: live === undefined ? zeroObject(this.#type) : untracked(live),
        creating,
        object: untracked(write.object as JsonObject),
        reset,
        managers,
        manager,
        identifier: '',
        subresource,
        nowMs,
      });
      return encodeManagedFields(after);
    } catch {
      // Ownership must never stand in the way of a write, and garbage must not be kept.
      return [];
    }
  }

  /** The short way of a plain create: what {@link update} comes to with nothing before and no records. */
  #created({ object, manager, subresource = '', nowMs }: FieldManagerUpdate): ManagedFieldsEntry[] {
    const { apiVersion } = this.#options;
    let set: FieldSet;
    try {
      set = createdFields(object as JsonObject, this.#type);
    } catch (error) {
      if (error instanceof TypedError) return [];
      throw error;
    }
    const ignored = this.#options.resetFields?.[subresource]?.[apiVersion];
    set = difference(ignored === undefined ? set : recursiveDifference(set, ignored), UNTRACKED);
    if (isEmpty(set)) return [];
    const entry: ManagedFieldsEntry = {
      manager: manager === '' ? UNKNOWN_MANAGER : manager,
      operation: 'Update',
      apiVersion,
      time: timeText(nowMs),
      fieldsType: 'FieldsV1',
      fieldsV1: set,
    };
    if (subresource !== '') entry.subresource = subresource;
    return [entry];
  }

  apply(write: FieldManagerApply): FieldManagerApplied {
    const { live, applied, manager, force, subresource = '', nowMs } = write;
    try {
      const before = live === undefined ? this.#emptyObject() : untracked(live);
      const managers = this.#managersOf(live);
      const result = this.#rules.apply({
        kind: 'apply',
        live: before,
        creating: live === undefined,
        applied,
        force,
        managers,
        manager,
        identifier: '',
        subresource,
        nowMs,
      });
      return {
        object: result.object ?? before,
        managedFields: encodeManagedFields(result.managers),
        changed: result.object !== undefined,
      };
    } catch (error) {
      if (error instanceof ConflictError) throw error.toApiError();
      if (error instanceof ApiError) throw error;
      throw failure(messageOf(error), error);
    }
  }

  #managersOf(live: StoredObject | undefined): Managers {
    try {
      return decodeManagedFields(live?.metadata.managedFields ?? []);
    } catch (error) {
      throw failure(`failed to decode managed fields: ${messageOf(error)}`, error);
    }
  }

  #emptyObject(): JsonObject {
    return { apiVersion: this.#options.apiVersion, kind: this.#options.kind, metadata: {} };
  }
}

const NO_MANAGERS: Managers = new Map();

/** The records that count: those sent, so that a client may edit them; the live ones, when none or unreadable ones are sent. */
function managersBefore(live: StoredObject | undefined, sent: readonly ManagedFieldsEntry[]): Managers {
  const managers = decodeOrNone(sent);
  return managers.size > 0 ? managers : decodeOrNone(live?.metadata.managedFields ?? []);
}

function decodeOrNone(entries: readonly ManagedFieldsEntry[]): Managers {
  try {
    return decodeManagedFields(entries);
  } catch {
    // One entry that cannot be read makes the whole list count for nothing.
    return NO_MANAGERS;
  }
}

/** The object without its managedFields. */
function untracked(object: JsonObject): JsonObject {
  const metadata = asMap(object['metadata']);
  return metadata?.['managedFields'] === undefined
    ? object
    : { ...object, metadata: without(metadata, 'managedFields') };
}
