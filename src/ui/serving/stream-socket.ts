/**
 * Streams of the page over WebSocket. Over HTTP/1.1, a browser opens six connections to a server for all its tabs, and each
 * watch would keep one of them. WebSockets do not count. But a page cannot set the header fields of one, and is not told why
 * one is refused. So it names the request and its fields, and if it is refused, sends it once more by itself.
 *
 * @module
 */
import { decodeBase64Url, isJsonObject, latin1 } from '../../foundation/index.js';
import {
  ChangedRequest,
  isStream,
  type ApiRequest,
  type ApiResponse,
  type Handler,
  type StreamBody,
  type WebSocketAnswer,
} from '../../server/index.js';
import { ReplacedHeaders } from '../session/replaced-headers.js';
import { GROUPS_FIELD, KEY_FIELD } from '../session/key-field.js';
import { refusal } from '../session/session-answers.js';

/** The subprotocol of a stream, and the beginning of the one that holds the header fields of its request. */
const PROTOCOL = 'stream.ui';
const FIELDS_PREFIX = 'fields.ui.';

/** The header fields that the page sends with a stream. */
const FIELDS: ReadonlySet<string> = new Set(['accept', 'authorization', 'impersonate-user', GROUPS_FIELD, KEY_FIELD]);
/** Fields of the handshake that are not those of a request. A stream is not compressed. */
const OWN_FIELDS = [
  ...['accept-encoding', 'connection', 'upgrade'],
  ...['sec-websocket-extensions', 'sec-websocket-key', 'sec-websocket-version'],
];
const PROTOCOL_FIELD = 'sec-websocket-protocol';

/** A path with its query as the line of a request may have it: one that arrives as text could have ends of lines. */
const TARGET = /^\/[\x21-\x7e]*$/;

/** Bytes of a client that may wait: it has nothing to say but answers to pings. */
const MOST_RECEIVED_BYTES = 4096;

/**
 * Answers a request for a stream over WebSocket: what the path `to` of its query answers to a GET, each chunk in a message.
 *
 * @param handle answers the GET, with all checks
 * @returns the answer of the GET as a refusal unless it is a stream
 */
export async function openStream(
  request: ApiRequest,
  handle: Handler,
): Promise<{ readonly refuse: ApiResponse } | { readonly accept: WebSocketAnswer }> {
  const asked = streamRequestOf(request);
  if (asked === undefined)
    return { refuse: refusal(400, 'BadRequest', 'a stream needs the path of a watch, and its header fields') };
  const response = await handle(asked);
  const { status, body, lost } = response;
  if (status !== 200 || lost === true || !isStream(body)) return { refuse: response };
  return { accept: socketOf(body) };
}

function socketOf({ stream, blocked }: StreamBody): WebSocketAnswer {
  let received = 0;
  const memory = {
    reserve(bytes: number): void {
      if (received + bytes > MOST_RECEIVED_BYTES) throw new Error('the page sends nothing on a stream');
      received += bytes;
    },
    release(bytes: number): void {
      received -= bytes;
    },
  };
  return { protocol: PROTOCOL, messages: stream, blocked, memory };
}

/** Returns the GET that a request for a stream names; undefined when it names none that is a stream. */
function streamRequestOf(request: ApiRequest): ApiRequest | undefined {
  const to = new URLSearchParams(request.query).get('to') ?? '';
  const end = to.includes('?') ? to.indexOf('?') : to.length;
  const [path, query] = [to.slice(0, end), to.slice(end + 1)];
  const isFollowed = ['1', 'true'].includes(new URLSearchParams(query).get('watch') ?? '') || path.endsWith('/follow');
  const fields = fieldsOf(request.headers.get(PROTOCOL_FIELD) ?? '');
  // Node upgrades requests of all methods.
  if (request.method !== 'GET' || !TARGET.test(to) || !isFollowed || fields === undefined) return undefined;
  const own = new Map<string, readonly string[]>([...OWN_FIELDS, PROTOCOL_FIELD].map((name) => [name, []]));
  for (const [name, value] of fields) own.set(name, [value]);
  return new ChangedRequest(request, { path, query, headers: new ReplacedHeaders(request.headers, own) });
}

/** Returns the header fields in the subprotocols that a page offers; undefined unless it may send all of them. */
function fieldsOf(offered: string): [string, string][] | undefined {
  const protocols = offered.split(',').map((protocol) => protocol.trim());
  const encoded = protocols.find((protocol) => protocol.startsWith(FIELDS_PREFIX));
  if (!protocols.includes(PROTOCOL) || encoded === undefined) return undefined;
  const fields = jsonOf(encoded.slice(FIELDS_PREFIX.length));
  if (!isJsonObject(fields)) return undefined;
  const found: [string, string][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (!FIELDS.has(name) || typeof value !== 'string' || /[^\t\x20-\x7e\x80-\xff]/.test(value)) return undefined;
    found.push([name, value]);
  }
  return found;
}

function jsonOf(encoded: string): unknown {
  try {
    const bytes = decodeBase64Url(encoded);
    return bytes === undefined ? undefined : JSON.parse(latin1(bytes));
  } catch {
    return undefined;
  }
}
