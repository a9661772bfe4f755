import { ApiError, LONG_TEXT, SharedWork, shareTurn } from '../../foundation/index.js';
import { lengthOfText, type Revision, type Storage, type StorageRecord } from '../../storage/index.js';
import { readAhead, recordFilter, unreadableFilter } from '../selection/record-filter.js';
import { selectorTerms } from '../selection/selector-terms.js';
import type { ResourceStore } from '../store/store.js';
import { validateWatchOptions, type WatchOptions } from '../verbs/list-options.js';
import { parseResourceVersion } from '../verbs/resource-version.js';
import { waitForRevision } from '../verbs/revision-wait.js';
import type { WatchScope } from './watch-log.js';
import { endedWatch, expiredStatus, failedWatch, WatchStream, type WatchNotice } from './watch.js';

/** Number of objects of the initial state that are read at a time. */
const INITIAL_PAGE = 500;

/**
 * Starts a watch: from the current state (version unset or `0`, every existing object is ADDED first), or exactly after
 * a version.
 *
 * Invalid options are thrown. Later failures are ERROR events of a started watch, as in Kubernetes 1.31.
 *
 * @throws ApiError 422 for options that exclude each other, 500 for an invalid resourceVersion
 */
export async function openWatch(
  store: ResourceStore,
  namespace: string,
  options: WatchOptions,
  signal?: AbortSignal,
): Promise<AsyncIterableIterator<WatchNotice>> {
  const { environment } = store;
  validateWatchOptions(options, `meta.${environment.dialect.groupSuffix}`, environment.watchList);
  const version = options.resourceVersion ?? '';
  const wantsState = version === '' || version === '0' || options.sendInitialEvents === true;
  const given = version === '' ? 0 : parseResourceVersion(version);
  const stateError =
    options.sendInitialEvents === true && given > 0 ? await initialStateError(store, given, signal) : undefined;
  if (stateError !== undefined) return failedWatch(stateError.status);
  const target = scopeOf(store, namespace, options);
  const log = await store.watchLog();
  const sendState = options.sendInitialEvents ?? (wantsState && given === 0);
  const from = sendState || given === 0 ? await startOf(environment.storage, version) : given;
  const bookmarks = options.allowWatchBookmarks === true;
  // The kind was replaced while the watch began: the client resumes with the new kind.
  if (log === undefined || log.end?.kind === 'retired') return endedWatch();
  const watcher = log.watch(target, from, bookmarks);
  if (watcher === undefined) return failedWatch(expiredStatus(from, log.oldest));
  return new WatchStream({
    initial: sendState
      ? counted(store, longOnesAhead(store, options, initialState(store, target, namespace, from, options)))
      : undefined,
    initialRevision: from,
    initialPace: options.initialPace,
    announceInitialEnd: options.sendInitialEvents === true && bookmarks,
    bookmarks,
    watcher,
    filter: recordFilter(store, options),
    unreadable: options.onUnreadable === undefined ? undefined : unreadableFilter(store, options.onUnreadable),
    prepare: store.preparedEvent,
    form: store.form,
    clock: environment.clock,
    timeoutMs:
      options.timeoutSeconds === undefined || options.timeoutSeconds <= 0 ? undefined : options.timeoutSeconds * 1000,
    signal,
  });
}

/** Returns the revision of an initial state: the current one; for the version 0, any that the storage knows. */
async function startOf(storage: Storage, version: string): Promise<Revision> {
  const known = version === '0' ? (storage.knownRevision?.() ?? 0) : 0;
  return known > 0 ? known : storage.currentRevision();
}

/** Waits for the version of an initial state. Returns the error when it does not come; undefined when it does. */
async function initialStateError(
  { environment }: ResourceStore,
  version: Revision,
  signal: AbortSignal | undefined,
): Promise<ApiError | undefined> {
  try {
    await waitForRevision(environment, version, signal);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Returns the scope of a watch: one name that the field selector fixes, one namespace, or everything. */
function scopeOf(store: ResourceStore, namespace: string, options: WatchOptions): WatchScope {
  const { info } = store;
  const name = options.fieldSelector?.exact('metadata.name');
  const onlyNamespace = namespace !== '' ? namespace : (options.fieldSelector?.exact('metadata.namespace') ?? '');
  const key =
    name !== undefined && name !== '' && (onlyNamespace !== '' || !info.namespaced)
      ? info.key(onlyNamespace, name)
      : undefined;
  return { key, rangePrefix: info.namespaced && onlyNamespace !== '' ? info.rangePrefix(onlyNamespace) : undefined };
}

/** Reads the long objects of an initial state in slices, each before the watch filters it. */
async function* longOnesAhead(
  store: ResourceStore,
  options: WatchOptions,
  pages: AsyncGenerator<readonly StorageRecord[]>,
): AsyncGenerator<readonly StorageRecord[]> {
  const ahead = readAhead(store, options, new SharedWork());
  for await (const page of pages) {
    let from = 0;
    for (const [index, record] of page.entries()) {
      if (lengthOfText(record) < LONG_TEXT) continue;
      if (index > from) yield page.slice(from, index);
      from = index;
      await ahead(record);
    }
    yield from === 0 ? page : page.slice(from);
  }
}

/** Reports the objects of an initial state. */
async function* counted(
  { meter }: ResourceStore,
  pages: AsyncGenerator<readonly StorageRecord[]>,
): AsyncGenerator<readonly StorageRecord[]> {
  for await (const records of pages) {
    meter?.sentInitially(records.length);
    yield records;
  }
}

async function* initialState(
  store: ResourceStore,
  target: WatchScope,
  namespace: string,
  revision: Revision,
  options: WatchOptions,
): AsyncGenerator<readonly StorageRecord[]> {
  const { storage } = store.environment;
  const prefix = target.rangePrefix ?? store.info.rangePrefix(namespace);
  if (target.key !== undefined) {
    const page = await storage.list(target.key, { revision, limit: 1 });
    yield await store.prepared(page.records.filter((record) => record.key === target.key));
    return;
  }
  const candidates = options.onUnreadable === undefined ? await indexed(store, prefix, revision, options) : undefined;
  if (candidates !== undefined) {
    yield await store.prepared(candidates);
    return;
  }
  let after: string | undefined;
  for (;;) {
    await shareTurn();
    const page = await storage.list(prefix, {
      revision,
      limit: INITIAL_PAGE,
      after,
    });
    yield await store.prepared(page.records);
    after = page.records.at(-1)?.key;
    if (page.remaining === 0 || after === undefined) return;
  }
}

/** Returns the records that the selectors of a watch may match; undefined when the index of the kind cannot tell. */
async function indexed(
  store: ResourceStore,
  prefix: string,
  revision: Revision,
  options: WatchOptions,
): Promise<readonly StorageRecord[] | undefined> {
  const { requirements, fields } = selectorTerms(store, options);
  if (requirements.length === 0) return undefined;
  const matches = await store.selectorIndex()?.find({ prefix, requirements, fields, revision });
  return matches?.records;
}
