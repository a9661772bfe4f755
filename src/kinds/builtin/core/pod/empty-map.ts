/** Returns true for a map without entries. Most pods have no annotations, and no check of annotations does anything then. */
export function isEmptyMap(map: Readonly<Record<string, string | undefined>>): boolean {
  for (const _key in map) return false;
  return true;
}
