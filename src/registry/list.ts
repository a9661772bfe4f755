import { ownMember } from '../encoding/own-property.js';
import { errors, ApiError } from '../meta/api-error.js';
import type { StoredObject, ListMeta } from '../meta/object.js';
import { report } from '../meta/report.js';
import {
  StorageError,
  type Revision,
  type StorageListOptions,
  type StoragePage,
  type StorageRecord,
} from '../storage/storage.js';
import type { WhileWaiting } from './context.js';
import { planList, validateListOptions, type ListOptions, type UnreadableObject } from './list-options.js';
import type { ResourceInfo } from './resource-info.js';
import { waitForRevision } from './revision-wait.js';
import type { ResourceStore } from './store.js';
import type { RecordFilter } from './watch.js';

/** A page of a collection. */
export interface ListOutcome {
  readonly records: readonly StorageRecord[];
  /** Version of the collection, the same on every page of a list. */
  readonly revision: Revision;
  /** Token of the next page; empty at the end. */
  readonly continue: string;
  /** Number of objects after this page; undefined on the last page, and when a selector makes it unknown. */
  readonly remainingItemCount: number | undefined;
}

/** Number of records read at a time while a selector is applied. */
const SCAN_PAGE = 500;

const EXPIRED_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the ' +
  'continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects ' +
  'that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

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
  { labelSelector, fieldSelector }: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
): RecordFilter | undefined {
  const byLabels = labelSelector === undefined || labelSelector.empty ? undefined : labelSelector;
  const byFields = fieldSelector === undefined || fieldSelector.empty ? undefined : fieldSelector;
  if (byLabels === undefined && byFields === undefined) return undefined;
  return (record) => {
    const object = store.read(record);
    if (byLabels !== undefined && !byLabels.matches(object.metadata.labels)) return false;
    return byFields === undefined || byFields.matches((field) => fieldValue(store.info, object, field));
  };
}

/** Returns a predicate that is true for records that cannot be read; it calls `onUnreadable` for each of them. */
export function unreadableFilter(
  store: ResourceStore,
  onUnreadable: (unreadable: UnreadableObject) => void,
): (record: StorageRecord) => boolean {
  const { keyPrefix } = store.info;
  return (record) => {
    const error = store.problemOf(record);
    if (error === undefined) return false;
    const [name = '', namespace = ''] = record.key.slice(keyPrefix.length).split('/').reverse();
    report(() => onUnreadable({ namespace, name, error }));
    return true;
  };
}

/** Returns the filter of a list: the selectors, without the unreadable objects that are left out. */
function listFilter(store: ResourceStore, options: ListOptions): RecordFilter | undefined {
  const selected = recordFilter(store, options);
  if (options.onUnreadable === undefined) return selected;
  const unreadable = unreadableFilter(store, options.onUnreadable);
  return (record) => !unreadable(record) && (selected === undefined || selected(record));
}

/** Lists objects. {@link planList} chooses the state that is shown. */
export async function listObjects(
  store: ResourceStore,
  namespace: string,
  options: ListOptions,
  signal?: AbortSignal,
  whileWaiting?: WhileWaiting,
): Promise<ListOutcome> {
  const { info, environment } = store;
  validateListOptions(options, `meta.${environment.dialect.groupSuffix}`);
  const plan = planList(options);
  const prefix = info.rangePrefix(namespace);
  const limit = options.limit ?? 0;
  const filter = listFilter(store, options);
  let at: StorageListOptions = {};
  if (plan.kind === 'continue') {
    const position = environment.continueTokens.decode(plan.token, prefix);
    at = { after: position.after, revision: position.revision };
  } else if (plan.kind === 'exact') {
    await waitForRevision(environment, plan.revision, signal, whileWaiting);
    at = { revision: plan.revision };
  } else if (plan.kind === 'notOlderThan') {
    await waitForRevision(environment, plan.revision, signal, whileWaiting);
  }
  const onlyName =
    plan.kind === 'present' || plan.kind === 'notOlderThan' ? options.fieldSelector?.exact('metadata.name') : undefined;
  if (onlyName !== undefined && onlyName !== '' && (namespace !== '' || !info.namespaced))
    return listOne(store, namespace, onlyName, filter);
  try {
    return filter === undefined
      ? await listAll(store, prefix, at, limit)
      : await listMatching(store, prefix, at, limit, filter);
  } catch (error) {
    throw translateListError(store, error, plan.kind === 'continue', prefix, at);
  }
}

