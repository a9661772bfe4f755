import { compareText, jsonText, sortedSteps, type Steps, type Work } from '../../foundation/index.js';
import { GrowingText, printable, printableSteps } from './audit-text.js';

/** Length of the keys and values of annotations, in characters, beyond which their text is written in steps. */
export const LONG_ANNOTATIONS = 16 * 1024;

/** Units of work to write an annotation, and characters that take a unit. */
const ANNOTATION_UNITS = 20;
const CHARACTERS_PER_UNIT = 8;

/**
 * Writes the annotations of an event as a JSON object in printable ASCII, sorted by their keys. A webhook may add a hundred
 * thousand of them, or some megabytes.
 */
export function* annotationTextSteps(work: Work, annotations: ReadonlyMap<string, string>): Steps<string> {
  const keys: string[] = [];
  for (const key of annotations.keys()) {
    keys.push(key);
    if (work.spend(1)) yield;
  }
  const text = new GrowingText();
  let before = '{';
  for (const key of yield* sortedSteps(keys, compareText, work)) {
    const shown = yield* printableSteps(work, annotations.get(key) ?? '');
    text.add(`${before}${printable(jsonText(key))}:${shown}`);
    before = ',';
    if (work.spend(ANNOTATION_UNITS + shown.length / CHARACTERS_PER_UNIT)) yield;
  }
  text.add(before === '{' ? '{}' : '}');
  return text.pieces().join('');
}
