/**
 * The layouts of a store that this build knows. A layout is the form of the keys, the texts and the internal records, and
 * is written in the mark of the store.
 *
 * | Layout | Version | What only this layout may hold                              |
 * | ------ | ------- | ----------------------------------------------------------- |
 * | 1      | 0.1.0   |                                                             |
 * | 2      | 0.2.0   | A signing key with a successor, or with former keys         |
 *
 * A new store begins with the oldest layout. The layout rises with the first write that an older build could not read, and
 * only when all servers of the store can read it, so builds of several layouts serve one store until then.
 *
 * @module
 */

/** The oldest layout that this build reads and writes. */
export const OLDEST_LAYOUT: number = 1;

/** The newest layout that this build reads and writes. */
export const STORE_LAYOUT: number = 2;

/** The layout from which on a signing key may have a successor and former keys. */
export const ROTATED_KEYS_LAYOUT = 2;

/** The first version of the package that reads each layout. */
export const LAYOUT_VERSIONS: ReadonlyMap<number, string> = new Map([
  [1, '0.1.0'],
  [2, '0.2.0'],
]);