async function listOne(
  store: ResourceStore,
  namespace: string,
  name: string,
  filter: ((record: StorageRecord) => boolean) | undefined,
): Promise<ListOutcome> {
  const found = await store.environment.storage.get(store.info.key(namespace, name));
  const { revision } = found;
  const record = found.record === undefined ? undefined : await store.preparedOne(found.record);
  const records = record !== undefined && (filter === undefined || filter(record)) ? [record] : [];
  return { records, revision, continue: '', remainingItemCount: undefined };
}

async function listAll(
  store: ResourceStore,
  prefix: string,
  at: StorageListOptions,
  limit: number,
): Promise<ListOutcome> {
  const page = await store.environment.storage.list(prefix, { ...at, ...(limit > 0 ? { limit } : {}) });
  const more = page.remaining > 0;
  return {
    records: await store.prepared(page.records),
    revision: page.revision,
    continue: more ? nextToken(store, page.records.at(-1), page, prefix) : '',
    remainingItemCount: more ? page.remaining : undefined,
  };
}

async function listMatching(
  store: ResourceStore,
  prefix: string,
  at: StorageListOptions,
  limit: number,
  filter: (record: StorageRecord) => boolean,
): Promise<ListOutcome> {
  const records: StorageRecord[] = [];
  let position = at;
  for (;;) {
    const page = await store.environment.storage.list(prefix, {
      ...position,
      ...(limit > 0 ? { limit: Math.max(limit, SCAN_PAGE) } : {}),
    });
    const prepared = await store.prepared(page.records);
    for (let index = 0; index < prepared.length; index += 1) {
      const record = prepared[index] as StorageRecord;
      if (!filter(record)) continue;
      records.push(record);
      if (limit > 0 && records.length === limit) {
        const more = page.remaining > 0 || index + 1 < prepared.length;
        return {
          records,
          revision: page.revision,
          continue: more ? nextToken(store, record, page, prefix) : '',
          remainingItemCount: undefined,
        };
      }
    }
    const last = page.records.at(-1);
    if (page.remaining === 0 || last === undefined)
      return { records, revision: page.revision, continue: '', remainingItemCount: undefined };
    position = { revision: page.revision, after: last.key };
  }
}

function nextToken(store: ResourceStore, last: StorageRecord | undefined, page: StoragePage, prefix: string): string {
  if (last === undefined) return '';
  return store.environment.continueTokens.encode({ revision: page.revision, after: last.key }, prefix);
}

function translateListError(
  store: ResourceStore,
  error: unknown,
  continued: boolean,
  prefix: string,
  at: StorageListOptions,
): unknown {
  if (!(error instanceof StorageError) || error.code !== 'Compacted') return error;
  if (!continued) return errors.expired('The resourceVersion for the provided list is too old.');
  const fresh = store.environment.continueTokens.encode({ revision: undefined, after: at.after ?? prefix }, prefix);
  return new ApiError({ message: EXPIRED_CONTINUE, reason: 'Expired', code: 410, metadata: { continue: fresh } });
}

/** Returns the metadata of a collection. */
export function listMeta(outcome: ListOutcome): ListMeta {
  const metadata: { -readonly [Name in keyof ListMeta]: ListMeta[Name] } = {
    resourceVersion: String(outcome.revision),
  };
  if (outcome.continue !== '') metadata.continue = outcome.continue;
  if (outcome.remainingItemCount !== undefined) metadata.remainingItemCount = outcome.remainingItemCount;
  return metadata;
}
