/**
 * The fast path of the rules for small objects: writes after which the rules have nothing to do but move fields between
 * managers.
 *
 * @module
 */
import {
  equalJson,
  formatTime,
  type JsonObject,
  type ManagedFieldsEntry,
  type StoredObject,
} from '../../../foundation/index.js';
import {
  difference,
  EMPTY,
  isEmpty,
  isSubset,
  recursiveDifference,
  union,
  type FieldSet,
} from '../fieldpath/fieldset.js';
import type { ManagerOperation } from '../merge/managers.js';
import type { IgnoredFields } from '../merge/updater.js';
import { compareOwned } from '../typed/compare.js';
import { TypedError } from '../typed/errors.js';
import { merge } from '../typed/merge.js';
import { ownsExactly, toFieldSet } from '../typed/owned-fields.js';
import type { Type } from '../typed/type.js';
import { UNTRACKED } from '../typed/untracked.js';
import { isTyped } from '../typed/validate.js';
import { asMap } from '../typed/value.js';
import { newEntry, sortEntries } from './entries.js';
import { KnownSets } from './known-sets.js';
import { annotationOf, type ClientSideApply } from './last-applied-annotation.js';

/** Facts about the kind, as the rules have them. */
export interface PlainWritesOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: Type;
  readonly resetFields: Readonly<Record<string, IgnoredFields>> | undefined;
  readonly clientSideApply: ClientSideApply | undefined;
  readonly maxUpdateManagers: number;
}

/** The writer of a write. */
interface Writer {
  readonly manager: string;
  readonly subresource: string;
  readonly nowMs: number;
}

/** An update of an object that has entries. */
export interface PlainUpdate extends Writer {
  readonly live: StoredObject;
  readonly object: JsonObject;
  /** The entries of the request, if they count. */
  readonly sent: readonly ManagedFieldsEntry[] | undefined;
}

/** An apply to an object that has entries. */
export interface PlainApply extends Writer {
  readonly entries: readonly ManagedFieldsEntry[];
  /** The live object without its entries; they may be undefined. */
  readonly live: JsonObject;
  readonly applied: JsonObject;
  readonly force: boolean;
}

/** The result of an apply. The object is undefined when it equals the live one. */
export interface PlainApplied {
  readonly object: JsonObject | undefined;
  readonly managedFields: ManagedFieldsEntry[];
}

/** The fields that a write takes from the other managers. */
interface Taken {
  /** Fields that it adds or modifies. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** Maximum number of entries; more are compared with each other too often. */
const MAX_ENTRIES = 16;

/**
 * Writes to objects whose entries all are of the version of the kind and have sets in the form in which they are
 * written. Its results are those of the rules, without their records: it computes on the entries themselves, and an
 * entry that keeps its fields keeps its set, so that nothing is encoded again.
 */
export class PlainWrites {
  readonly #options: PlainWritesOptions;
  readonly #sets: KnownSets;

  constructor(options: PlainWritesOptions) {
    this.#options = options;
    this.#sets = new KnownSets(options.type);
  }

