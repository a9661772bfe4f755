import {
  atOnce,
  decodeUtf8,
  decodeValidUtf8,
  inSlices,
  JsonCuts,
  parseAtOnce,
  parseSteps,
  PIECE_LENGTH,
  UNBOUNDED_WORK,
  type JsonSource,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { defaultDecodeLimits, type DecodedDocument, type DecodeLimits } from '../codec.js';
import { DecodeProblem } from '../decode-problem.js';
import { JsonScanner, scanAtOnce } from './json-scan.js';
import { syntaxTextSteps } from './json-syntax.js';

/** Length from which a body is decoded in slices, in bytes. */
export const LONG_BODY = 32 * 1024;

/** Characters that are scanned between two looks at the work. */
const SCAN_LENGTH = 4096;

/** Units of work to decode a long body, before its text is looked at: enough to look at the clock. */
export const DECODE_UNITS = 1_024;

/** Characters that the scan reads in about 50 ns. */
const SCANNED_PER_UNIT = 8;

const NO_NUMBERS: readonly number[] = Object.freeze([]);

/** How a body is decoded. */
export interface JsonDecoding {
  /** The work of the request; undefined decodes the body in one step. */
  readonly work?: Work | undefined;
  /** Whether the value with numbers as written will be needed. A long body is then decoded to both values in slices. */
  readonly keepsNumbers?: boolean | undefined;
}

/**
 * Decodes JSON.
 *
 * Invalid UTF-8 and lone surrogates become U+FFFD, as in Kubernetes. `__proto__` is an ordinary key.
 *
 * @throws DecodeProblem in the words of Go's JSON parser for invalid JSON, excessive nesting, or a number beyond the range
 *   of a double; ApiError 413 for more objects and lists than the limit
 */
export function parseJson(body: Uint8Array, limits: DecodeLimits = defaultDecodeLimits): DecodedDocument {
  return parseJsonText(decodeUtf8(body), limits);
}

/** Like {@link parseJson}, for a text. */
export function parseJsonText(text: string, limits: DecodeLimits = defaultDecodeLimits): DecodedDocument {
  return decodeAtOnce(text, limits, UNBOUNDED_WORK);
}

/**
 * Like {@link parseJson}, in slices when the body is long, and with the memory of the value reserved before it is made.
 *
 * @throws DecodeProblem | ApiError as {@link parseJson} does, and what the work throws; a promise rejects with it
 */
export function readJson(
  body: Uint8Array,
  limits: DecodeLimits,
  { work = UNBOUNDED_WORK, keepsNumbers = false }: JsonDecoding,
): DecodedDocument | Promise<DecodedDocument> {
  if (body.length < LONG_BODY) return decodeAtOnce(decodeUtf8(body), limits, work);
  return inSlices(work, bodySteps(body, limits, work, keepsNumbers), 'decode');
}

/** Like {@link readJson}, for a text. */
export function readJsonText(
  text: string,
  limits: DecodeLimits,
  { work = UNBOUNDED_WORK, keepsNumbers = false }: JsonDecoding,
): DecodedDocument | Promise<DecodedDocument> {
  if (text.length < LONG_BODY) return decodeAtOnce(text, limits, work);
  return inSlices(work, textSteps(text, limits, work, keepsNumbers), 'decode');
}

function decodeAtOnce(text: string, limits: DecodeLimits, work: Work): DecodedDocument {
  const numbers: number[] = [];
  const integers: number[] = [];
  const { maxDepth, maxContainers } = limits;
  const duplicates = scanAtOnce(text, { maxDepth, maxContainers, numbers, integers, cuts: undefined }, (scanned) => {
    work.reserve(scanned.parsedBytes);
    return scanned.duplicates;
  });
  const source: JsonSource = { text, cuts: undefined, integers, numbers: NO_NUMBERS };
  let value: JsonValue;
  try {
    value = parseAtOnce(source);
  } catch (cause) {
    throw new DecodeProblem(atOnce(syntaxTextSteps(UNBOUNDED_WORK, text)), { cause });
  }
  if (numbers.length === 0) return { value, duplicates, duplicateForm: 'path', text };
  return { value, duplicates, duplicateForm: 'path', text, asWritten: () => parseAtOnce({ ...source, numbers }) };
}

/**
 * Like {@link readJson}, as steps.
 *
 * @param counted called with the number of objects and lists
 */
export function* bodySteps(
  body: Uint8Array,
  limits: DecodeLimits,
  work: Work,
  keepsNumbers: boolean,
  counted?: (containers: number) => void,
): Steps<DecodedDocument> {
  // Of many bodies that arrive in one turn, the first are decoded in it.
  if (work.spend(DECODE_UNITS)) yield;
  const text = decodeValidUtf8(body) ?? (yield* invalidTextSteps(work, body));
  return yield* textSteps(text, limits, work, keepsNumbers, counted);
}

function* textSteps(
  text: string,
  limits: DecodeLimits,
  work: Work,
  keepsNumbers: boolean,
  counted?: (containers: number) => void,
): Steps<DecodedDocument> {
  const numbers: number[] = [];
  const integers: number[] = [];
  const cuts = text.length > PIECE_LENGTH ? new JsonCuts(text) : undefined;
  const scanner = new JsonScanner();
  const { maxDepth, maxContainers } = limits;
  scanner.begin(text, { maxDepth, maxContainers, numbers, integers, cuts });
  for (let limit = SCAN_LENGTH; scanner.scanTo(limit); limit += SCAN_LENGTH)
    if (work.spend(SCAN_LENGTH / SCANNED_PER_UNIT)) yield;
  const { duplicates, parsedBytes, containers } = scanner;
  counted?.(containers);
  work.reserve(parsedBytes);
  try {
    // The parser would find out at the end of the text only.
    if (!scanner.isBalanced) throw new SyntaxError('unbalanced brackets');
    const source: JsonSource = { text, cuts, integers, numbers: NO_NUMBERS };
    const value = yield* parseSteps(work, source);
    if (numbers.length === 0) return { value, duplicates, duplicateForm: 'path', text };
    const writtenSource = { ...source, numbers };
    if (!keepsNumbers)
      return { value, duplicates, duplicateForm: 'path', text, asWritten: () => parseAtOnce(writtenSource) };
    work.reserve(parsedBytes);
    const written = yield* parseSteps(work, writtenSource);
    return { value, duplicates, duplicateForm: 'path', text, asWritten: () => written };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new DecodeProblem(yield* syntaxTextSteps(work, text), { cause });
  }
}

/** Bytes of invalid text that are decoded in one step. */
const INVALID_PART = 16 * 1024;

/** Decodes a body with invalid UTF-8, in parts. */
function* invalidTextSteps(work: Work, body: Uint8Array): Steps<string> {
  let text = '';
  for (let start = 0; start < body.length;) {
    const end = endOfPart(body, start + INVALID_PART);
    text += decodeUtf8(body.subarray(start, end));
    start = end;
    if (work.spend(INVALID_PART)) yield;
  }
  return text;
}

/** Returns the position near `at` that is in no valid sequence. */
function endOfPart(body: Uint8Array, at: number): number {
  if (at >= body.length) return body.length;
  // A sequence has at most three bytes behind its first one.
  for (let end = at; end > at - 4; end -= 1) if (((body[end] as number) & 0xc0) !== 0x80) return end;
  return at;
}
