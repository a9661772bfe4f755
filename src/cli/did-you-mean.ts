import { distancesFrom } from '../authz/explain/closeness.js';

/** Farther words are no slip of the finger. */
const FARTHEST = 0.6;

/**
 * A hint at the word that was meant.
 *
 * @param form how the word is written in the hint
 * @returns ` (did you mean --x?)`, or nothing when no word is near
 */
export function didYouMean(
  wanted: string,
  words: readonly string[],
  form: (word: string) => string = (word) => word,
): string {
  const distanceOf = distancesFrom(wanted);
  let nearest: string | undefined;
  for (const word of words)
    if (distanceOf(word) <= (nearest === undefined ? FARTHEST : distanceOf(nearest))) nearest = word;
  return nearest === undefined ? '' : ` (did you mean ${form(nearest)}?)`;
}
