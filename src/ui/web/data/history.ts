import type { UntypedObject } from '../../../entries/client-web.js';
import { ApiFailure, codeOf, type Api } from './api.js';
import { isApiObject, isMap, listOf } from './guards.js';
import { pathOf, type PageKind } from './kinds.js';
import { linesOf } from './lines.js';

/** A version of an object. */
export interface Version {
  /** Its resource version. */
  readonly version: string;
  readonly type: 'created' | 'updated' | 'deleted' | 'before';
  readonly object: UntypedObject;
  /** The field managers whose entries the write changed. */
  readonly managers: readonly string[];
  /** Time of the write, as far as its managers tell it. */
  readonly time: string | undefined;
}

/** The versions of an object that the server still has, the oldest first. */
export interface History {
  readonly versions: readonly Version[];
  /** The version of the store with which the history begins. */
  readonly since: string;
}

const TYPES: ReadonlyMap<unknown, Version['type']> = new Map([
  ['ADDED', 'created'],
  ['MODIFIED', 'updated'],
  ['DELETED', 'deleted'],
]);

/** How long the server sends what it has, in seconds, should the newest version not come. */
const SECONDS = '2';

/** An object of which the versions are read. */
export interface HistoryTarget {
  readonly kind: PageKind;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The newest version that is known: reading ends with it. */
  readonly newest: string;
}

/** Reads the versions of an object: by a watch from the oldest version that the server has. */
export async function readHistory(api: Api, target: HistoryTarget, signal: AbortSignal): Promise<History> {
  let since = '1';
  try {
    return await readSince(api, target, since, signal);
  } catch (error) {
    // The server says which version is the oldest.
    const oldest = /\((\d+)\)/.exec(error instanceof Error ? error.message : '')?.[1];
    if (codeOf(error) !== 410 || oldest === undefined) throw error;
    since = oldest;
  }
  return readSince(api, target, since, signal);
}

async function readSince(api: Api, target: HistoryTarget, since: string, signal: AbortSignal): Promise<History> {
  const changes = await readChanges(api, target, since, signal);
  const first = await readAt(api, target, since, signal);
  const versions: Version[] = first === undefined ? [] : [versionOf('before', first, undefined)];
  for (const { type, object } of changes) {
    const before = versions.at(-1);
    if (before?.version === object.metadata.resourceVersion) continue;
    versions.push(versionOf(type, object, before?.type === 'deleted' ? undefined : before?.object));
  }
  return { versions, since };
}

async function readChanges(
  api: Api,
  target: HistoryTarget,
  since: string,
  signal: AbortSignal,
): Promise<{ readonly type: Version['type']; readonly object: UntypedObject }[]> {
  const query = queryOf(target, { watch: '1', resourceVersion: since, timeoutSeconds: SECONDS });
  const response = await api.request(`${pathOf(target.kind, target.namespace)}?${query}`, { signal });
  const changes: { type: Version['type']; object: UntypedObject }[] = [];
  if (response.body === null) return changes;
  for await (const line of linesOf(response.body)) {
    const event: unknown = JSON.parse(line);
    if (!isMap(event)) continue;
    const { type: sent, object } = event;
    if (sent === 'ERROR') throw failureIn(object);
    const type = TYPES.get(sent);
    if (type === undefined || !isApiObject(object)) continue;
    changes.push({ type, object });
    if (object.metadata.resourceVersion === target.newest) break;
  }
  return changes;
}

/** Returns an object as it was at a version of the store; undefined when there was none. @throws ApiFailure 410 */
export async function readAt(
  api: Api,
  target: Omit<HistoryTarget, 'newest'>,
  version: string,
  signal: AbortSignal,
): Promise<UntypedObject | undefined> {
  const query = queryOf(target, { resourceVersion: version, resourceVersionMatch: 'Exact' });
  const list = await api.read<unknown>(`${pathOf(target.kind, target.namespace)}?${query}`, 'application/json', signal);
  const [found] = listOf(isMap(list) ? list['items'] : undefined);
  if (!isMap(found)) return undefined;
  const { group, version: apiVersion, kind } = target.kind;
  const object = { apiVersion: group === '' ? apiVersion : `${group}/${apiVersion}`, kind, ...found };
  return isApiObject(object) ? object : undefined;
}

const queryOf = ({ name }: Pick<HistoryTarget, 'name'>, more: Readonly<Record<string, string>>): URLSearchParams =>
  new URLSearchParams({ fieldSelector: `metadata.name=${name}`, ...more });

function failureIn(status: unknown): ApiFailure {
  const { code, message } = isMap(status) ? status : {};
  return new ApiFailure(
    typeof code === 'number' ? code : 500,
    typeof message === 'string' ? message : 'the watch failed',
  );
}

function versionOf(type: Version['type'], object: UntypedObject, before: UntypedObject | undefined): Version {
  const entries = writtenEntries(object, before);
  const times = entries.map(({ time }) => time ?? '').sort();
  const isDelete = type === 'deleted';
  return {
    version: object.metadata.resourceVersion ?? '',
    type,
    object,
    managers: isDelete || type === 'before' ? [] : [...new Set(entries.map(({ manager = '' }) => manager))],
    time: isDelete ? (object.metadata.deletionTimestamp ?? undefined) : times.at(-1) || undefined,
  };
}

/** Returns the entries of those who wrote a version. An entry that only lost fields to another keeps its time. */
function writtenEntries({ metadata }: UntypedObject, before: UntypedObject | undefined) {
  const former = before?.metadata.managedFields ?? [];
  const known = new Set(former.map((entry) => JSON.stringify(entry)));
  const changed = (metadata.managedFields ?? []).filter((entry) => !known.has(JSON.stringify(entry)));
  const moments = new Set(former.map(momentOf));
  const written = changed.filter((entry) => !moments.has(momentOf(entry)));
  return written.length > 0 ? written : changed;
}

/** Returns who wrote an entry, and when, as one text. */
const momentOf = ({ manager, operation, subresource, time }: ManagedFieldsEntry): string =>
  JSON.stringify([manager, operation, subresource, time]);

type ManagedFieldsEntry = NonNullable<UntypedObject['metadata']['managedFields']>[number];
