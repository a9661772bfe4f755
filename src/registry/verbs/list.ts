import {
  ApiError,
  appendAll,
  errors,
  readyPromise,
  readyValue,
  rejected,
  SharedWork,
  shareTurn,
  whenReady,
  type ListMeta,
  type Work,
} from '../../foundation/index.js';
import {
  lengthOfText,
  StorageError,
  type Revision,
  type Storage,
  type StorageMatches,
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
import { planList, validateListOptions, type ListOptions, type ListPlan } from './list-options.js';
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

/** A question for a list. */
interface ListQuestion {
  readonly store: ResourceStore;
  readonly namespace: string;
  /** Prefix of the keys of the collection. */
  readonly prefix: string;
  readonly options: ListOptions;
  readonly plan: ListPlan;
  readonly filter: ListFilter | undefined;
  readonly work: Work | undefined;
}

/**
 * Lists objects, at once where all of them are at hand. {@link planList} chooses the state that is shown.
 *
 * @returns never throws
 */
export function listObjects(
  store: ResourceStore,
  namespace: string,
  options: ListOptions,
  signal?: AbortSignal,
  whileWaiting?: WhileWaiting,
  work?: Work,
): Promise<ListOutcome> {
  try {
    validateListOptions(options, `meta.${store.environment.dialect.groupSuffix}`);
    const plan = planList(options);
    const prefix = store.info.rangePrefix(namespace);
    const question = { store, namespace, prefix, options, plan, filter: listFilter(store, options, work), work };
    const at = positionOf(question, signal, whileWaiting);
    return at instanceof Promise ? at.then((reached) => listAt(question, reached)) : listAt(question, at);
  } catch (error) {
    return rejected(error);
  }
}

/** Returns where in the history a list begins, once the store has reached it. @throws ApiError */
function positionOf(
  { store: { environment }, plan, prefix }: ListQuestion,
  signal: AbortSignal | undefined,
  whileWaiting: WhileWaiting | undefined,
): StorageListOptions | Promise<StorageListOptions> {
  if (plan.kind === 'present') return {};
  if (plan.kind === 'continue') {
    const { after, revision } = environment.continueTokens.decode(plan.token, prefix);
    return { after, revision };
  }
  const { revision } = plan;
  const at = plan.kind === 'exact' ? { revision } : { notOlderThan: revision };
  return waitForRevision(environment, revision, signal, whileWaiting)?.then(() => at) ?? at;
}

function listAt(question: ListQuestion, at: StorageListOptions): Promise<ListOutcome> {
  const { store, namespace, options, plan, filter, prefix, work } = question;
  const onlyName =
    plan.kind === 'present' || plan.kind === 'notOlderThan' ? options.fieldSelector?.exact('metadata.name') : undefined;
  if (onlyName !== undefined && onlyName !== '' && (namespace !== '' || !store.info.namespaced))
    return listOne(store, namespace, onlyName, filter, at, work);
  const failed = (error: unknown): Promise<never> =>
    rejected(translateListError(store, error, plan.kind === 'continue', prefix, at));
  try {
    const listing = filter === undefined ? listAll(question, at) : listFiltered(question, filter, at);
    return readyValue(listing) === undefined ? listing.catch(failed) : listing;
  } catch (error) {
    return failed(error);
  }
}

function listFiltered(
  { store, namespace, options, prefix, work }: ListQuestion,
  filter: ListFilter,
  at: StorageListOptions,
): Promise<ListOutcome> {
  const tally = { fetched: 0, evaluated: 0 };
  const range = selectedRange(store, namespace, options);
  const question = { range, prefix, at, limit: options.limit ?? 0, filter, tally, work };
  const counted = (outcome: ListOutcome): ListOutcome => {
    store.meter?.listed(tally, outcome.records.length);
    return outcome;
  };
  const indexed = options.onUnreadable === undefined ? listIndexed(store, question, options) : undefined;
  if (indexed === undefined) return listMatching(store, question).then(counted);
  const known = readyValue(indexed);
  if (known !== undefined) return readyPromise(counted(known));
  return indexed.then(async (outcome) => outcome ?? listMatching(store, question)).then(counted);
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

function listAll({ store, prefix, options, work }: ListQuestion, at: StorageListOptions): Promise<ListOutcome> {
  const limit = options.limit ?? 0;
  const reading = store.environment.storage.list(prefix, {
    ...at,
    ...(limit > 0 ? { limit } : {}),
    reserve: reserveOf(work),
  });
  const outcomeOf = (page: StoragePage): ListOutcome | Promise<ListOutcome> => {
    const { length } = page.records;
    store.meter?.listed({ fetched: length, evaluated: length }, length);
    return whenReady(store.prepared(page.records, work), (records) => pageOutcome(store, prefix, page, records));
  };
  const page = readyValue(reading);
  if (page === undefined) return reading.then(outcomeOf);
  const outcome = outcomeOf(page);
  return outcome instanceof Promise ? outcome : readyPromise(outcome);
}

/** Returns a page of a list without a selector, with its records as they are shown. */
function pageOutcome(
  store: ResourceStore,
  prefix: string,
  page: StoragePage,
  records: readonly StorageRecord[],
): ListOutcome {
  const { revision, remaining } = page;
  const more = remaining > 0;
  return {
    records,
    revision,
    continue: more ? nextToken(store, page.records.at(-1), page, prefix) : '',
    remainingItemCount: more ? remaining : undefined,
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

/** Lists from the index of the kind; undefined, or a promise of it, when it cannot answer. */
function listIndexed(
  store: ResourceStore,
  list: FilteredList,
  selectors: Selectors,
): Promise<ListOutcome | undefined> | undefined {
  const { requirements, fields, complete } = selectorTerms(store, selectors);
  const index = requirements.length === 0 ? undefined : store.selectorIndex();
  if (index === undefined) return undefined;
  const { range, at, limit, work } = list;
  const { after, revision, notOlderThan } = at;
  const state = { after, revision, notOlderThan, reserve: reserveOf(work) };
  const question = { prefix: range, requirements, fields, ...state, limit: undefined };
  const finding = complete ? index.find({ ...question, limit }) : undefined;
  const known = finding && readyValue(finding);
  if (known?.exact === true) return readyPromise(exactOutcome(store, list, known));
  const rest = (): Promise<StorageMatches | undefined> => index.find(question);
  return indexedLater(store, list, finding, rest);
}

/** @param finding the matches, if the index may know all of them @param rest asks for all that may match */
async function indexedLater(
  store: ResourceStore,
  list: FilteredList,
  finding: Promise<StorageMatches | undefined> | undefined,
  rest: () => Promise<StorageMatches | undefined>,
): Promise<ListOutcome | undefined> {
  const matches = await finding;
  if (matches?.exact === true) return exactOutcome(store, list, matches);
  const found = await rest();
  if (found === undefined) return undefined;
  const { prefix, limit, filter, tally } = list;
  tally.fetched += found.records.length;
  const { records, remaining } = await filtered(found, filter, limit, tally);
  const last = limit > 0 && records.length === limit ? records.at(-1) : undefined;
  const more = remaining > 0 || (last !== undefined && (await hasMore(store, prefix, found.revision, last)));
  return selectedPage(records, found, more ? nextToken(store, last, found, prefix) : '');
}

/** Returns the list of which the index knows all matches. */
function exactOutcome(
  store: ResourceStore,
  { prefix, limit, tally }: FilteredList,
  found: StorageMatches,
): ListOutcome {
  const { records, remaining } = found;
  tally.fetched += records.length;
  const last = limit > 0 && records.length === limit ? records.at(-1) : undefined;
  return selectedPage(records, found, remaining > 0 ? nextToken(store, last, found, prefix) : '');
}

/** A page of a selection: nobody knows how many of the remaining objects a selector selects. */
const selectedPage = (records: readonly StorageRecord[], { revision }: StoragePage, token: string): ListOutcome => ({
  records,
  revision,
  continue: token,
  remainingItemCount: undefined,
});

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
