/**
 * The body of a response as the audit log records it: compact JSON in printable ASCII, of a list of any length in steps.
 *
 * @module
 */
import {
  isArray,
  isJsonObject,
  isLargeValue,
  isLargeWork,
  jsonText,
  jsonTextSteps,
  jsonValueSteps,
  ownMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { BODY_COPIES, printable } from './audit-record.js';

/** Characters that are escaped in one step, and those that take 50 ns. */
const PART_LENGTH = 64 * 1024;
const CHARACTERS_PER_UNIT = 32;

/**
 * Returns the text of the body of a request, and reserves its memory.
 *
 * @param value its object or patch
 */
export function* sentSteps(work: Work, value: JsonValue): Steps<string> {
  if (!isLargeWork(work, value, true)) {
    const text = printable(jsonText(value));
    work.reserve(BODY_COPIES * text.length);
    return text;
  }
  // The steps reserve one copy.
  const text = yield* jsonTextSteps(value, work, printable);
  work.reserve((BODY_COPIES - 1) * text.length);
  return text;
}

/** Returns an object without its managed fields. */
export function withoutOwnManagers(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || metadata['managedFields'] === undefined) return object;
  const { managedFields: _omitted, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/**
 * Returns the text of a body.
 *
 * @param text its JSON, indented or not
 * @param omitsManagers whether the managed fields of the object, of the items or of the rows are left out
 */
export function* recordedSteps(work: Work, text: string, omitsManagers: boolean): Steps<string> {
  const body = text.trim();
  if (!body.includes('\n') && !omitsManagers) return yield* printableSteps(work, body);
  let value: JsonValue;
  try {
    value = yield* jsonValueSteps(work, body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return yield* printableSteps(work, body);
  }
  return isJsonObject(value)
    ? yield* objectSteps(work, omitsManagers ? withoutOwnManagers(value) : value, omitsManagers)
    : yield* textSteps(work, value);
}

/** Returns the text of a value, which is made in pieces when it is large. */
function* textSteps(work: Work, value: JsonValue): Steps<string> {
  return isLargeValue(value, true) ? yield* jsonTextSteps(value, work, printable) : printable(jsonText(value));
}

function* printableSteps(work: Work, text: string): Steps<string> {
  if (text.length <= PART_LENGTH) return printable(text);
  let shown = '';
  for (let from = 0; from < text.length; from += PART_LENGTH) {
    shown += printable(text.slice(from, from + PART_LENGTH));
    if (work.spend(PART_LENGTH / CHARACTERS_PER_UNIT)) yield;
  }
  return shown;
}

/** The members of a list and of a Table that have managed fields. */
const WITHOUT_MANAGERS: Readonly<Record<string, (item: JsonObject) => JsonObject>> = {
  items: withoutOwnManagers,
  rows: (row) => (isJsonObject(row['object']) ? { ...row, object: withoutOwnManagers(row['object']) } : row),
};

/** Writes an object: each item of a list, and each row of a Table, in a step of its own. */
function* objectSteps(work: Work, object: JsonObject, omitsManagers: boolean): Steps<string> {
  let text = '';
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${printable(JSON.stringify(name))}:`;
    const item = omitsManagers ? ownMember(WITHOUT_MANAGERS, name) : undefined;
    if (isArray(member)) text += yield* itemSteps(work, member, item);
    else text += yield* textSteps(work, member);
  }
  return `{${text}}`;
}

function* itemSteps(
  work: Work,
  items: readonly JsonValue[],
  shownOf?: (item: JsonObject) => JsonObject,
): Steps<string> {
  let text = '';
  for (const [index, item] of items.entries()) {
    const shown = yield* textSteps(work, shownOf !== undefined && isJsonObject(item) ? shownOf(item) : item);
    text += index === 0 ? shown : `,${shown}`;
    if (work.spend(1 + shown.length / CHARACTERS_PER_UNIT)) yield;
  }
  return `[${text}]`;
}
