/** A range of keys: from `first`, inclusive, to `end`, exclusive. The database orders keys by their UTF-8 bytes. */
export interface KeyRange {
  readonly first: string;
  readonly end: string;
}

const LAST_CODE_POINT = 0x10ffff;
const LAST_BEFORE_SURROGATES = 0xd7ff;
const FIRST_AFTER_SURROGATES = 0xe000;
/** No key starts with it. */
const END_OF_ALL = String.fromCodePoint(LAST_CODE_POINT);

/** Returns the text that follows a key directly: no key contains U+0000. */
export const keyAfter = (key: string): string => `${key}\u0001`;

/** Returns the range of the keys that start with a prefix and come after a key; undefined when it is empty. */
export function rangeOf(prefix: string, after?: string): KeyRange | undefined {
  const end = successorOf(prefix);
  const next = after === undefined ? prefix : keyAfter(after);
  const first = isBefore(next, prefix) ? prefix : next;
  return isBefore(first, end) ? { first, end } : undefined;
}

/** @throws TypeError for a key that the database cannot store */
export function checkKey(key: string): void {
  if (key.includes('\0') || key.startsWith(END_OF_ALL))
    throw new TypeError(`the key ${JSON.stringify(key)} cannot be stored in PostgreSQL`);
}

/** Returns the first text after all texts with a prefix. */
function successorOf(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return END_OF_ALL;
  points.push(last === LAST_BEFORE_SURROGATES ? FIRST_AFTER_SURROGATES : last + 1);
  return points.map((point) => String.fromCodePoint(point)).join('');
}

const isBefore = (left: string, right: string): boolean => Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0;
