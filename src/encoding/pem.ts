/**
 * PEM (RFC 7468): bytes as base64 between a line that begins and a line that ends a block.
 *
 * The blocks are those that Go's `encoding/pem` finds. What Go passes over without a word is reported as junk, so that the
 * caller decides.
 *
 * @module
 */
import { decodeBase64, encodeBase64 } from './base64.js';

/** A block. */
export interface PemBlock {
  /** `CERTIFICATE` and the like. */
  readonly label: string;
  /** `Name: value` lines at the head of the block (RFC 1421). */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Uint8Array;
  /** Number of the line that begins the block, from one. */
  readonly line: number;
}

/** Lines that are neither blank nor part of a block. */
export interface PemJunk {
  /** Number of its first line, from one. */
  readonly line: number;
  /** Why they are not a block, for a message. */
  readonly problem: string;
}

/** The contents of a text, in its order. */
export interface PemDocument {
  readonly blocks: readonly PemBlock[];
  readonly junk: readonly PemJunk[];
}

/** Bounds of {@link parsePem}. */
export interface PemLimits {
  /** Longest text, in UTF-16 units; default 16 Mi. */
  readonly maxLength?: number;
}

const LONGEST = 16 * 1024 * 1024;
const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';

/**
 * Reads every block of a text.
 *
 * @throws RangeError when the text is longer than the limit
 */
export function parsePem(text: string, limits: PemLimits = {}): PemDocument {
  const longest = limits.maxLength ?? LONGEST;
  if (text.length > longest) throw new RangeError(`PEM text of ${text.length} characters is longer than ${longest}`);
  const lines = text.split('\n').map(withoutEnd);
  const blocks: PemBlock[] = [];
  const junk: PemJunk[] = [];
  let at = 0;
  while (at < lines.length) {
    const found = lines[at]?.startsWith(BEGIN) === true ? readBlock(lines, at) : undefined;
    if (typeof found === 'object') {
      blocks.push(found.block);
      at = found.next;
      continue;
    }
    // A begin line without an end must not hide a block behind it, so the search goes on with the next line.
    const from = at;
    at += 1;
    while (at < lines.length && lines[at]?.startsWith(BEGIN) === false) at += 1;
    const first = lines.slice(from, at).findIndex((line) => line.trim() !== '');
    if (first >= 0) junk.push({ line: from + first + 1, problem: found ?? 'text outside of a block' });
  }
  return { blocks, junk };
}

/** A line without the carriage return at its end, and the spaces and tabs in front of that. */
function withoutEnd(line: string): string {
  let end = line.endsWith('\r') ? line.length - 1 : line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end -= 1;
  return line.slice(0, end);
}

/** The block that begins at a line, and the line after it; or why there is none. */
function readBlock(
  lines: readonly string[],
  begin: number,
): { readonly block: PemBlock; readonly next: number } | string {
  const opening = lines[begin] ?? '';
  if (!opening.endsWith(DASHES) || opening.length < BEGIN.length + DASHES.length)
    return 'the line that begins a block does not end in -----';
  const label = opening.slice(BEGIN.length, -DASHES.length);
  const headers = new Map<string, string>();
  let at = begin + 1;
  for (let colon = headerAt(lines[at]); colon >= 0; colon = headerAt(lines[at])) {
    const line = lines[at] ?? '';
    headers.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    at += 1;
  }
  const body: string[] = [];
  for (; lines[at]?.startsWith(DASHES) === false; at += 1) body.push(lines[at] ?? '');
  if (lines[at]?.startsWith(END) !== true) return 'a block is begun and not ended';
  if (lines[at] !== `${END}${label}${DASHES}`) return 'the lines that begin and end a block differ';
  if (headers.size > 0 && body.length === 0) return 'a block has headers and nothing else';
  const bytes = bytesOf(body);
  return bytes === undefined
    ? 'a block is not base64'
    : { block: { label, headers, bytes, line: begin + 1 }, next: at + 1 };
}

/** Index of the colon of a header; negative for any other line, such as one that begins or ends a block. */
function headerAt(line: string | undefined): number {
  return line === undefined || line.includes(DASHES) ? -1 : line.indexOf(':');
}

function bytesOf(lines: readonly string[]): Uint8Array | undefined {
  const text = lines.join('').replace(/[ \t\r]/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return decodeBase64(text);
}

/** Bytes as a block, with lines of 64 characters and a line break at the end. */
export function encodePem(label: string, bytes: Uint8Array): string {
  const lines = encodeBase64(bytes).match(/.{1,64}/g) ?? [];
  return `${BEGIN}${label}${DASHES}\n${lines.map((line) => `${line}\n`).join('')}${END}${label}${DASHES}\n`;
}
