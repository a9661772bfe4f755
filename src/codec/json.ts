import { isArray, type JsonObject, type JsonValue } from '../meta/json.js';
import type { Work } from '../meta/work.js';
import { writtenNumberJson } from '../meta/written-number.js';
import {
  defaultDecodeLimits,
  type DecodedDocument,
  type DecodeLimits,
  type EncodeContext,
  type EncodedChunks,
  type ListEncoder,
  type ListFrame,
  type Serializer,
} from './codec.js';
import { DecodeProblem, emptyBodyText, unrecognizedBody } from './decode-problem.js';
import { indentJson, indentShortJson, indentedChunks } from './indent-json.js';
import { scanJson } from './json-scan.js';
import { jsonSyntaxText } from './json-syntax.js';
import { setOwnMember } from '../encoding/own-property.js';
import { decodeUtf8 } from '../encoding/utf8.js';

/** The start of an escaped surrogate. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Decodes JSON.
 *
 * Invalid UTF-8 and lone surrogates become U+FFFD, as in Kubernetes. `__proto__` is an ordinary key.
 *
 * @throws DecodeProblem in the words of Go's JSON parser for invalid JSON, excessive nesting, or an integer that a
 *   double cannot represent (Kubernetes stores it; this server refuses it instead of rounding it)
 */
export function parseJson(body: Uint8Array, limits: DecodeLimits = defaultDecodeLimits): DecodedDocument {
  return parseJsonText(decodeUtf8(body), limits);
}

/** Like {@link parseJson}, for a text. */
export function parseJsonText(text: string, limits: DecodeLimits = defaultDecodeLimits): DecodedDocument {
  const numbers: number[] = [];
  const duplicates = scanJson(text, limits.maxDepth, numbers);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new DecodeProblem(jsonSyntaxText(text), { cause });
  }
  const wide = text.includes('\\u') && SURROGATE_ESCAPE.test(text);
  if (wide) value = wellFormed(value);
  if (numbers.length === 0) return { value, duplicates, duplicateForm: 'path', text };
  return { value, duplicates, duplicateForm: 'path', text, asWritten: () => parseAsWritten(text, numbers, wide) };
}

/** Parses a text, with the numbers at the given positions as they were written. */
function parseAsWritten(text: string, numbers: readonly number[], wide: boolean): JsonValue {
  let marked = '';
  let done = 0;
  for (let index = 0; index < numbers.length; index += 2) {
    const [start = 0, end = 0] = numbers.slice(index, index + 2);
    marked += text.slice(done, start) + writtenNumberJson(text.slice(start, end));
    done = end;
  }
  const value = JSON.parse(marked + text.slice(done)) as JsonValue;
  return wide ? wellFormed(value, JSON.parse(text) as JsonValue) : value;
}

/**
 * Replaces the lone surrogates in a value. `plain` is the value without numbers as written, whose marks are surrogates
 * too and remain.
 */
function wellFormed(value: JsonValue, plain = value): JsonValue {
  if (typeof value === 'string') return typeof plain === 'number' ? value : value.replace(LONE_SURROGATE, '\ufffd');
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map((item, index) => wellFormed(item, (plain as readonly JsonValue[])[index]));
  const copy: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined)
      setOwnMember(copy, key.replace(LONE_SURROGATE, '\ufffd'), wellFormed(member, (plain as JsonObject)[key]));
  }
  return copy;
}

/**
 * Encodes JSON: compact, or indented by two spaces, without a trailing newline. As in Kubernetes, the serializer adds a
 * newline to compact responses only.
 *
 * Omits `undefined` members.
 */
export function encodeJson(object: JsonObject, pretty = false): string {
  const text = JSON.stringify(object);
  return pretty ? indentJson(text) : text;
}

/** Returns the serializer of `application/json`. */
export function jsonSerializer(limits: DecodeLimits = defaultDecodeLimits): Serializer {
  return {
    mediaType: 'application/json',
    aliases: [],
    streamMediaType: 'application/json',
    decode(body, context) {
      if (body.length === 0) throw unrecognizedBody(context.kind, emptyBodyText, body);
      try {
        return parseJson(body, limits);
      } catch (error) {
        if (!(error instanceof DecodeProblem)) throw error;
        throw unrecognizedBody(context.kind, `couldn't get version/kind; json parse error: ${error.message}`, body);
      }
    },
    encode(object, context) {
      return context.pretty ? encodeJson(object, true) : `${encodeJson(object)}\n`;
    },
    chunks: (object, context, work) => jsonChunks(encodeJson(object), context, work),
    fromText: {
      encode: (text, { pretty }, most) => (pretty ? indentShortJson(text, most) : `${text}\n`),
      chunks: jsonChunks,
    },
    listEncoder: (list, { pretty }) => (pretty ? indentedList(list) : compactList(list)),
  };
}

/** Characters of a text that are taken in one piece. */
const PIECE_LENGTH = 64 * 1024;

function* jsonChunks(text: string, { pretty }: EncodeContext, work: Work): EncodedChunks {
  if (pretty) return yield* indentedChunks(text, work);
  for (let from = 0; from < text.length; from += PIECE_LENGTH) yield text.slice(from, from + PIECE_LENGTH);
  yield '\n';
}

/** Levels around the items of a list. */
const ITEM_DEPTH = 2;
/** Indentation of the items of an indented list. */
const ITEM_INDENT = '\n    ';

function compactList({ members, items }: ListFrame): ListEncoder {
  const end = ']}';
  return {
    output: 'text',
    item: (item) => encodeJson(item),
    surround: () => ({
      head: encodeJson({ ...members, [items]: [] }).slice(0, -end.length),
      separator: ',',
      tail: `${end}\n`,
    }),
  };
}

function indentedList({ members, items }: ListFrame): ListEncoder {
  const end = ']\n}';
  return {
    output: 'text',
    item: (item) => indentJson(encodeJson(item), ITEM_DEPTH),
    itemChunks: (item, work) => indentedChunks(encodeJson(item), work, ITEM_DEPTH),
    fromText: {
      encode: (text, _context, most) => indentShortJson(text, most, ITEM_DEPTH),
      chunks: (text, _context, work) => indentedChunks(text, work, ITEM_DEPTH),
    },
    surround: (count) => {
      const head = encodeJson({ ...members, [items]: [] }, true).slice(0, -end.length);
      if (count === 0) return { head, separator: '', tail: end };
      return { head: head + ITEM_INDENT, separator: `,${ITEM_INDENT}`, tail: `\n  ${end}` };
    },
  };
}
