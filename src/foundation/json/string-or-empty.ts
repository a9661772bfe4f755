/** Returns a value that is a string, and the empty string for any other, as Go does for a field that is absent. */
export function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
