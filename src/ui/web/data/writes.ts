import type { Api } from './api.js';
import { isMap } from './guards.js';
import { jsonLinesOf } from './lines.js';

/** A write of an object, as the server has recorded it. */
export interface ShownWrite {
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly type: string;
  readonly group: string;
  readonly resource: string;
  /** Empty for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** The field manager; empty where it is not known. */
  readonly manager: string;
}

const TEXTS = ['type', 'group', 'resource', 'namespace', 'name', 'manager'] as const;

const isWrite = (value: unknown): value is ShownWrite =>
  isMap(value) &&
  typeof value['version'] === 'number' &&
  typeof value['time'] === 'number' &&
  TEXTS.every((name) => typeof value[name] === 'string');

/**
 * Reads the newest writes, then follows those that come until the server ends the stream.
 *
 * @param limit the most that are read
 * @param seen called with the writes that were read, the oldest first, then with each that comes
 * @throws ApiFailure
 */
export async function followWrites(
  api: Api,
  limit: number,
  signal: AbortSignal,
  seen: (writes: readonly ShownWrite[]) => void,
): Promise<'ended'> {
  const following = await api.request('ui/v1/writes/follow', { signal });
  const read = await api.read<unknown>(`ui/v1/writes?limit=${limit}`, 'application/json', signal);
  seen(isMap(read) && Array.isArray(read['writes']) ? read['writes'].filter(isWrite) : []);
  for await (const write of jsonLinesOf(following)) if (isWrite(write)) seen([write]);
  return 'ended';
}

/** Returns writes with those that came later, the newest first, each once. */
export function newestOf(before: readonly ShownWrite[], more: readonly ShownWrite[], most: number): ShownWrite[] {
  // A write that came while the others were read is in both.
  const all = new Map([...before, ...more].map((write) => [keyOf(write), write]));
  return [...all.values()].sort((a, b) => b.version - a.version).slice(0, most);
}

/** Names a write; several objects may be written at one version. */
export const keyOf = ({ version, group, resource, namespace, name }: ShownWrite): string =>
  [version, group, resource, namespace, name].join('/');
