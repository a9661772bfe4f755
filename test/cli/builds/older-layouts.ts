/** The layouts that a build from before the second one knows. */
export const OLDEST_LAYOUT: number = 1;
export const STORE_LAYOUT: number = 1;
export const ROTATED_KEYS_LAYOUT = 2;
export const LAYOUT_VERSIONS: ReadonlyMap<number, string> = new Map([[1, '0.1.5']]);
