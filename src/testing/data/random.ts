/** Repeatable choices, for data that a seed determines. */
export interface Random {
  /** Returns a whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  /** Returns one of the items. @throws RangeError for an empty list */
  pick<Item>(items: readonly Item[]): Item;
  /** Returns lower-case letters and digits, the first a letter. */
  word(length: number): string;
  /** Returns another generator, which depends on the seed and the label only. */
  child(label: string): Random;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Returns a number from 0 to 2^32 - 1 for a text (FNV-1a with a final mix). */
export function hashOf(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Creates a generator: the same seed gives the same choices. */
export function seededRandom(seed: string): Random {
  let count = 0;
  const below = (limit: number): number => {
    count += 1;
    return hashOf(`${seed}#${count}`) % limit;
  };
  return {
    below,
    pick(items) {
      const item = items[below(Math.max(items.length, 1))];
      if (item === undefined) throw new RangeError('there is nothing to pick from');
      return item;
    },
    word: (length) =>
      Array.from({ length }, (_, index) =>
        (index === 0 ? LETTERS : `${LETTERS}0123456789`).charAt(below(index === 0 ? 26 : 36)),
      ).join(''),
    child: (label) => seededRandom(`${seed}/${label}`),
  };
}
