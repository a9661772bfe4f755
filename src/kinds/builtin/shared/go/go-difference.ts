import {
  isLongValue,
  jsonText,
  LONG_VALUE,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import { semanticallyEqualSteps } from './semantic-equal.js';

/**
 * Returns the fields that differ between two values, one per line: the old value with a minus, the new value with a
 * plus. Kubernetes adds such a text to the errors of immutable fields; its lines show Go values, these show JSON.
 *
 * @param type name of the Go type of both values
 */
export function* goDifference(type: string, now: object, before: object, work: Work): Steps<string> {
  const after = fieldsOf(now);
  const old = fieldsOf(before);
  const lines = [`  ${type}{`];
  for (const field of new Set([...old.keys(), ...after.keys()])) {
    const value = after.get(field);
    const previous = old.get(field);
    if (yield* semanticallyEqualSteps(value, previous, work)) continue;
    if (previous !== undefined) lines.push(`- \t${field}: ${shownJson(previous)},`);
    if (value !== undefined) lines.push(`+ \t${field}: ${shownJson(value)},`);
  }
  return [...lines, '  }', ''].join('\n');
}

/** Returns a field of a difference as JSON: of a long one only that it is long. */
export const shownJson = (value: JsonValue): string => (isLongValue(value) ? LONG_VALUE : jsonText(value));

const fieldsOf = (value: object): ReadonlyMap<string, JsonValue | undefined> =>
  new Map<string, JsonValue | undefined>(Object.entries(value));
