/**
 * The body of a response as the audit log records it: compact JSON in printable ASCII, of a list of any length in steps.
 *
 * @module
 */
import {
  isArray,
  isJsonObject,
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
import { BODY_COPIES } from './audit-record.js';
import {
  GrowingText,
  lengthOfText,
  partsOf,
  piecesOfText,
  printable,
  printableSteps,
  type AuditText,
} from './audit-text.js';

/** Characters that are escaped in 50 ns. */
const CHARACTERS_PER_UNIT = 32;
/** Length up to which a text is in one piece, in characters. */
const SHORT = 64 * 1024;

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
export function* recordedSteps(work: Work, text: AuditText, omitsManagers: boolean): Steps<AuditText> {
  const body = trimmed(text);
  if (!omitsManagers && !piecesOfText(body).some((piece) => piece.includes('\n')))
    return yield* escapedSteps(work, body);
  let value: JsonValue;
  try {
    value = yield* jsonValueSteps(work, typeof body === 'string' ? body : body.join(''));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return yield* escapedSteps(work, body);
  }
  if (!isJsonObject(value)) return yield* printableSteps(work, value);
  const written = new GrowingText();
  yield* addObject(written, work, omitsManagers ? withoutOwnManagers(value) : value, omitsManagers);
  return inOneIfShort(written.pieces());
}

/** Returns a text without the space around it: the end of line of an answer. */
function trimmed(text: AuditText): AuditText {
  if (typeof text === 'string') return text.trim();
  const last = text.length - 1;
  return text.map((piece, index) => {
    const begun = index === 0 ? piece.trimStart() : piece;
    return index === last ? begun.trimEnd() : begun;
  });
}

function* escapedSteps(work: Work, text: AuditText): Steps<AuditText> {
  if (lengthOfText(text) <= SHORT) return printable(typeof text === 'string' ? text : text.join(''));
  const shown: string[] = [];
  for (const part of partsOf(text)) {
    shown.push(printable(part));
    if (work.spend(part.length / CHARACTERS_PER_UNIT)) yield;
  }
  return shown;
}

const inOneIfShort = (pieces: readonly string[]): AuditText => (pieces.length === 1 ? (pieces[0] ?? '') : pieces);

/** The members of a list and of a Table that have managed fields. */
const WITHOUT_MANAGERS: Readonly<Record<string, (item: JsonObject) => JsonObject>> = {
  items: withoutOwnManagers,
  rows: (row) => (isJsonObject(row['object']) ? { ...row, object: withoutOwnManagers(row['object']) } : row),
};

/** Writes an object: each item of a list, and each row of a Table, in a step of its own. */
function* addObject(text: GrowingText, work: Work, object: JsonObject, omitsManagers: boolean): Steps<void> {
  let before = '{';
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue;
    text.add(`${before}${printable(JSON.stringify(name))}:`);
    before = ',';
    const item = omitsManagers ? ownMember(WITHOUT_MANAGERS, name) : undefined;
    if (isArray(member)) yield* addItems(text, work, member, item);
    else text.add(yield* printableSteps(work, member));
  }
  text.add(before === '{' ? '{}' : '}');
}

function* addItems(
  text: GrowingText,
  work: Work,
  items: readonly JsonValue[],
  shownOf?: (item: JsonObject) => JsonObject,
): Steps<void> {
  text.add('[');
  for (const [index, item] of items.entries()) {
    const shown = yield* printableSteps(work, shownOf !== undefined && isJsonObject(item) ? shownOf(item) : item);
    text.add(index === 0 ? shown : `,${shown}`);
    if (work.spend(1 + shown.length / CHARACTERS_PER_UNIT)) yield;
  }
  text.add(']');
}
