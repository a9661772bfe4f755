import type { JsonValue } from '../../../foundation/index.js';
import type { UntypedObject } from '../../../entries/client-web.js';

/** The deepest values that are looked at: the server refuses deeper ones. */
const DEEPEST = 1000;

/** Returns whether a value is a map: neither a list nor null. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether a value is one of JSON. Integers that numbers cannot hold are bigints. */
export function isJson(value: unknown, depth = DEEPEST): value is JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint')
    return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth - 1));
  return isPlain(value) && Object.values(value).every((member) => member === undefined || isJson(member, depth - 1));
}

/** Returns whether a value is a map that was made by a literal or a parser, not by a class such as Date. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isMap(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns whether a value is an object of the API: it has a kind and metadata. */
export const isApiObject = (value: unknown): value is UntypedObject =>
  isMap(value) &&
  typeof value['apiVersion'] === 'string' &&
  typeof value['kind'] === 'string' &&
  isMap(value['metadata']);

/** Returns a list; an empty one for another value. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns a string; undefined for another value. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
