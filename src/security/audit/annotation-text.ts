import { compareText, jsonText, jsonTextSteps, sortedSteps, type Steps, type Work } from '../../foundation/index.js';
import { printable } from './audit-record.js';

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
  let text = '';
  for (const key of yield* sortedSteps(keys, compareText, work)) {
    const value = annotations.get(key) ?? '';
    const isLong = value.length > LONG_ANNOTATIONS;
    const shown = isLong ? yield* jsonTextSteps(value, work, printable) : printable(jsonText(value));
    text += `${text === '' ? '' : ','}${printable(jsonText(key))}:${shown}`;
    if (work.spend(ANNOTATION_UNITS + (isLong ? 0 : shown.length / CHARACTERS_PER_UNIT))) yield;
  }
  return `{${text}}`;
}
