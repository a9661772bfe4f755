/**
 * Returns a function that creates a value at the first call and returns the same value afterwards.
 *
 * Schemas use it: importing a kind builds no types, and a type that two kinds share exists once.
 */
export function once<Value>(make: () => Value): () => Value {
  let created: { readonly value: Value } | undefined;
  return () => (created ??= { value: make() }).value;
}
