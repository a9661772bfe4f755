/**
 * The file of a recording: a JSON document with the exchanges in the order of their requests.
 *
 * @module
 */
import {
  isArray,
  isJsonObject,
  jsonText,
  jsonValue,
  shown,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';

/** A request as it is recorded: without credentials, and without the contents of secrets. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** Query string in a normal form; empty when there is none. */
  readonly query: string;
  /** The requested representation of objects, when it is not the plain one: `Table`, `PartialObjectMetadata` … */
  readonly as?: string | undefined;
  /** The impersonated user. */
  readonly user?: string | undefined;
  readonly contentType?: string | undefined;
  /** The body: JSON, also when it was sent as YAML; or another text. */
  readonly body?: JsonValue | undefined;
}

/** A piece of a streamed body. */
export interface RecordedPiece {
  /** Number of writes that had begun when it arrived: its cause may be the last of them. */
  readonly writes: number;
  /** An event of a watch, or a piece of another text. */
  readonly value: JsonValue;
}

/** A response as it is recorded. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body: JSON, or another text. Undefined for a stream and for an empty body. */
  readonly body?: JsonValue | undefined;
  /** The pieces of a watch or of a followed log. */
  readonly stream?: readonly RecordedPiece[] | undefined;
  /** Whether the server ended the stream, rather than the client. */
  readonly ended?: boolean | undefined;
}

/** A request and its response. */
export interface RecordedExchange {
  readonly request: RecordedRequest;
  readonly answer: RecordedAnswer;
  /** Number of writes that had begun before the request. */
  readonly writes: number;
  /** Places among the writes of those that were in flight when this write began: their order is not fixed. */
  readonly during?: readonly number[] | undefined;
}

const FORMAT = 'orch-apiserver recording';
const VERSION = 1;

/** Returns whether a request may change the state of the server. */
export const isWrite = ({ method }: { readonly method: string }): boolean =>
  method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';

/** Returns the text of the file. */
export function conversationText(exchanges: readonly RecordedExchange[]): string {
  const lines = exchanges.map((exchange) => `    ${jsonText(exchange)}`);
  return `{\n  "format": ${jsonText(FORMAT)},\n  "version": ${VERSION},\n  "exchanges": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** Reads the text of a file. @throws TypeError for another file, or a recording that was changed by hand into none */
export function parseConversation(text: string, file: string): RecordedExchange[] {
  const value = parsed(text, file);
  if (!isJsonObject(value) || value['format'] !== FORMAT) throw new TypeError(`${file}: this is not a recording`);
  if (value['version'] !== VERSION)
    throw new TypeError(`${file}: a recording of version ${shown(value['version'])}; this package reads ${VERSION}`);
  const { exchanges } = value;
  if (!isArray(exchanges)) throw new TypeError(`${file}: a recording without exchanges`);
  return exchanges.map((exchange, index) => {
    if (!isExchange(exchange)) throw new TypeError(`${file}: exchange ${index + 1} is incomplete: record again`);
    return exchange;
  });
}

function parsed(text: string, file: string): JsonValue {
  try {
    return jsonValue(text);
  } catch (cause) {
    throw new TypeError(`${file}: this is not a recording: invalid JSON`, { cause });
  }
}

function isExchange(value: JsonValue): value is JsonObject & RecordedExchange {
  if (!isJsonObject(value)) return false;
  const { request, answer, writes, during } = value;
  return (
    typeof writes === 'number' &&
    (during === undefined || isArray(during)) &&
    isJsonObject(request) &&
    ['method', 'path', 'query'].every((name) => typeof request[name] === 'string') &&
    isJsonObject(answer) &&
    typeof answer['status'] === 'number' &&
    isJsonObject(answer['headers']) &&
    (answer['stream'] === undefined || isPieces(answer['stream']))
  );
}

const isPieces = (value: JsonValue): boolean =>
  isArray(value) && value.every((piece) => isJsonObject(piece) && typeof piece['writes'] === 'number');
