/** Checks that two values have the same JSON. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [got, expectedJson] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== expectedJson) throw new Error(`${what}: got ${got}, expected ${expectedJson}`);
}

/** Checks that a condition holds. */
export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(`${what}: does not hold`);
}
