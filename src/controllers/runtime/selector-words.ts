import { compareText, isLongValue, LONG_VALUE } from '../../foundation/index.js';
import type { metaV1 } from '../../kinds/index.js';

/**
 * Returns a label selector as Go prints the message, for the words of an event:
 * `&LabelSelector{MatchLabels:map[string]string{a: b,},…,}`. Of a long one it says only that it is long.
 */
export function selectorWords(selector: metaV1.LabelSelector | undefined): string {
  if (selector === undefined) return 'nil';
  if (isLongValue(selector)) return LONG_VALUE;
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => compareText(a, b));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const shown = labels.map(([key, value]) => `${key}: ${value},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${shown}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