  /** Returns the entries after an update; undefined when the rules have to decide. */
  update(write: PlainUpdate): ManagedFieldsEntry[] | undefined {
    const { live, object, sent, manager, subresource, nowMs } = write;
    const entries = live.metadata.managedFields;
    if (entries === undefined || !this.#isPlain(entries)) return undefined;
    // A client that has read the object sends its entries back.
    if (sent !== undefined && sent !== entries && !equalJson(sent, entries)) return undefined;
    const taken = this.#taken(live, object, subresource);
    if (taken === undefined) return undefined;
    const { changed, removed } = taken;
    const result: ManagedFieldsEntry[] = [];
    let writes = !isEmpty(changed);
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index] as ManagedFieldsEntry;
      const before = entry.fieldsV1 as FieldSet;
      if (writes && isOf(entry, 'Update', manager, subresource)) {
        writes = false;
        result.push(this.#written(entry, union(changed, difference(before, removed)), formatTime(nowMs)));
      } else this.#keep(result, entry, difference(difference(before, changed), removed));
    }
    if (writes) result.push(this.#added('Update', write, changed, formatTime(nowMs)));
    return sortEntries(result);
  }

  /**
   * Returns the result of an apply; undefined when the rules have to decide, as they do for every apply that fails.
   *
   * @throws TypedError when the two objects cannot be merged
   */
  apply(write: PlainApply): PlainApplied | undefined {
    const { entries, live, applied, force, manager, subresource, nowMs } = write;
    const { type } = this.#options;
    const former = entries.find((entry) => isOf(entry, 'Apply', manager, subresource));
    // The first apply to fields of others is a conflict in most cases, which the rules report.
    if (!force && former === undefined) return undefined;
    if (!this.#isPlain(entries)) return undefined;
    if (!this.#isIntent(applied)) return undefined;
    const set = this.#appliedSet(applied, subresource, former?.fieldsV1 as FieldSet | undefined);
    if (set === undefined) return undefined;
    // The same: merging first would double the cost of a conflict.
    const isShared = (entry: ManagedFieldsEntry): boolean =>
      entry !== former && difference(entry.fieldsV1 as FieldSet, set) !== entry.fieldsV1;
    if (!force && entries.some(isShared)) return undefined;
    if (!isTyped(live, type, true)) return undefined;
    const merged = asMap(merge(live, applied, type)) ?? live;
    if (this.#hasAnnotation(manager, live, merged)) return undefined;
    const taken = this.#taken(live, merged, subresource);
    if (taken === undefined) return undefined;
    const { changed, removed } = taken;
    const result: ManagedFieldsEntry[] = [];
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index] as ManagedFieldsEntry;
      if (entry === former) continue;
      const before = entry.fieldsV1 as FieldSet;
      const remaining = difference(before, changed);
      // A conflict.
      if (!force && remaining !== before) return undefined;
      this.#keep(result, entry, difference(remaining, removed));
    }
    // Order counts: an intent that only reorders the items of a list is a change, although nobody owns the order.
    const isChanged = !isEmpty(changed) || !isEmpty(removed) || !equalJson(merged, live);
    const time = isChanged ? formatTime(nowMs) : former?.time;
    result.push(former === undefined ? this.#added('Apply', write, set, time) : this.#written(former, set, time));
    return { object: isChanged ? merged : undefined, managedFields: sortEntries(result) };
  }

  /** Returns true for entries that are used as they are: known sets of this version, below the limit of managers. */
  #isPlain(entries: readonly ManagedFieldsEntry[]): boolean {
    const { length } = entries;
    if (length === 0 || length >= this.#options.maxUpdateManagers || length > MAX_ENTRIES) return false;
    for (let index = 0; index < length; index += 1) {
      const entry = entries[index] as ManagedFieldsEntry;
      const { operation, apiVersion, fieldsType, time, manager = '', subresource = '' } = entry;
      if (apiVersion !== this.#options.apiVersion || fieldsType !== 'FieldsV1') return false;
      if (operation !== 'Update' && operation !== 'Apply') return false;
      if ((time !== undefined && typeof time !== 'string') || this.#sets.of(entry) === undefined) return false;
      // Of two entries of one manager, only one counts.
      for (let other = 0; other < index; other += 1)
        if (isOf(entries[other] as ManagedFieldsEntry, operation, manager, subresource)) return false;
    }
    return true;
  }

  /** Returns true for a valid intent of the kind. */
  #isIntent(applied: JsonObject): boolean {
    const { apiVersion, kind, type } = this.#options;
    return (
      applied['apiVersion'] === apiVersion &&
      applied['kind'] === kind &&
      (asMap(applied['metadata'])?.['managedFields'] ?? null) === null &&
      isTyped(applied, type, false)
    );
  }

  /**
   * Returns the fields that an applier owns after an apply: the former set itself if the intent has the same fields.
   * Undefined when the intent owns nothing or gives up fields of the former set.
   */
  #appliedSet(applied: JsonObject, subresource: string, former: FieldSet | undefined): FieldSet | undefined {
    const { type } = this.#options;
    const ignored = this.#ignored(subresource);
    if (former !== undefined && isEmpty(ignored) && ownsExactly(former, applied, type)) return former;
    const set = difference(recursiveDifference(toFieldSet(applied, type), ignored), UNTRACKED);
    if (isEmpty(set) || (former !== undefined && !isSubset(former, set))) return undefined;
    return former !== undefined && isSubset(set, former) ? former : set;
  }

  /** Returns true when the client's annotation has to be updated. */
  #hasAnnotation(manager: string, live: JsonObject, merged: JsonObject): boolean {
    const { clientSideApply } = this.#options;
    if (clientSideApply === undefined || manager !== clientSideApply.manager) return false;
    return annotationOf(live, clientSideApply) !== '' || annotationOf(merged, clientSideApply) !== '';
  }

  #ignored(subresource: string): FieldSet {
    return this.#options.resetFields?.[subresource]?.[this.#options.apiVersion] ?? EMPTY;
  }

  /** Returns what differs between two states; undefined when they cannot be compared. */
  #taken(before: JsonObject, after: JsonObject, subresource: string): Taken | undefined {
    try {
      const { added, removed } = compareOwned(before, after, this.#options.type);
      const ignored = this.#ignored(subresource);
      return { changed: recursiveDifference(added, ignored), removed: recursiveDifference(removed, ignored) };
    } catch (error) {
      if (error instanceof TypedError) return undefined;
      throw error;
    }
  }

  /** Adds an entry that another writer may have taken fields from; drops it when none remain. */
  #keep(result: ManagedFieldsEntry[], entry: ManagedFieldsEntry, set: FieldSet): void {
    if (!isEmpty(set)) result.push(this.#written(entry, set, entry.time));
  }

  /** Returns the entry with a set and a time: the entry itself when both are the same. */
  #written(entry: ManagedFieldsEntry, set: FieldSet, time: string | undefined): ManagedFieldsEntry {
    const { manager, operation, apiVersion, subresource, fieldsV1 } = entry;
    if (set === fieldsV1 && time === entry.time) return entry;
    const known = set === fieldsV1 ? set : this.#sets.shared(set);
    return newEntry({ manager, operation, apiVersion, time, subresource }, known);
  }

  #added(
    operation: ManagerOperation,
    { manager, subresource }: Writer,
    set: FieldSet,
    time: string | undefined,
  ): ManagedFieldsEntry {
    const { apiVersion } = this.#options;
    return newEntry({ manager, operation, apiVersion, time, subresource }, this.#sets.shared(set));
  }
}

/** Returns true for the entry of a manager of the version of the kind. */
function isOf(
  { operation, manager = '', subresource = '' }: ManagedFieldsEntry,
  wantedOperation: ManagerOperation,
  wantedManager: string,
  wantedSubresource: string,
): boolean {
  return operation === wantedOperation && manager === wantedManager && subresource === wantedSubresource;
}
