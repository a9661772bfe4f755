/**
 * The revision in a stored value. The writer does not know it yet, so the value is stored with a placeholder in
 * `metadata.resourceVersion`. The reader replaces the placeholder with the revision of the write.
 *
 * @module
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { isJsonObject } from '../../foundation/index.js';

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

/** A range of bytes. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the text of a value with the revision that wrote it. A JSON object that is not an API object is returned
 * unchanged.
 *
 * @returns undefined for a foreign value: not a JSON object, or an API object without a placeholder, as other programs
 * write it
 */
export function stampedText(value: Buffer, revision: number): string | undefined {
  const placeholder = placeholderIn(value);
  if (placeholder === undefined) return undefined;
  // The texts of objects are ASCII; decoding them needs no check of the bytes.
  const encoding = isAscii(value) ? 'latin1' : 'utf8';
  if (placeholder === 'none') return value.toString(encoding);
  const { start, end } = placeholder;
  // A quotation mark precedes and follows the placeholder, so no character is divided.
  return `${value.toString(encoding, 0, start)}${revision}${value.toString(encoding, end)}`;
}

/** Returns whether this engine can store a value. */
export function isStampable(value: Buffer): boolean {
  return placeholderIn(value) !== undefined;
}

/** Returns the position of the revision; `none` for a value that needs none, undefined for a foreign value. */
function placeholderIn(value: Buffer): Span | 'none' | undefined {
  if (value[0] !== OPEN_BRACE || !isUtf8(value)) return undefined;
  return revisionSpan(value) ?? (memberOf(value, 0, API_VERSION) === undefined ? 'none' : undefined);
}

/**
 * Returns the position of the revision in a text, in UTF-16 code units; `none` for a text that needs none, undefined for
 * one that cannot be stored.
 */
export function placeholderOf(text: string): { readonly start: number; readonly length: number } | 'none' | undefined {
  const value = Buffer.from(text);
  const placeholder = placeholderIn(value);
  if (placeholder === undefined || placeholder === 'none') return placeholder;
  const { start, end } = placeholder;
  return {
    start: value.length === text.length ? start : value.toString('utf8', 0, start).length,
    length: value.toString('utf8', start, end).length,
  };
}

/** Sets the revision in the decoded form of a value, as the encoder would have done. */
export function stampDecoded(decoded: unknown, revision: number): void {
  if (!isJsonObject(decoded)) return;
  const { metadata } = decoded;
  if (hasRevision(metadata)) metadata.resourceVersion = String(revision);
}

function hasRevision(metadata: unknown): metadata is { resourceVersion: string } {
  return isJsonObject(metadata) && typeof metadata['resourceVersion'] === 'string';
}

/**
 * Returns the position of the characters of `metadata.resourceVersion` in the JSON of an object; undefined when it has
 * none or is not JSON.
 */
function revisionSpan(json: Buffer): Span | undefined {
  const metadata = memberOf(json, skipBlanks(json, 0), METADATA);
  const value = metadata === undefined ? undefined : memberOf(json, metadata, RESOURCE_VERSION);
  if (value === undefined || json[value] !== QUOTE) return undefined;
  const end = stringEnd(json, value);
  return end === undefined ? undefined : { start: value + 1, end: end - 1 };
}

/** Returns the position of a member's value in the object that starts at `start`. */
function memberOf(json: Buffer, start: number, name: Buffer): number | undefined {
  if (json[start] !== OPEN_BRACE) return undefined;
  let position = skipBlanks(json, start + 1);
  while (json[position] === QUOTE) {
    const nameEnd = stringEnd(json, position);
    if (nameEnd === undefined) return undefined;
    const found = nameEnd - position === name.length + 2 && hasBytes(json, position + 1, name);
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

/** A loop: a call of the host costs more than it saves on a short name. */
function hasBytes(json: Buffer, start: number, bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index += 1) if (json[start + index] !== bytes[index]) return false;
  return true;
}

function skipBlanks(json: Buffer, start: number): number {
  let position = start;
  while ((json[position] ?? COMMA) <= SPACE) position += 1;
  return position;
}

/** Returns the position after the string that starts at `start`. */
function stringEnd(json: Buffer, start: number): number | undefined {
  for (let position = start + 1; position < json.length; position += 1) {
    const byte = json[position];
    if (byte === QUOTE) return position + 1;
    if (byte === BACKSLASH) position += 1;
  }
  return undefined;
}

/** Returns the position after the value that starts at `start`. */
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
