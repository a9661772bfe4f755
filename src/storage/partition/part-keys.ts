const PARTS = '/w/';

/**
 * Returns the prefix of the keys of a part of a store. All ids have the same length, so that none is the beginning of
 * another.
 */
export const partPrefix = (id: string): string => PARTS + id;

/** Returns a key as its part sees it; a key outside all parts is unchanged. */
export function keyWithinPart(key: string): string {
  if (!key.startsWith(PARTS)) return key;
  const end = key.indexOf('/', PARTS.length);
  return end < 0 ? key : key.slice(end);
}
