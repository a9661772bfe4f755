/** Texts of bodies, close to the limit of their size. */

/** Most bytes of a body, with room for what is around the text (docs/reference/limits.md: 3 MiB). */
export const BODY_BYTES = 2_900_000;

/** As many items as fit into some bytes. */
export function filled(item: (index: number) => string, separator = ',', bytes = BODY_BYTES): string {
  const parts: string[] = [];
  for (let index = 0, left = bytes; left > 0; index += 1) {
    const part = item(index);
    parts.push(part);
    left -= part.length + separator.length;
  }
  return parts.join(separator);
}

/** A text repeated up to some bytes. */
export const repeated = (text: string, bytes = BODY_BYTES): string => text.repeat(Math.floor(bytes / text.length));

/** Values within each other, such as `{"a":{"a":0}}`. */
export const nested = (open: string, leaf: string, close: string, depth: number): string =>
  open.repeat(depth) + leaf + close.repeat(depth);

/** Makes a text once, when it is first needed: the same bytes serve all requests of a flood. */
export function once<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined;
  return () => (made ??= { result: make() }).result;
}
