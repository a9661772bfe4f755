const PARTS = '/w/';

/**
 * Returns the prefix of the keys of a part of a store, by its id. Ids have the same length, so that none is the beginning of
 * another one.
 */
export const partPrefix = (id: string): string => PARTS + id;

/** Returns the key that a key has within its part; a key of no part as it is. */
export function keyWithinPart(key: string): string {
  if (!key.startsWith(PARTS)) return key;
  const end = key.indexOf('/', PARTS.length);
  return end < 0 ? key : key.slice(end);
}
