/**
 * Values in error messages that Kubernetes prints in Go's syntax (`%#v`).
 *
 * @module
 */
import {
  compareText,
  formatTime,
  goQuote,
  goStringSlice,
  parseTime,
  verbatim,
  VerbatimValue,
} from '../../../../foundation/index.js';
import type { metaV1 } from '../../../types/index.js';

function goStringMap(map: Readonly<Record<string, string>> | undefined): string {
  if (map === undefined) return 'map[string]string(nil)';
  const entries = Object.entries(map).sort(([a], [b]) => compareText(a, b));
  return `map[string]string{${entries.map(([key, value]) => `${goQuote(key)}:${goQuote(value)}`).join(', ')}}`;
}

/** Returns labels as Kubernetes shows them in an error: `map[string]string{"app":"shop"}`. */
export const shownLabels = (labels: Readonly<Record<string, string>> | undefined): VerbatimValue =>
  verbatim(labels, () => goStringMap(labels));

function goRequirement({ key, operator, values }: metaV1.LabelSelectorRequirement): string {
  const shown = values === undefined ? '[]string(nil)' : goStringSlice(values);
  return `v1.LabelSelectorRequirement{Key:${goQuote(key)}, Operator:${goQuote(operator)}, Values:${shown}}`;
}

/** Returns a label selector as Kubernetes shows it in an error; undefined for an absent one. */
export function shownSelector(selector: metaV1.LabelSelector | undefined): VerbatimValue | undefined {
  if (selector === undefined) return undefined;
  return verbatim(selector, () => goSelector(selector));
}

function goSelector({ matchLabels, matchExpressions }: metaV1.LabelSelector): string {
  const expressions =
    matchExpressions === undefined
      ? '[]v1.LabelSelectorRequirement(nil)'
      : `[]v1.LabelSelectorRequirement{${matchExpressions.map(goRequirement).join(', ')}}`;
  return `v1.LabelSelector{MatchLabels:${goStringMap(matchLabels)}, MatchExpressions:${expressions}}`;
}

/** Returns a number or text as Kubernetes shows it in an error. */
export function shownIntOrString(value: number | string): VerbatimValue {
  const [type, number, text] = typeof value === 'number' ? [0, value, ''] : [1, 0, value];
  return new VerbatimValue(`intstr.IntOrString{Type:${type}, IntVal:${number}, StrVal:${goQuote(text)}}`);
}

/** Returns a time as Kubernetes shows it in an error: `2024-05-01 12:00:00 +0000 UTC`. */
export function shownTime(time: string): VerbatimValue {
  const ms = parseTime(time);
  return new VerbatimValue(ms === undefined ? time : formatTime(ms).replace('T', ' ').replace('Z', ' +0000 UTC'));
}

/** Returns a list of numbers as Kubernetes shows it in an error: `[]int32{1, 2}`. */
export const shownInt32s = (numbers: readonly number[] | null | undefined): VerbatimValue =>
  verbatim(numbers, () =>
    numbers === undefined || numbers === null ? '[]int32(nil)' : `[]int32{${numbers.join(', ')}}`,
  );
