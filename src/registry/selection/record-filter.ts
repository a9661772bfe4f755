import { LONG_TEXT, ownMember, report, type StoredObject, type Work } from '../../foundation/index.js';
import { COMMON_FIELDS, type FieldSelector, type Labels } from '../../machinery/index.js';
import { lengthOfText, type StorageRecord } from '../../storage/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import type { ResourceStore } from '../store/store.js';
import type { ListOptions, UnreadableObject } from '../verbs/list-options.js';
import type { RecordFilter } from '../watch/watch.js';

/** The selectors of a list or watch. */
export type Selectors = Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;

/** Returns the value of a selectable field of an object. */
export function fieldValue(info: ResourceInfo, object: StoredObject, field: string): string {
  if (field === 'metadata.name') return object.metadata.name ?? '';
  if (field === 'metadata.namespace') return object.metadata.namespace ?? '';
  const read = ownMember(info.definition.selectableFields ?? {}, field);
  return read === undefined ? '' : read(object);
}

/** Returns the filter of the selectors, or undefined when they match everything. */
export function recordFilter(
  store: ResourceStore,
  { labelSelector, fieldSelector }: Selectors,
): RecordFilter | undefined {
  const byLabels = labelSelector === undefined || labelSelector.empty ? undefined : labelSelector;
  const byFields = fieldSelector === undefined || fieldSelector.empty ? undefined : fieldsFilter(store, fieldSelector);
  if (byLabels === undefined) return byFields;
  return (record) => byLabels.matches(store.labels(record)) && (byFields === undefined || byFields(record));
}

/**
 * Reads a record before it is filtered; undefined for a short one, and one that has been read. Rejects with what the work
 * throws when the request is over.
 */
export type ReadAhead = (record: StorageRecord) => Promise<void> | undefined;

/** Characters that the search for labels passes in the time of a unit of work. */
const SEARCHED_PER_UNIT = 16;

/** Returns a function that reads the long records in slices that the filter of selectors would parse in one piece. */
export function readAhead(store: ResourceStore, { labelSelector, fieldSelector }: Selectors, work: Work): ReadAhead {
  const byLabels = labelSelector === undefined || labelSelector.empty ? undefined : labelSelector;
  const readsFields = fieldSelector?.requirements.some(({ field }) => !COMMON_FIELDS.includes(field)) === true;
  const read = async (record: StorageRecord): Promise<void> => {
    // The filter searches the text for its labels again.
    if (work.spend(lengthOfText(record) / SEARCHED_PER_UNIT)) await work.next('list');
    const labels = byLabels === undefined ? NO_LABELS : work.measure(() => store.labelsInText(record));
    const isRead = labels === undefined || (readsFields && (byLabels === undefined || byLabels.matches(labels)));
    if (!isRead) return;
    try {
      await store.readFor(work, record);
    } catch {
      // The filter reports the error.
    }
  };
  return (record) => (record.decoded !== undefined || lengthOfText(record) < LONG_TEXT ? undefined : read(record));
}

const NO_LABELS: Labels = {};

/** Returns the filter of a field selector. The key of a record tells its name and namespace. */
function fieldsFilter(store: ResourceStore, selector: FieldSelector): RecordFilter {
  const { info } = store;
  const onlyKey = selector.requirements.every(({ field }) => COMMON_FIELDS.includes(field));
  const byObject: RecordFilter = (record) => {
    const object = store.read(record);
    return selector.matches((field) => fieldValue(info, object, field));
  };
  if (!onlyKey) return byObject;
  // Both versions of an event have one key, and so do all events of a watch of one object.
  let known: { readonly key: string; readonly matches: boolean } | undefined;
  return (record) => {
    if (!store.looksReadable(record)) return byObject(record);
    const { key } = record;
    if (known?.key !== key) {
      const { name, namespace } = info.placeOf(key);
      known = { key, matches: selector.matches((field) => (field === 'metadata.name' ? name : namespace)) };
    }
    return known.matches;
  };
}

/** Calls `onUnreadable` for a record that cannot be read. */
export function reportUnreadable(
  { info }: ResourceStore,
  { key }: StorageRecord,
  error: Error,
  onUnreadable: (unreadable: UnreadableObject) => void,
): void {
  const { name, namespace } = info.placeOf(key);
  report(() => onUnreadable({ namespace, name, error }));
}

/**
 * Returns a predicate that is true for records that cannot be read; it calls `onUnreadable` for each of them. A long text
 * that looks as this program writes it is not parsed: its reader does so in steps.
 */
export function unreadableFilter(
  store: ResourceStore,
  onUnreadable: (unreadable: UnreadableObject) => void,
): (record: StorageRecord) => boolean {
  return (record) => {
    const isTrusted = record.decoded === undefined && lengthOfText(record) >= LONG_TEXT && store.looksReadable(record);
    const error = isTrusted ? undefined : store.problemOf(record);
    if (error === undefined) return false;
    reportUnreadable(store, record, error, onUnreadable);
    return true;
  };
}
