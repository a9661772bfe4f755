import type { Client, UntypedObject } from '../../client/index.js';
import { ApiError, firstVersion, nextVersion, oldestVersionIn, type ObjectVersion } from '../../foundation/index.js';
import { StartError } from '../usage-error.js';

/** The clients of a kind, as `Client.resource` returns them for its names. */
type Objects = ReturnType<ReturnType<Client['resource']>['namespace']>;

/** A part of the history of an object. */
export type HistoryPart =
  /** Version of the store with which the versions that follow begin; undefined when the server does not say it. */
  { readonly since: string | undefined } | { readonly version: ObjectVersion<UntypedObject> };

/** The first version of every store. */
export const FIRST = '1';

/** How long the server may send the versions of an object that exists, in seconds. */
const READ_SECONDS = 60;
/** How long it sends those of an object that does not exist any more: nothing says which version is the last. */
const DELETED_SECONDS = 2;
/** How often the server may discard what is being read. After that only the newest version is shown. */
const ATTEMPTS = 5;

/**
 * Reads the history of an object: from the oldest version of the store that the server still has, by an exact read and a
 * watch of the name. A server discards its oldest versions at any time, also between two requests. Reading then goes on
 * with what still exists: each place where it begins is a part of its own, and a second one says that versions are missing.
 *
 * @returns the versions, the oldest first, each when the server has sent it
 * @throws ApiError when the server refuses
 */
export async function* readHistory(objects: Objects, name: string): AsyncGenerator<HistoryPart, void, undefined> {
  const newest = await newestOf(objects, name);
  let since = await oldestVersion(objects, name);
  let before: ObjectVersion<UntypedObject> | undefined;
  for (let attempt = 1; since !== undefined && attempt <= ATTEMPTS; attempt += 1) {
    const follows: boolean = before !== undefined && isAtMost(since, before.version);
    const reading: Reading = { objects, name, newest, since: follows ? (before?.version ?? since) : since };
    try {
      const begin = follows ? undefined : await beginOf(reading);
      for await (const part of partsSince(reading, begin, before)) {
        if ('version' in part) before = part.version;
        yield part;
      }
      return;
    } catch (error) {
      if (!isExpired(error)) throw error;
    }
    since = await laterBegin(reading, attempt > 1);
  }
  const known = newest === undefined ? undefined : firstVersion(newest);
  yield { since };
  if (known !== undefined && known.version !== before?.version) yield { version: known };
}

/**
 * Returns where the next attempt begins: at the oldest version, or, to catch up with a server that discards versions all the
 * time, as far behind it as it has moved during the attempt, but not after the newest version of the object.
 */
async function laterBegin({ objects, name, since, newest }: Reading, catchUp: boolean): Promise<string | undefined> {
  const oldest = decimalOf(await oldestVersion(objects, name));
  if (oldest === undefined) return undefined;
  const ahead = oldest + oldest - BigInt(since);
  const last = decimalOf(newest?.metadata.resourceVersion) ?? oldest;
  if (!catchUp || last <= oldest) return String(oldest);
  return String(ahead < last ? ahead : last);
}

/** Returns whether a version is decimal, and not after another one. */
const isAtMost = (version: string | undefined, other: string | undefined): boolean =>
  (decimalOf(version) ?? 1n) <= (decimalOf(other) ?? 0n);

/** Returns a version as a number; undefined for one that is not decimal: those of other servers need not be. */
const decimalOf = (version = ''): bigint | undefined => (/^\d+$/.test(version) ? BigInt(version) : undefined);

/** Returns whether a server refuses a request because it has discarded the history. */
const isExpired = (error: unknown): boolean => error instanceof ApiError && error.code === 410;

async function newestOf(objects: Objects, name: string): Promise<UntypedObject | undefined> {
  try {
    return await objects.get(name);
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}

/** Returns the oldest version of the store that can be read; undefined when the server does not say it. */
async function oldestVersion(objects: Objects, name: string): Promise<string | undefined> {
  try {
    for await (const _event of changesSince(objects, name, FIRST, DELETED_SECONDS)) break;
    return FIRST;
  } catch (error) {
    if (!isExpired(error)) throw error;
    return oldestVersionIn(error);
  }
}

const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });

/** A history to read. */
interface Reading {
  readonly objects: Objects;
  readonly name: string;
  /** Version of the store with which it begins. */
  readonly since: string;
  /** The newest state; undefined when the object does not exist. */
  readonly newest: UntypedObject | undefined;
}

/** The state with which a history begins. */
type Begin =
  /** Undefined when the object did not exist. */
  | { readonly state: UntypedObject | undefined }
  /** The server keeps changes for longer than states, as one with a cache of them does. */
  | 'discarded';

/** Returns the state with which a history begins. */
async function beginOf({ objects, name, since, newest }: Reading): Promise<Begin> {
  // A version from before the begin is as it was, whatever the server discards.
  if (isAtMost(newest?.metadata.resourceVersion, since)) return { state: newest };
  try {
    const { items } = await objects.list({ ...named(name), resourceVersion: since, resourceVersionMatch: 'Exact' });
    return { state: items[0] };
  } catch (error) {
    if (isExpired(error)) return 'discarded';
    throw error;
  }
}

/**
 * Yields where a history begins, and its versions.
 *
 * @param begin undefined when it goes on after the version that was read last
 * @param read the version that was read last
 * @throws ApiError 410 when the server no longer has them
 */
async function* partsSince(
  { objects, name, since, newest }: Reading,
  begin: Begin | undefined,
  read: ObjectVersion<UntypedObject> | undefined,
): AsyncGenerator<HistoryPart, void, undefined> {
  const last = newest?.metadata.resourceVersion;
  const state = begin === undefined || begin === 'discarded' ? undefined : begin.state;
  const first = state === undefined ? undefined : firstVersion(state);
  const isRead = first !== undefined && first.version === read?.version;
  let before = begin === undefined || isRead ? read : first;
  const head: HistoryPart[] =
    before === read && before !== undefined ? [] : [{ since }, ...(first === undefined ? [] : [{ version: first }])];
  if (before === undefined || before.version !== last) {
    const seconds = last === undefined ? DELETED_SECONDS : READ_SECONDS;
    for await (const { type, object } of changesSince(objects, name, since, seconds)) {
      const version = nextVersion(type, object, before);
      if (version === undefined) continue;
      // The server still has what follows the begin, so that this is the place of it.
      yield* head.splice(0);
      yield { version };
      before = version;
      if (version.version === last) return;
    }
  }
  yield* head;
  if (last !== undefined && before?.version !== last)
    throw new StartError('the server has ended the history before the newest version');
}

/** A change of an object. */
interface Changed {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: UntypedObject;
}

/** Yields the changes of an object after a version. @throws ApiError 410 when the server no longer has them */
async function* changesSince(
  objects: Objects,
  name: string,
  resourceVersion: string,
  timeoutSeconds: number,
): AsyncGenerator<Changed, void, undefined> {
  for await (const event of objects.watch({ ...named(name), resourceVersion, timeoutSeconds })) {
    if (event.type === 'ERROR') throw new ApiError(event.object);
    if (event.type !== 'BOOKMARK') yield { type: event.type, object: event.object };
  }
}
