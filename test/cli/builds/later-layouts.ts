/** The layouts that a build long after this one knows, which no longer reads the first. */
export const OLDEST_LAYOUT: number = 2;
export const STORE_LAYOUT: number = 3;
export const ROTATED_KEYS_LAYOUT = 2;
export const LAYOUT_VERSIONS: ReadonlyMap<number, string> = new Map([
  [2, '0.2.0'],
  [3, '0.3.0'],
]);
