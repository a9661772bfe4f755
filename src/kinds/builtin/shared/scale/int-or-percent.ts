import { invalid, patternText, type FieldError } from '../../../../foundation/index.js';
import { shownIntOrString } from '../go/shown-values.js';
import { NOT_NEGATIVE } from '../validate.js';

/** A number of pods, or a percentage such as `25%`. */
export type IntOrPercent = number | string;

const PERCENT = /^[0-9]+%$/;
const PERCENT_TEXT = patternText(
  "a valid percent string must be a numeric string followed by an ending '%'",
  '[0-9]+%',
  '1%',
  '93%',
);

const percentOf = (value: IntOrPercent): number | undefined =>
  typeof value === 'string' && PERCENT.test(value) ? Number(value.slice(0, -1)) : undefined;

/** Returns the number of pods or percents; 0 for another text. */
export function numberOf(value: IntOrPercent): number {
  if (typeof value === 'number') return value;
  return percentOf(value) ?? (/^[-+]?[0-9]+$/.test(value) ? Number(value) : 0);
}

/** Requires a number that is not negative, or a percentage. */
export function intOrPercentErrors(errors: FieldError[], path: string, value: IntOrPercent): void {
  if (typeof value === 'number') {
    if (value < 0) errors.push(invalid(path, value, NOT_NEGATIVE));
  } else if (!PERCENT.test(value)) errors.push(invalid(path, shownIntOrString(value), PERCENT_TEXT));
}

/** Requires that a percentage is at most 100%. */
export function atMostAll(errors: FieldError[], path: string, value: IntOrPercent): void {
  if ((percentOf(value) ?? 0) > 100)
    errors.push(invalid(path, shownIntOrString(value), 'must not be greater than 100%'));
}
