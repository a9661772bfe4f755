/** Fails the case unless two values are the same as JSON. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`${what}: got ${got}, wanted ${wanted}`);
}

/** Fails the case unless something holds. */
export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(`${what}: does not hold`);
}
