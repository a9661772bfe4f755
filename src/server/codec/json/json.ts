import { jsonText, type JsonObject, type Work } from '../../../foundation/index.js';
import {
  defaultDecodeLimits,
  type DecodedDocument,
  type DecodeLimits,
  type EncodeContext,
  type EncodedChunks,
  type ListEncoder,
  type ListFrame,
  type Serializer,
} from '../codec.js';
import { DecodeProblem, emptyBodyText, unrecognizedBody } from '../decode-problem.js';
import { indentJson, indentShortJson, indentedChunks } from './indent-json.js';
import { readJson } from './json-decode.js';

/**
 * Encodes JSON: compact, or indented by two spaces, without a trailing newline. As in Kubernetes, the serializer adds a
 * newline to compact responses only.
 *
 * Omits `undefined` members.
 */
export function encodeJson(object: JsonObject, pretty = false): string {
  const text = jsonText(object);
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
      const failed = (error: unknown): never => {
        if (!(error instanceof DecodeProblem)) throw error;
        throw unrecognizedBody(context.kind, `couldn't get version/kind; json parse error: ${error.message}`, body);
      };
      let document: DecodedDocument | Promise<DecodedDocument>;
      try {
        document = readJson(body, limits, context);
      } catch (error) {
        return failed(error);
      }
      return document instanceof Promise ? document.catch(failed) : document;
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
