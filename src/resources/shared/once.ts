/**
 * Makes a value on its first use and hands out the same one ever after.
 *
 * Schemas are made this way: importing a kind builds no types, and a type that two kinds share is one type, not two.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
