import { equalJson, isArray, type JsonValue } from '../../../foundation/index.js';

/**
 * Returns whether two states of a status are equal. Zero, the empty text and the empty list equal an absent field, since
 * the server does not store them.
 */
export function sameStatus(a: object | undefined, b: object | undefined): boolean {
  const [first, second] = [a ?? {}, b ?? {}] as [Fields, Fields];
  for (const field of new Set([...Object.keys(first), ...Object.keys(second)]))
    if (!equalJson(withoutEmpty(first[field]), withoutEmpty(second[field]))) return false;
  return true;
}

type Fields = Readonly<Record<string, JsonValue | undefined>>;

function withoutEmpty(value: JsonValue | undefined): JsonValue | undefined {
  if (value === 0 || value === '' || value === null || (isArray(value) && value.length === 0)) return undefined;
  return value;
}
