import { distancesFrom } from '../security/index.js';

/** Maximum distance of a word that counts as a typing error. */
const MAX_DISTANCE = 0.6;

/** Returns a hint at the known word nearest to a misspelled one.
 *
 * @param form formats the word for the hint
 * @returns ` (did you mean --x?)`, or an empty string when no word is near
 */
export function didYouMean(
  wanted: string,
  words: readonly string[],
  form: (word: string) => string = (word) => word,
): string {
  const distanceOf = distancesFrom(wanted);
  let nearest: string | undefined;
  for (const word of words)
    if (distanceOf(word) <= (nearest === undefined ? MAX_DISTANCE : distanceOf(nearest))) nearest = word;
  return nearest === undefined ? '' : ` (did you mean ${form(nearest)}?)`;
}
