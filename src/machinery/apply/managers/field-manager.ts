/**
 * The field manager of a kind, which a registry calls at every write.
 *
 * @module
 */
import {
  ApiError,
  atOnce,
  formatTime,
  messageOf,
  UNBOUNDED_WORK,
  type ApiObject,
  type JsonObject,
  type ManagedFieldsEntry,
  type Steps,
  type StoredObject,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { isEmpty, type FieldSet } from '../fieldpath/fieldset.js';
import { ConflictError } from '../merge/conflict.js';
import type { Managers } from '../merge/managers.js';
import { paceOf, type Pace } from '../merge/pace.js';
import type { IgnoredFields } from '../merge/updater.js';
import { ConversionPending, typedConvert, type Convert } from '../merge/versions.js';
import { TypedError } from '../typed/errors.js';
import { Types, zeroObject, type Type } from '../typed/type.js';
import { asMap, without } from '../typed/value.js';
import { CapManagers, MAX_UPDATE_MANAGERS } from './cap-managers.js';
import type { FieldManagerRule } from './chain.js';
import { CreatedSets } from './created-sets.js';
import { decodedManagers, encodedManagers, isReset, managersOf, newEntry } from './entries.js';
import { failure, kindText, rethrowRefusal } from './failure.js';
import type { ClientSideApply } from './last-applied-annotation.js';
import { LastAppliedUpdater } from './last-applied-updater.js';
import { LastAppliedMigration } from './last-applied.js';
import { ManagerInfo, managerName } from './manager-info.js';
import { PlainWrites } from './plain-writes.js';
import { SkipNonApplied } from './skip-non-applied.js';
import { StripMeta } from './strip-meta.js';
import { StructuredMerge } from './structured-merge.js';
import { ManagedFieldsTimes } from './times.js';
import { VersionCheck } from './version-check.js';

/** Options of a field manager. */
export interface FieldManagerOptions {
  /** Schema of the whole object, including apiVersion, kind and metadata. */
  readonly schema: StructuralSchema;
  /** Version in which callers pass objects. */
  readonly apiVersion: string;
  readonly kind: string;
  /**
   * Fields that a writer neither owns nor takes from others, because the server sets their values: by subresource
   * (empty for the main resource), then by apiVersion. `{ '': { v1: fieldSet(['f:status']) } }`.
   */
  readonly resetFields?: Readonly<Record<string, IgnoredFields>> | undefined;
  /** Converts to the other versions of the kind. Without a conversion, records of other versions are dropped. */
  readonly convert?: Convert | undefined;
  /** The client whose last-applied annotation is read and updated. */
  readonly clientSideApply?: ClientSideApply | undefined;
  /** Maximum number of separate update records. Default 10. */
  readonly maxUpdateManagers?: number | undefined;
}

/** A write other than an apply. */
export interface FieldManagerUpdate {
  /** State before the write; undefined for a create. */
  readonly live: StoredObject | undefined;
  /**
   * State after the write, with the managedFields of the request: undefined keeps the records, an empty list clears them.
   * Not changed.
   */
  readonly object: ApiObject | StoredObject;
  /** Name of the writer; empty counts as `unknown`. */
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** Time of the write, in milliseconds since the epoch. */
  readonly now: number;
}

/** An apply. */
export interface FieldManagerApply extends Omit<FieldManagerUpdate, 'object'> {
  /** The intent as it was sent, after decoding. Not changed. */
  readonly applied: JsonObject;
  /** Takes fields from other managers instead of failing with a conflict. */
  readonly force: boolean;
}

/** The result of an apply. */
export interface FieldManagerApplied {
  /**
   * The new object without managedFields and without defaults. Shares parts with the live object and the intent, and
   * must not be changed.
   */
  readonly object: JsonObject;
  readonly managedFields: ManagedFieldsEntry[];
  /** False when no value differs from the live object. Ownership may still differ. */
  readonly changed: boolean;
}

/** Tracks which manager owns which fields of the objects of one kind. It has no state about objects. */
export interface FieldManager {
  /**
   * Returns the managedFields of an object after a create, an update or a patch other than apply. Ignores sent entries
   * that are invalid. Never throws anything but {@link ConversionPending}: when tracking fails for an object, its entries
   * are cleared; when the object does not match its schema, they stay.
   */
  update(write: FieldManagerUpdate): ManagedFieldsEntry[];
  /**
   * Like {@link update}, in steps that can pause.
   *
   * @internal
   */
  updateSteps(work: Work, write: FieldManagerUpdate): Steps<ManagedFieldsEntry[]>;
  /**
   * Merges an intent into the live object.
   *
   * @throws ApiError 409 with a cause for each field in conflict; 400 for an intent of another kind or version or with
   * managedFields; 500, as in Kubernetes, for an intent that does not match the schema
   */
  apply(write: FieldManagerApply): FieldManagerApplied;
  /**
   * Like {@link apply}, in steps that can pause.
   *
   * @internal
   */
  applySteps(work: Work, write: FieldManagerApply): Steps<FieldManagerApplied>;
  /**
   * Returns a field manager that converts to the other versions of the kind. It shares the compiled schemas.
   *
   * @param resetFields those of all versions; default those of this field manager
   */
  withConvert(convert: Convert, resetFields?: FieldManagerOptions['resetFields']): FieldManager;
}

/** Creates the field manager of a kind. */
export function createFieldManager(options: FieldManagerOptions): FieldManager {
  return new ChainedFieldManager(options, new Types());
}

/** Nests the rules, the outermost first. The specification prescribes this nesting. */
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
  readonly #types: Types;
  readonly #type: Type;
  readonly #rules: FieldManagerRule;
  readonly #plainWrites: PlainWrites;
  readonly #createdSets: CreatedSets;

  constructor(options: FieldManagerOptions, types: Types) {
    this.#options = options;
    this.#types = types;
    this.#type = types.of(options.schema);
    this.#rules = ruleChain(options, this.#type, types);
    const { apiVersion, kind, resetFields, clientSideApply, maxUpdateManagers = MAX_UPDATE_MANAGERS } = options;
    this.#plainWrites = new PlainWrites({
      apiVersion,
      kind,
      type: this.#type,
      resetFields,
      clientSideApply,
      maxUpdateManagers,
    });
    this.#createdSets = new CreatedSets({ apiVersion, type: this.#type, resetFields });
  }

  withConvert(convert: Convert, resetFields = this.#options.resetFields): FieldManager {
    return new ChainedFieldManager({ ...this.#options, convert, resetFields }, this.#types);
  }

  update(write: FieldManagerUpdate): ManagedFieldsEntry[] {
    return atOnce(this.updateSteps(UNBOUNDED_WORK, write));
  }

  *updateSteps(work: Work, write: FieldManagerUpdate): Steps<ManagedFieldsEntry[]> {
    const { live, manager, subresource = '', now: nowMs } = write;
    const sent = write.object.metadata.managedFields;
    if (live === undefined) {
      if (sent === undefined || sent.length === 0) return yield* this.#created(work, write);
    } else if (work === UNBOUNDED_WORK) {
      const plain = this.#plainWrites.update({
        live,
        object: write.object as JsonObject,
        sent: subresource === '' ? sent : undefined,
        manager: managerName(manager),
        subresource,
        nowMs,
      });
      if (plain !== undefined) return plain;
    }
    try {
      const pace = paceOf(work);
      const used = subresource === '' ? sent : undefined;
      const managers = used !== undefined && isReset(used) ? NO_MANAGERS : yield* managersBefore(live, used, pace);
      const creating = live === undefined;
      const after = yield* this.#rules.update({
        kind: 'update',
        pace,
        live: live === undefined ? zeroObject(this.#type) : untracked(live),
        creating,
        object: untracked(write.object as JsonObject),
        managers,
        manager,
        identifier: '',
        subresource,
        nowMs,
      });
      return yield* encodedManagers(after, pace);
    } catch (error) {
      if (error instanceof ConversionPending) throw error;
      rethrowRefusal(error);
      // Ownership tracking must never block a write, and invalid records must not stay.
      return [];
    }
  }

  /** The fast path of a plain create: the result of {@link update} without a live object and without records. */
  *#created(work: Work, { object, manager, subresource = '', now }: FieldManagerUpdate): Steps<ManagedFieldsEntry[]> {
    const { apiVersion } = this.#options;
    let set: FieldSet;
    try {
      set =
        work === UNBOUNDED_WORK
          ? this.#createdSets.of(object as JsonObject, subresource)
          : yield* this.#createdSets.ofLarge(work, object as JsonObject, subresource);
    } catch (error) {
      if (error instanceof TypedError) return [];
      throw error;
    }
    if (isEmpty(set)) return [];
    const time = formatTime(now);
    return [newEntry({ manager: managerName(manager), operation: 'Update', apiVersion, time, subresource }, set)];
  }

  apply(write: FieldManagerApply): FieldManagerApplied {
    return atOnce(this.applySteps(UNBOUNDED_WORK, write));
  }

  *applySteps(work: Work, write: FieldManagerApply): Steps<FieldManagerApplied> {
    const { live, applied, manager, force, subresource = '', now: nowMs } = write;
    const pace = paceOf(work);
    try {
      const entries = live?.metadata.managedFields;
      if (live !== undefined && entries !== undefined && work === UNBOUNDED_WORK) {
        // A copy with one member less would cost ten times as much.
        const before = { ...live, metadata: { ...live.metadata, managedFields: undefined } } as JsonObject;
        const plain = this.#plainWrites.apply({
          entries,
          live: before,
          applied,
          force,
          manager: managerName(manager),
          subresource,
          nowMs,
        });
        if (plain !== undefined)
          return {
            object: plain.object ?? before,
            managedFields: plain.managedFields,
            changed: plain.object !== undefined,
          };
      }
      const before = live === undefined ? this.#emptyObject() : untracked(live);
      const managers = yield* this.#managersOf(live, pace);
      const result = yield* this.#rules.apply({
        kind: 'apply',
        pace,
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
        managedFields: yield* encodedManagers(result.managers, pace),
        changed: result.object !== undefined,
      };
    } catch (error) {
      if (error instanceof ConflictError) throw yield* error.toApiError(pace);
      if (error instanceof ApiError || error instanceof ConversionPending) throw error;
      throw failure(messageOf(error), error);
    }
  }

  *#managersOf(live: StoredObject | undefined, pace: Pace): Steps<Managers> {
    try {
      const entries = live?.metadata.managedFields;
      return entries === undefined ? NO_MANAGERS : yield* managersOf(entries, pace);
    } catch (error) {
      rethrowRefusal(error);
      throw failure(`failed to decode managed fields: ${messageOf(error)}`, error);
    }
  }

  #emptyObject(): JsonObject {
    return { apiVersion: this.#options.apiVersion, kind: this.#options.kind, metadata: {} };
  }
}

const NO_MANAGERS: Managers = new Map();

/** Returns the sent records, which a client may edit; the live records when none or invalid ones are sent. */
function* managersBefore(
  live: StoredObject | undefined,
  sent: readonly ManagedFieldsEntry[] | undefined,
  pace: Pace,
): Steps<Managers> {
  const stored = live?.metadata.managedFields;
  // A patch that does not name the entries shares them with the live object.
  const managers =
    sent === undefined || sent === stored ? NO_MANAGERS : yield* managersOrNone(decodedManagers(sent, pace));
  return managers.size > 0 || stored === undefined ? managers : yield* managersOrNone(managersOf(stored, pace));
}

function* managersOrNone(decoding: Steps<Managers>): Steps<Managers> {
  try {
    return yield* decoding;
  } catch (error) {
    rethrowRefusal(error);
    // One invalid entry invalidates the whole list.
    return NO_MANAGERS;
  }
}

/** Returns the object without its managedFields. */
function untracked(object: JsonObject): JsonObject {
  const metadata = asMap(object['metadata']);
  return metadata?.['managedFields'] === undefined
    ? object
    : { ...object, metadata: without(metadata, 'managedFields') };
}
