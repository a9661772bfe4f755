import { isObjectKey, OBJECT_KEYS } from '../../foundation/index.js';
import { keyWithinPart } from '../partition/part-keys.js';
import { STORE_MARK_KEY } from '../store-mark.js';
import type { GroupResource } from './masks.js';

/** The paths below `/registry/` of the kinds whose path does not name their group and resource, each ending in `/`. */
export type ResourcePaths = ReadonlyMap<string, GroupResource>;

const INTERNAL = '/internal/';
/** Internal records, such as signing keys, are protected like Secrets. */
const SECRETS: GroupResource = { group: '', resource: 'secrets' };

/**
 * Returns the resource of a storage key, which may be in a part of the store; undefined for a key that is never
 * encrypted. The mark of a store is read before anything is known about it.
 */
export function resourceOfKey(storedKey: string, paths: ResourcePaths): GroupResource | undefined {
  const key = keyWithinPart(storedKey);
  if (key === STORE_MARK_KEY) return undefined;
  if (key.startsWith(INTERNAL)) return SECRETS;
  if (!isObjectKey(key)) return undefined;
  const first = key.indexOf('/', OBJECT_KEYS.length);
  const second = first < 0 ? -1 : key.indexOf('/', first + 1);
  const firstPart = key.slice(OBJECT_KEYS.length, first < 0 ? undefined : first);
  const secondPart = first < 0 ? '' : key.slice(first + 1, second < 0 ? undefined : second);
  return (
    paths.get(`${firstPart}/${secondPart}/`) ??
    paths.get(`${firstPart}/`) ??
    (second < 0 ? { group: '', resource: firstPart } : { group: firstPart, resource: secondPart })
  );
}
