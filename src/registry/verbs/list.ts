import {
  ApiError,
  appendAll,
  errors,
  SharedWork,
  shareTurn,
  type ListMeta,
  type Work,
} from '../../foundation/index.js';
import {
  lengthOfText,
  StorageError,
  type Revision,
  type Storage,
  type StorageListOptions,
  type StoragePage,
  type StorageReadOptions,
  type StorageRecord,
} from '../../storage/index.js';
import {
  readAhead,
  recordFilter,
  unreadableFilter,
  type ReadAhead,
  type Selectors,
} from '../selection/record-filter.js';
import { selectorTerms } from '../selection/selector-terms.js';
import type { WhileWaiting } from '../store/context.js';
import type { ListTally } from '../store/store-meter.js';
import type { ResourceStore } from '../store/store.js';
import type { RecordFilter } from '../watch/watch.js';
import { planList, validateListOptions, type ListOptions } from './list-options.js';
import { waitForRevision } from './revision-wait.js';

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

/** Number of records read at a time while a selector is applied, from an engine that does not have them in memory. */
const SCAN_PAGE = 500;
/** Number of records of an old state that are read at a time from an engine in memory. */
const PAST_PAGE = 2000;
/** Number of records that a selector is applied to between looks at the clock. */
const FILTER_STEPS = 16;

const EXPIRED_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the ' +
  'continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects ' +
  'that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** The filter of a list. */
interface ListFilter {
  readonly matches: RecordFilter;
  readonly readAhead: ReadAhead;
}

/** Returns the filter of a list: the selectors, without the unreadable objects that are left out. */
function listFilter(store: ResourceStore, options: ListOptions, work: Work | undefined): ListFilter | undefined {
  const selected = recordFilter(store, options);
  const ahead = readAhead(store, options, work ?? new SharedWork());
  if (options.onUnreadable === undefined) return selected && { matches: selected, readAhead: ahead };
  const unreadable = unreadableFilter(store, options.onUnreadable);
  return {
    matches: (record) => !unreadable(record) && (selected === undefined || selected(record)),
    readAhead: ahead,
  };
}

/** Lists objects. {@link planList} chooses the state that is shown. */
export async function listObjects(
  store: ResourceStore,
  namespace: string,
  options: ListOptions,
  signal?: AbortSignal,
  whileWaiting?: WhileWaiting,
  work?: Work,
): Promise<ListOutcome> {
  const { info, environment } = store;
  validateListOptions(options, `meta.${environment.dialect.groupSuffix}`);
  const plan = planList(options);
  const prefix = info.rangePrefix(namespace);
  const limit = options.limit ?? 0;
  const filter = listFilter(store, options, work);
  let at: StorageListOptions = {};
  if (plan.kind === 'continue') {
    const position = environment.continueTokens.decode(plan.token, prefix);
    at = { after: position.after, revision: position.revision };
  } else if (plan.kind === 'exact') {
    await waitForRevision(environment, plan.revision, signal, whileWaiting);
    at = { revision: plan.revision };
  } else if (plan.kind === 'notOlderThan') {
    await waitForRevision(environment, plan.revision, signal, whileWaiting);
    at = { notOlderThan: plan.revision };
  }
  const onlyName =
    plan.kind === 'present' || plan.kind === 'notOlderThan' ? options.fieldSelector?.exact('metadata.name') : undefined;
  if (onlyName !== undefined && onlyName !== '' && (namespace !== '' || !info.namespaced))
    return listOne(store, namespace, onlyName, filter, at, work);
  try {
    if (filter === undefined) return await listAll(store, prefix, at, limit, work);
    const tally = { fetched: 0, evaluated: 0 };
    const question = { range: selectedRange(store, namespace, options), prefix, at, limit, filter, tally, work };
    const indexed = options.onUnreadable === undefined ? await listIndexed(store, question, options) : undefined;
    const outcome = indexed ?? (await listMatching(store, question));
    store.meter?.listed(tally, outcome.records.length);
    return outcome;
  } catch (error) {
    throw translateListError(store, error, plan.kind === 'continue', prefix, at);
  }
}

async function listOne(
  store: ResourceStore,
  namespace: string,
  name: string,
  filter: ListFilter | undefined,
  at: StorageReadOptions,
  work: Work | undefined,
): Promise<ListOutcome> {
  const found = await store.environment.storage.get(store.info.key(namespace, name), at);
  const { revision } = found;
  const record = found.record === undefined ? undefined : await store.preparedOne(found.record, work);
  const reading = record === undefined ? undefined : filter?.readAhead(record);
  if (reading !== undefined) await reading;
  const records = record !== undefined && (filter === undefined || filter.matches(record)) ? [record] : [];
  const fetched = record === undefined ? 0 : 1;
  store.meter?.listed({ fetched, evaluated: fetched }, records.length);
  return { records, revision, continue: '', remainingItemCount: undefined };
}

async function listAll(
  store: ResourceStore,
  prefix: string,
  at: StorageListOptions,
  limit: number,
  work: Work | undefined,
): Promise<ListOutcome> {
  const page = await store.environment.storage.list(prefix, {
    ...at,
    ...(limit > 0 ? { limit } : {}),
    reserve: reserveOf(work),
  });
  const more = page.remaining > 0;
  const { length } = page.records;
  store.meter?.listed({ fetched: length, evaluated: length }, length);
  return {
    records: await store.prepared(page.records, work),
    revision: page.revision,
    continue: more ? nextToken(store, page.records.at(-1), page, prefix) : '',
    remainingItemCount: more ? page.remaining : undefined,
  };
}

