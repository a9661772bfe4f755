/** Characters of a word that are compared, so that comparing costs no more than reading. */
const MAX_COMPARED = 100;

/** Words of which the distance is remembered. */
const MAX_KNOWN = 1_000;
/** Words of a list that are compared; no more of it is looked at for likeness. */
const MAX_WORDS = 100;

/** How far words are from one: 0 for the same, 1 for nothing in common. */
export type Distances = (word: string) => number;

/** How often each two neighbouring characters occur. The edges count as characters, so that beginnings and ends weigh more. */
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
 * How far words are from a wanted one, by the pairs of characters that they share (Dice, 1945). Linear in the length of the
 * words; upper and lower case are alike.
 */
export function distancesFrom(wanted: string): Distances {
  const own = pairsOf(wanted);
  // Rules say the same few words again and again.
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

/** The distance of the nearest of several words, of which the first hundred count; 1 when there is none. */
export function nearestOf(words: readonly string[], distances: Distances): number {
  let nearest = 1;
  for (const word of words.slice(0, MAX_WORDS)) nearest = Math.min(nearest, distances(word));
  return nearest;
}
