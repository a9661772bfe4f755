const DECIMAL = /^(?:0|[1-9][0-9]*)$/;

/**
 * Compares two resource versions, as integers of any length.
 *
 * @returns a number below, above or equal to 0; undefined for versions that are not decimal, and differ
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  return a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length;
}
