/** Maximum number of compared characters of a word, so that comparing costs no more than reading. */
const MAX_COMPARED = 100;

/** Maximum number of cached distances. */
const MAX_KNOWN = 1_000;
/** Maximum number of compared words of a list. */
const MAX_WORDS = 100;

/** Returns the distance of a word: 0 for the same, 1 for nothing in common. */
export type Distances = (word: string) => number;

/**
 * Counts the pairs of neighbouring characters. The edges count as characters, so that beginnings and ends weigh more.
 */
function pairsOf(word: string): { readonly counts: ReadonlyMap<string, number>; readonly total: number } {
  const text = ` ${word.slice(0, MAX_COMPARED).toLowerCase()} `;
  const counts = new Map<string, number>();
  for (let index = 1; index < text.length; index += 1) {
    const pair = text.slice(index - 1, index + 1);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total: text.length - 1 };
}

/**
 * Returns the distance of words from a wanted one, by shared character pairs (Dice, 1945). Linear in the length of the
 * words; case-insensitive.
 */
export function distancesFrom(wanted: string): Distances {
  const own = pairsOf(wanted);
  // Rules repeat the same few words.
  const known = new Map<string, number>();
  return (word) => {
    let distance = known.get(word);
    if (distance !== undefined) return distance;
    const other = pairsOf(word);
    let common = 0;
    for (const [pair, count] of other.counts) common += Math.min(count, own.counts.get(pair) ?? 0);
    distance = 1 - (2 * common) / (own.total + other.total);
    if (known.size < MAX_KNOWN) known.set(word, distance);
    return distance;
  };
}

/** Returns the smallest distance of the first hundred words; 1 for an empty list. */
export function nearestOf(words: readonly string[], distances: Distances): number {
  let nearest = 1;
  for (const word of words.slice(0, MAX_WORDS)) nearest = Math.min(nearest, distances(word));
  return nearest;
}
