import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../../foundation/index.js';

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Parses a JSON object without duplicate names (RFC 7519 section 4): two readers could take different values of a
 * duplicate claim.
 *
 * @returns undefined when the text is invalid or contains duplicate names
 */
export function parseClaims(text: string): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isJsonObject(value) && !hasDuplicateName(value, text) ? value : undefined;
}

/** Each member has one colon, and of duplicate names only one remains after parsing. */
function hasDuplicateName(value: JsonObject, text: string): boolean {
  const members = countMembers(value);
  return members !== countLikelyColons(text) && members !== countColons(text);
}

/**
 * Counts the members of an object and all nested objects. Not recursive, since the nesting of the input is unbounded.
 */
function countMembers(root: JsonObject): number {
  const pending: (JsonObject | readonly JsonValue[])[] = [root];
  let members = 0;
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (isArray(value)) {
      for (const item of value) if (typeof item === 'object' && item !== null) pending.push(item);
      continue;
    }
    for (const name in value) {
      members += 1;
      const item = value[name];
      if (typeof item === 'object' && item !== null) pending.push(item);
    }
  }
  return members;
}

/**
 * Counts the colons after a quote: those that end a name, and similar ones in strings. When the number equals that of
 * the members, no string contains one and no name is duplicate. This check is faster than {@link countColons}, which
 * must parse the strings.
 */
function countLikelyColons(text: string): number {
  let colons = 0;
  for (let index = text.indexOf(':'); index >= 0; index = text.indexOf(':', index + 1)) {
    let before = index - 1;
    while (isBlank(text.charCodeAt(before))) before -= 1;
    if (text.charCodeAt(before) === QUOTE) colons += 1;
  }
  return colons;
}

/**
 * Returns whether a character is JSON white space (RFC 8259 section 2). Other control characters count too; they are
 * invalid outside of strings.
 */
const isBlank = (code: number): boolean => code <= 0x20;

/** Counts the colons of a JSON text outside of strings. */
function countColons(text: string): number {
  let colons = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) inString = !inString;
    else if (inString && code === BACKSLASH) index += 1;
    else if (!inString && code === COLON) colons += 1;
  }
  return colons;
}
