import { parseDocument, stringify } from 'yaml';

/** Returns an object as the text that is edited. */
export const textOf = (object: unknown): string => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });

/**
 * Returns the object that a text describes. Integers beyond the exact numbers of JavaScript stay exact.
 *
 * @throws Error with the place of what is wrong
 */
export function objectIn(text: string): unknown {
  const document = parseDocument(text, { intAsBigInt: true });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(error.message);
  return plain(document.toJS({ maxAliasCount: 100 }));
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
