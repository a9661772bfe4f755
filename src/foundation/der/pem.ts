/**
 * PEM (RFC 7468): blocks of base64 between a begin line and an end line.
 *
 * The blocks are those that Go's `encoding/pem` finds. Text that Go silently skips is reported as junk, so that the
 * caller can refuse it.
 *
 * @module
 */
import { decodeBase64, encodeBase64 } from '../encoding/base64.js';

/** A PEM block. */
export interface PemBlock {
  /** The label, such as `CERTIFICATE`. */
  readonly label: string;
  /** `Name: value` lines at the head of the block (RFC 1421). */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Uint8Array;
  /** Number of the begin line, from one. */
  readonly line: number;
}

/** Lines that are neither blank nor part of a block. */
export interface PemJunk {
  /** Number of its first line, from one. */
  readonly line: number;
  /** The reason why they are not a block, for messages. */
  readonly problem: string;
}

/** The contents of a PEM file, in its order. */
export interface PemDocument {
  readonly blocks: readonly PemBlock[];
  readonly junk: readonly PemJunk[];
}

/** Limits of {@link parsePem}. */
export interface PemLimits {
  /** Maximum length of the PEM, in UTF-16 units; default 16 Mi. */
  readonly maxLength?: number | undefined;
  /** Number of blocks after which the reader stops, so that what follows costs nothing; default all. */
  readonly blocks?: number | undefined;
}

const LONGEST = 16 * 1024 * 1024;
const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';

/**
 * Reads the blocks of a PEM file.
 *
 * @throws RangeError when it is longer than the limit
 */
export function parsePem(text: string, limits: PemLimits = {}): PemDocument {
  const longest = limits.maxLength ?? LONGEST;
  if (text.length > longest) throw new RangeError(`PEM text of ${text.length} characters is longer than ${longest}`);
  const most = limits.blocks ?? Infinity;
  const lines = linesOf(text);
  const blocks: PemBlock[] = [];
  const junk: PemJunk[] = [];
  let at = 0;
  for (let line = lines(at); line !== undefined && blocks.length < most; line = lines(at)) {
    const found = line.startsWith(BEGIN) ? readBlock(lines, at) : undefined;
    if (typeof found === 'object') {
      blocks.push(found.block);
      at = found.next;
      continue;
    }
    // A begin line without an end line must not hide a later block, so the search continues with the next line.
    const from = at;
    at += 1;
    while (lines(at)?.startsWith(BEGIN) === false) at += 1;
    let first = from;
    while (first < at && lines(first)?.trim() === '') first += 1;
    if (first < at) junk.push({ line: first + 1, problem: found ?? 'text outside of a block' });
  }
  return { blocks, junk };
}

/** A line by its number, from zero; undefined after the last one. */
type Lines = (index: number) => string | undefined;

/** Returns the lines of a text, which are cut out when they are asked for. */
function linesOf(text: string): Lines {
  const lines: string[] = [];
  let start = 0;
  return (index) => {
    while (lines.length <= index && start <= text.length) {
      const end = text.indexOf('\n', start);
      lines.push(withoutEnd(text.slice(start, end < 0 ? undefined : end)));
      start = end < 0 ? text.length + 1 : end + 1;
    }
    return lines[index];
  };
}

/** Returns a line without its final carriage return and the spaces and tabs before it. */
function withoutEnd(line: string): string {
  let end = line.endsWith('\r') ? line.length - 1 : line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end -= 1;
  return line.slice(0, end);
}

/** Reads the block that begins at a line. Returns the block and the next line, or the problem. */
function readBlock(lines: Lines, begin: number): { readonly block: PemBlock; readonly next: number } | string {
  const opening = lines(begin) ?? '';
  if (!opening.endsWith(DASHES) || opening.length < BEGIN.length + DASHES.length)
    return 'the line that begins a block does not end in -----';
  const label = opening.slice(BEGIN.length, -DASHES.length);
  const headers = new Map<string, string>();
  let at = begin + 1;
  for (let colon = headerAt(lines(at)); colon >= 0; colon = headerAt(lines(at))) {
    const line = lines(at) ?? '';
    headers.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    at += 1;
  }
  const body: string[] = [];
  for (; lines(at)?.startsWith(DASHES) === false; at += 1) body.push(lines(at) ?? '');
  if (lines(at)?.startsWith(END) !== true) return 'a block has no end line';
  if (lines(at) !== `${END}${label}${DASHES}`) return 'the lines that begin and end a block differ';
  if (headers.size > 0 && body.length === 0) return 'a block has headers but no content';
  const bytes = bytesOf(body);
  return bytes === undefined
    ? 'the content of a block is not base64'
    : { block: { label, headers, bytes, line: begin + 1 }, next: at + 1 };
}

/** Returns the index of the colon in a header; negative for any other line, such as a begin or end line. */
function headerAt(line: string | undefined): number {
  return line === undefined || line.includes(DASHES) ? -1 : line.indexOf(':');
}

function bytesOf(lines: readonly string[]): Uint8Array | undefined {
  const text = lines.join('').replace(/[ \t\r]/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return decodeBase64(text);
}

/** Encodes bytes as a block, with lines of 64 characters and a final line break. */
export function encodePem(label: string, bytes: Uint8Array): string {
  const lines = encodeBase64(bytes).match(/.{1,64}/g) ?? [];
  return `${BEGIN}${label}${DASHES}\n${lines.map((line) => `${line}\n`).join('')}${END}${label}${DASHES}\n`;
}
