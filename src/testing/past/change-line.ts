import { jsonText, shown, type JsonValue } from '../../foundation/index.js';
import type { JsonChange } from '../../machinery/index.js';

/** Maximum length of a value in a line. */
const MAX_VALUE = 80;

/** Returns a difference in one line: `/spec/replicas: 1 → 3`. */
export function changeLine({ path, op, from, to }: JsonChange): string {
  const place = path === '' ? '(all)' : path;
  if (op === 'add') return `+ ${place}: ${valueText(to)}`;
  if (op === 'remove') return `- ${place}: ${valueText(from)}`;
  return `  ${place}: ${valueText(from)} → ${valueText(to)}`;
}

function valueText(value: JsonValue | undefined): string {
  const text = jsonText(value) ?? shown(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