/** A list with a selector. */
interface FilteredList {
  /** Prefix of the keys that can match. */
  readonly range: string;
  /** Prefix of the collection, for the continue token. */
  readonly prefix: string;
  readonly at: StorageListOptions;
  /** Maximum number of objects; 0 for none. */
  readonly limit: number;
  readonly filter: ListFilter;
  /** The work of the request. */
  readonly work: Work | undefined;
  /** Counts what is read and tested. */
  readonly tally: ListTally;
}

/** Returns the storage prefix of the objects that a selector can match: a field selector may name the namespace. */
function selectedRange({ info }: ResourceStore, namespace: string, { fieldSelector }: ListOptions): string {
  return info.rangePrefix(namespace !== '' ? namespace : (fieldSelector?.exact('metadata.namespace') ?? ''));
}

/** Lists from the index of the kind; undefined when it cannot answer. */
async function listIndexed(
  store: ResourceStore,
  { range, prefix, at: { after, revision, notOlderThan }, limit, filter, tally, work }: FilteredList,
  selectors: Selectors,
): Promise<ListOutcome | undefined> {
  const { requirements, fields, complete } = selectorTerms(store, selectors);
  const index = requirements.length === 0 ? undefined : store.selectorIndex();
  if (index === undefined) return undefined;
  const state = { after, revision, notOlderThan, reserve: reserveOf(work) };
  const question = { prefix: range, requirements, fields, ...state, limit: undefined };
  const matches = complete ? await index.find({ ...question, limit }) : undefined;
  const exact = matches?.exact === true;
  const found = exact ? matches : await index.find(question);
  if (found === undefined) return undefined;
  tally.fetched += found.records.length;
  const { records, remaining } = exact ? found : await filtered(found, filter, limit, tally);
  const last = limit > 0 && records.length === limit ? records.at(-1) : undefined;
  const more = remaining > 0 || (!exact && last !== undefined && (await hasMore(store, prefix, found.revision, last)));
  return {
    records,
    revision: found.revision,
    continue: more ? nextToken(store, last, found, prefix) : '',
    remainingItemCount: undefined,
  };
}

/** Returns whether a range has a record after one of its records. */
async function hasMore(
  { environment }: ResourceStore,
  prefix: string,
  revision: Revision,
  { key }: StorageRecord,
): Promise<boolean> {
  try {
    return (await environment.storage.list(prefix, { revision, after: key, limit: 1 })).records.length > 0;
  } catch {
    // The revision was compacted meanwhile. The next page says so.
    return true;
  }
}

/** Returns the records of a page that a filter selects, up to a limit (0 for none). */
async function filtered(
  page: StoragePage,
  { matches, readAhead: ahead }: ListFilter,
  limit: number,
  tally: ListTally,
): Promise<StoragePage> {
  const { revision } = page;
  const records: StorageRecord[] = [];
  for (const [index, record] of page.records.entries()) {
    if (index % FILTER_STEPS === 0) await shareTurn();
    const reading = ahead(record);
    if (reading !== undefined) await reading;
    tally.evaluated += 1;
    if (matches(record) && records.push(record) === limit)
      return { records, revision, remaining: page.remaining + page.records.length - index - 1 };
  }
  return { records, revision, remaining: page.remaining };
}

/** Returns what reserves memory for the texts that a list has read for it. */
const reserveOf = (work: Work | undefined): ((bytes: number) => void) | undefined =>
  work && ((bytes) => work.reserve(bytes));

/** The memory of a page of which a filter keeps some records. */
class PageMemory {
  readonly #work: Work | undefined;
  #reserved = 0;

  constructor(work: Work | undefined) {
    this.#work = work;
  }

  readonly reserve = (bytes: number): void => {
    this.#work?.reserve(bytes);
    this.#reserved += bytes;
  };

  /** Releases the memory of the others. */
  keep(records: readonly StorageRecord[]): void {
    if (this.#reserved === 0) return;
    let kept = 0;
    for (const record of records) kept += lengthOfText(record);
    if (kept < this.#reserved) this.#work?.release(this.#reserved - kept);
  }
}

/** Returns how many records a scan reads at a time; 0 for all. */
function scanPage({ index, readsTexts }: Storage, limit: number, revision: Revision | undefined): number {
  if (readsTexts === true) return limit > 0 ? Math.max(limit, SCAN_PAGE) : PAST_PAGE;
  // The whole current state is at hand in memory, and no later write can compact it.
  if (index !== undefined) return revision === undefined ? 0 : PAST_PAGE;
  return limit > 0 ? Math.max(limit, SCAN_PAGE) : 0;
}

/** Lists by reading the range. */
async function listMatching(
  store: ResourceStore,
  { range, prefix, at, limit, filter, tally, work }: FilteredList,
): Promise<ListOutcome> {
  const { storage } = store.environment;
  const records: StorageRecord[] = [];
  const pageLimit = scanPage(storage, limit, at.revision);
  let position = at;
  for (;;) {
    const memory = new PageMemory(work);
    const page = await storage.list(range, { ...position, limit: pageLimit, reserve: memory.reserve });
    const { revision } = page;
    const prepared = await store.prepared(page.records, work);
    tally.fetched += prepared.length;
    const wanted = limit > 0 ? limit - records.length : 0;
    const found = await filtered({ ...page, records: prepared }, filter, wanted, tally);
    memory.keep(found.records);
    appendAll(records, found.records);
    if (limit > 0 && records.length === limit) {
      const last = records.at(-1);
      const more =
        found.remaining > 0 ||
        (range !== prefix && last !== undefined && (await hasMore(store, prefix, revision, last)));
      const next = more ? nextToken(store, last, page, prefix) : '';
      return { records, revision, continue: next, remainingItemCount: undefined };
    }
    const last = page.records.at(-1);
    if (page.remaining === 0 || last === undefined)
      return { records, revision, continue: '', remainingItemCount: undefined };
    position = { revision, after: last.key };
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
