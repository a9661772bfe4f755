import type { Client, UntypedObject } from '../../client/index.js';
import { ApiError, firstVersion, nextVersion, type ObjectVersion } from '../../foundation/index.js';
import { StartError } from '../usage-error.js';

/** The clients of a kind, as `Client.resource` returns them for its names. */
type Objects = ReturnType<ReturnType<Client['resource']>['namespace']>;

/** The history of an object. */
export interface ObjectHistory {
  /** Version of the store with which the history begins; undefined when the server does not say it. */
  readonly since: string | undefined;
  /** Yields the versions of the object since then, the oldest first, each when the server has sent it. */
  readonly versions: AsyncGenerator<ObjectVersion<UntypedObject>, void, undefined>;
}

/** The first version of every store. */
export const FIRST = '1';

/** How long the server may send the versions of an object that exists, in seconds. */
const READ_SECONDS = 60;
/** How long it sends those of an object that does not exist any more: nothing says which version is the last. */
const DELETED_SECONDS = 2;
/** How often the history may move on while it is opened. */
const ATTEMPTS = 3;

/**
 * Opens the history of an object: from the oldest version of the store that the server still has, by an exact read and a
 * watch of the name.
 *
 * @throws ApiError when the server refuses
 */
export async function openHistory(objects: Objects, name: string): Promise<ObjectHistory> {
  const newest = await newestOf(objects, name);
  for (let attempt = 1; ; attempt += 1) {
    const since = await oldestVersion(objects, name);
    if (since === undefined) return { since, versions: only(newest) };
    try {
      const before = await stateAt(objects, name, since);
      return { since, versions: versionsSince({ objects, name, since, newest }, before) };
    } catch (error) {
      if (!isExpired(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Returns whether a server refuses a request because it has discarded the history. */
export const isExpired = (error: unknown): boolean => error instanceof ApiError && error.code === 410;

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
    return /\((\d+)\)/.exec(error instanceof Error ? error.message : '')?.[1];
  }
}

const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });

async function stateAt(objects: Objects, name: string, version: string): Promise<UntypedObject | undefined> {
  const { items } = await objects.list({
    ...named(name),
    resourceVersion: version,
    resourceVersionMatch: 'Exact',
  });
  return items[0];
}

/** A history to read. */
interface Reading {
  readonly objects: Objects;
  readonly name: string;
  readonly since: string;
  /** The newest state; undefined when the object does not exist. */
  readonly newest: UntypedObject | undefined;
}

async function* versionsSince(
  { objects, name, since, newest }: Reading,
  first: UntypedObject | undefined,
): AsyncGenerator<ObjectVersion<UntypedObject>, void, undefined> {
  let before = first === undefined ? undefined : firstVersion(first);
  if (before !== undefined) yield before;
  const last = newest?.metadata.resourceVersion;
  if (last !== undefined && before?.version === last) return;
  for await (const { type, object } of changesSince(
    objects,
    name,
    since,
    last === undefined ? DELETED_SECONDS : READ_SECONDS,
  )) {
    const version = nextVersion(type, object, before);
    if (version === undefined) continue;
    yield version;
    if (version.version === last) return;
    before = version;
  }
  if (last !== undefined) throw new StartError('the server has ended the history before the newest version');
}

async function* only(object: UntypedObject | undefined): AsyncGenerator<ObjectVersion<UntypedObject>, void, undefined> {
  if (object !== undefined) yield firstVersion(object);
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
