import {
  ApiError,
  decodeValidUtf8,
  inSlices,
  LONG_TEXT,
  UNBOUNDED_WORK,
  whenReady,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { DecodedDocument, DecodeLimits, ListEncoder, ListFrame, Serializer } from '../codec.js';
import { defaultDecodeLimits } from '../codec.js';
import { DecodeProblem, unrecognizedBody } from '../decode-problem.js';
import { DECODE_UNITS, readJsonText } from '../json/json-decode.js';
import { OTHER_BREAK } from './read/yaml-cursor.js';
import { yamlSteps } from './read/yaml-load.js';
import { encodeYaml, yamlChunks } from './write/yaml-emit.js';
import { compareYamlKeys } from './yaml-key-order.js';
import { yamlLength } from './yaml-length.js';

const FORBIDDEN_CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const DELETE = '\x7f';

/**
 * Decodes the first document of a YAML stream by Kubernetes' rules: YAML 1.1 booleans and octals, merge keys, times as
 * strings, keys converted to strings and sorted. An empty stream is null.
 *
 * JSON text is parsed as JSON, which is much faster; the result differs only in the order of keys.
 *
 * @throws DecodeProblem (`yaml: line 2: …`) for invalid YAML, excessive aliases or nesting, a key that is a collection,
 *   or an integer that a double cannot represent
 */
export async function parseYaml(
  body: Uint8Array,
  limits: DecodeLimits = defaultDecodeLimits,
): Promise<DecodedDocument> {
  return readYaml(body, limits);
}

/** Like {@link parseYaml}, but synchronous unless it takes more than a slice of the work. */
export function readYaml(
  body: Uint8Array,
  limits: DecodeLimits = defaultDecodeLimits,
  work: Work = UNBOUNDED_WORK,
): DecodedDocument | Promise<DecodedDocument> {
  const decoded = body.length < LONG_TEXT ? decodedText(body) : inSlices(work, decodedInSteps(body, work), 'decode');
  return whenReady(decoded, (text) => {
    // JSON allows no other control character that YAML forbids.
    const json = text.includes(DELETE) || !/^\s*\{/.test(text) ? undefined : asJson(text, limits, work);
    return whenReady(json, (document) => document ?? inSlices(work, documentSteps(text, limits, work), 'decode'));
  });
}

/** Returns the text of a body. @throws DecodeProblem for invalid UTF-8 */
function decodedText(body: Uint8Array): string {
  const text = decodeValidUtf8(body);
  if (text === undefined) throw new DecodeProblem('yaml: invalid leading UTF-8 octet');
  return text;
}

/** Bytes of a body that are decoded in about 50 ns, and characters that are searched in that time. */
const DECODED_PER_UNIT = 96;
const SEARCHED_PER_UNIT = 32;
/** Characters that are searched in one step. */
const SEARCH_LENGTH = 64 * 1024;

/** Decodes a long body, after a wait where others have arrived in the same turn. */
function* decodedInSteps(body: Uint8Array, work: Work): Steps<string> {
  if (work.spend(DECODE_UNITS)) yield;
  const text = decodedText(body);
  if (work.spend(body.length / DECODED_PER_UNIT)) yield;
  return text;
}

function* documentSteps(text: string, limits: DecodeLimits, work: Work): Steps<DecodedDocument> {
  let hasOtherBreaks = false;
  for (let from = 0; from < text.length; from += SEARCH_LENGTH) {
    const part = text.slice(from, from + SEARCH_LENGTH);
    if (FORBIDDEN_CONTROLS.test(part)) throw new DecodeProblem('yaml: control characters are not allowed');
    hasOtherBreaks ||= OTHER_BREAK.test(part);
    if (work.spend(part.length / SEARCHED_PER_UNIT)) yield;
  }
  return yield* yamlSteps({ text, hasOtherBreaks }, limits, work);
}

/** Returns the document if the text is a JSON object without duplicate keys, which have another message in YAML. */
function asJson(
  text: string,
  limits: DecodeLimits,
  work: Work,
): DecodedDocument | undefined | Promise<DecodedDocument | undefined> {
  const notJson = (error: unknown): DecodedDocument | undefined => {
    // It is refused because of its size, or the request is over.
    if (error instanceof ApiError) throw error;
    return undefined;
  };
  try {
    const decoded = whenReady(readJsonText(text, limits, { work }), ({ value, duplicates, duplicateForm }) =>
      duplicates.length === 0 ? { value, duplicates, duplicateForm } : undefined,
    );
    return decoded instanceof Promise ? decoded.catch(notJson) : decoded;
  } catch (error) {
    return notJson(error);
  }
}

/** Returns the serializer of `application/yaml`. */
export function yamlSerializer(limits: DecodeLimits = defaultDecodeLimits): Serializer {
  return {
    mediaType: 'application/yaml',
    aliases: [],
    streamMediaType: undefined,
    decode(body, context) {
      const failed = (error: unknown): never => {
        if (!(error instanceof DecodeProblem)) throw error;
        throw unrecognizedBody(context.kind, error.message, body);
      };
      try {
        const document = readYaml(body, limits, context.work);
        return document instanceof Promise ? document.catch(failed) : document;
      } catch (error) {
        return failed(error);
      }
    },
    encode: (object) => encodeYaml(object),
    length: (object, _context, most) => yamlLength(object, most),
    chunks: (object, _context, work) => yamlChunks(object, work),
    listEncoder: yamlList,
  };
}

function yamlList({ members, items }: ListFrame): ListEncoder {
  const start = `${items}:\n`;
  /** Encodes the members that are sorted on one side of the items. */
  const encoded = (isOnSide: (order: number) => boolean): string => {
    const side = Object.entries(members).filter(([key]) => isOnSide(compareYamlKeys(key, items)));
    return side.length === 0 ? '' : encodeYaml(Object.fromEntries(side));
  };
  return {
    output: 'text',
    item: (item) => encodeYaml({ [items]: [item] }).slice(start.length),
    *itemChunks(item, work) {
      let skipped = start.length;
      for (const chunk of yamlChunks({ [items]: [item] }, work)) {
        yield chunk?.slice(skipped);
        if (chunk !== undefined) skipped = 0;
      }
    },
    surround: (count) => ({
      head: encoded((order) => order < 0) + (count === 0 ? encodeYaml({ [items]: [] }) : start),
      separator: '',
      tail: encoded((order) => order > 0),
    }),
  };
}
