/**
 * The revision in a value. Who writes does not know it yet, so the value is stored with a stand-in, and whoever reads puts the
 * revision of the write in its place: `metadata.resourceVersion` of the object.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import { isJsonObject } from '../../meta/json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;

const METADATA = Buffer.from('metadata');
const RESOURCE_VERSION = Buffer.from('resourceVersion');
const API_VERSION = Buffer.from('apiVersion');

/** Where a text is within bytes. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The text of a value as of the revision that wrote it. A JSON object without a place for the revision is left as it is.
 *
 * @returns undefined for what is not written here: no JSON object, or an API object without a place, as other programs write it
 */
export function stampedText(value: Buffer, revision: number): string | undefined {
  const place = placeIn(value);
  if (place === undefined) return undefined;
  if (place === 'none') return value.toString('utf8');
  const digits = String(revision);
  const stamped = Buffer.allocUnsafe(value.length - (place.end - place.start) + digits.length);
  value.copy(stamped, 0, 0, place.start);
  stamped.write(digits, place.start, 'latin1');
  value.copy(stamped, place.start + digits.length, place.end);
  return stamped.toString('utf8');
}

/** Whether a value is one that is written here. */
export function isStampable(value: Buffer): boolean {
  return placeIn(value) !== undefined;
}

/** Where the revision is; `none` in what needs none, and undefined in what is not written here. */
function placeIn(value: Buffer): Span | 'none' | undefined {
  if (value[0] !== OPEN_BRACE || !isUtf8(value)) return undefined;
  return revisionPlace(value) ?? (memberOf(value, 0, API_VERSION) === undefined ? 'none' : undefined);
}

/** Puts the revision into the decoded form of a value, as the encoder would have done had it known it. */
export function stampDecoded(decoded: unknown, revision: number): void {
  if (!isJsonObject(decoded)) return;
  const { metadata } = decoded;
  if (hasRevision(metadata)) metadata.resourceVersion = String(revision);
}

function hasRevision(metadata: unknown): metadata is { resourceVersion: string } {
  return isJsonObject(metadata) && typeof metadata['resourceVersion'] === 'string';
}

/** The characters of `metadata.resourceVersion` in the JSON of an object; undefined when it has none, or is no JSON. */
function revisionPlace(json: Buffer): Span | undefined {
  const metadata = memberOf(json, skipBlanks(json, 0), METADATA);
  const value = metadata === undefined ? undefined : memberOf(json, metadata, RESOURCE_VERSION);
  if (value === undefined || json[value] !== QUOTE) return undefined;
  const end = stringEnd(json, value);
  return end === undefined ? undefined : { start: value + 1, end: end - 1 };
}

/** Where the value of a member begins, in the object that begins at `start`. */
function memberOf(json: Buffer, start: number, name: Buffer): number | undefined {
  if (json[start] !== OPEN_BRACE) return undefined;
  let position = skipBlanks(json, start + 1);
  while (json[position] === QUOTE) {
    const nameEnd = stringEnd(json, position);
    if (nameEnd === undefined) return undefined;
    const found =
      nameEnd - position === name.length + 2 && json.compare(name, 0, name.length, position + 1, nameEnd - 1) === 0;
    const colon = skipBlanks(json, nameEnd);
    if (json[colon] !== COLON) return undefined;
    const value = skipBlanks(json, colon + 1);
    if (found) return value;
    const end = valueEnd(json, value);
    if (end === undefined) return undefined;
    position = skipBlanks(json, end);
    if (json[position] !== COMMA) return undefined;
    position = skipBlanks(json, position + 1);
  }
  return undefined;
}

function skipBlanks(json: Buffer, start: number): number {
  let position = start;
  while ((json[position] ?? COMMA) <= SPACE) position += 1;
  return position;
}

/** Behind the closing quote of the string that begins at `start`. */
function stringEnd(json: Buffer, start: number): number | undefined {
  for (let position = start + 1; position < json.length; position += 1) {
    const byte = json[position];
    if (byte === QUOTE) return position + 1;
    if (byte === BACKSLASH) position += 1;
  }
  return undefined;
}

/** Behind the value that begins at `start`. */
function valueEnd(json: Buffer, start: number): number | undefined {
  let depth = 0;
  for (let position = start; position < json.length; position += 1) {
    const byte = json[position];
    if (byte === QUOTE) {
      const end = stringEnd(json, position);
      if (end === undefined) return undefined;
      position = end - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) return position;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    if (depth === 0 && (byte === QUOTE || byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) return position + 1;
  }
  return undefined;
}
