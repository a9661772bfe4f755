import { firstVersion, nextVersion, oldestVersionIn, type ObjectVersion } from '../../../foundation/index.js';
import type { UntypedObject } from '../../../entries/client-web.js';
import { ApiFailure, codeOf, type Api } from './api.js';
import { isApiObject, isMap, listOf } from './guards.js';
import { pathOf, type PageKind } from './kinds.js';
import { jsonLinesOf } from './lines.js';

/** The versions of an object that the server still has, the oldest first. */
export interface History {
  readonly versions: readonly ObjectVersion<UntypedObject>[];
  /** The version of the store with which the history begins. */
  readonly since: string;
}

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

/** How often the server may discard what is being read. */
const ATTEMPTS = 5;

/**
 * Reads the versions of an object: by a watch from the oldest version that the server has.
 *
 * @throws ApiFailure 410 when the server discards that version each time before it is read
 */
export async function readHistory(api: Api, target: HistoryTarget, signal: AbortSignal): Promise<History> {
  let since = '1';
  for (let attempt = 1; ; attempt += 1)
    try {
      return await readSince(api, target, since, signal);
    } catch (error) {
      const oldest = oldestVersionIn(error);
      if (codeOf(error) !== 410 || oldest === undefined || attempt === ATTEMPTS) throw error;
      since = oldest;
    }
}

async function readSince(api: Api, target: HistoryTarget, since: string, signal: AbortSignal): Promise<History> {
  const changes = since === target.newest ? [] : await readChanges(api, target, since, signal);
  const first = await stateAt(api, target, since, signal);
  const versions: ObjectVersion<UntypedObject>[] = [];
  if (first === 'discarded' && changes.length === 0) versions.push(await readNewest(api, target.kind, target, signal));
  else if (first !== undefined && first !== 'discarded') versions.push(firstVersion(first));
  for (const { type, object } of changes) {
    const version = nextVersion(type, object, versions.at(-1));
    if (version !== undefined) versions.push(version);
  }
  return { versions, since };
}

/** Returns the state with which a history begins: `discarded` when the server still has the changes since then, but not it. */
async function stateAt(
  api: Api,
  target: HistoryTarget,
  version: string,
  signal: AbortSignal,
): Promise<UntypedObject | 'discarded' | undefined> {
  try {
    return await readAt(api, target, version, signal);
  } catch (error) {
    if (codeOf(error) === 410) return 'discarded';
    throw error;
  }
}

/** An event of a watch that tells a version. */
interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: UntypedObject;
}

const isChange = (type: unknown): type is ObjectChange['type'] =>
  type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';

async function readChanges(
  api: Api,
  target: HistoryTarget,
  since: string,
  signal: AbortSignal,
): Promise<ObjectChange[]> {
  const query = queryOf(target, { watch: '1', resourceVersion: since, timeoutSeconds: SECONDS });
  const response = await api.request(`${pathOf(target.kind, target.namespace)}?${query}`, { signal });
  const changes: ObjectChange[] = [];
  for await (const event of jsonLinesOf(response)) {
    if (!isMap(event)) continue;
    const { type: sent, object } = event;
    if (sent === 'ERROR') throw failureIn(object);
    if (!isChange(sent) || !isApiObject(object)) continue;
    changes.push({ type: sent, object });
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

/** An object that is compared with another one of its kind. */
export interface OtherObject {
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Returns the object that an address names: `NAMESPACE/NAME`, or `NAME`; undefined for another text. */
export function otherObject(text: string, namespaced: boolean): OtherObject | undefined {
  const parts = text.split('/');
  const [first = '', second = ''] = parts;
  if (parts.length !== (namespaced ? 2 : 1) || parts.includes('')) return undefined;
  return namespaced ? { namespace: first, name: second } : { namespace: undefined, name: first };
}

/** Reads the newest version of an object to compare. @throws ApiFailure, such as 404 */
export async function readNewest(
  api: Api,
  kind: PageKind,
  { namespace, name }: OtherObject,
  signal: AbortSignal,
): Promise<ObjectVersion<UntypedObject>> {
  const path = `${pathOf(kind, namespace)}/${encodeURIComponent(name)}`;
  const object = await api.read<unknown>(path, 'application/json', signal);
  if (!isApiObject(object)) throw new ApiFailure(500, 'the answer is not an object');
  return firstVersion(object);
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
