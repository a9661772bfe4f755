import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Reads a JSON object in which no object has a name twice (RFC 7519 section 4): of two claims of one name two readers may take
 * different ones.
 *
 * @returns undefined when the text is no such object
 */
export function parseClaims(text: string): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isJsonObject(value) && !hasNameTwice(value, text) ? value : undefined;
}

/** Every member was written with a colon; of two with one name only one is left. */
function hasNameTwice(value: JsonObject, text: string): boolean {
  const members = countMembers(value);
  return members !== countLikelyColons(text) && members !== countColons(text);
}

/** Number of members of a value and of everything in it. Without recursion: what comes in may be nested as deep as it is long. */
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
 * Number of colons that stand behind a quote: all that end a name, and those inside of strings that look like it. When they are
 * as many as the members, there are none of the latter, and no name comes twice. That is quickly said, unlike which is which.
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

/** White space of JSON (RFC 8259 section 2); all that is not printed counts, since it stands nowhere else. */
const isBlank = (code: number): boolean => code <= 0x20;

/** Number of colons of a JSON text that are not inside of strings. */
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
