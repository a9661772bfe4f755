/**
 * Requests and responses of the server, independent of any transport.
 *
 * WHATWG `Request` and `Response` cost more than handling a request, so the core uses these plain records; the
 * transports convert.
 *
 * @module
 */
import type { CompressedChunks } from '../codec/compression.js';

/** A client certificate as the TLS layer verified it. */
export interface PeerCertificate {
  /** Certificates in DER: the leaf, then the chain as sent. */
  readonly chain: readonly Uint8Array[];
  /** Whether the chain ends in an authority trusted by the listener. */
  readonly authorized: boolean;
}

/** The remote end of a connection. */
export interface Peer {
  readonly address: string | undefined;
  readonly tls: boolean;
  readonly certificate?: (() => PeerCertificate | undefined) | undefined;
}

/** Header fields of a request, names in lower case. */
export interface RequestHeaders {
  /** Returns the value, or the values joined with `, `; undefined when absent. */
  get(name: string): string | undefined;
  /** Returns every value as sent. */
  getAll(name: string): readonly string[];
  /** Returns the names of the fields present. */
  names(): Iterable<string>;
  /**
   * Returns whether a field name begins with `prefix` (lower case). Called for every request: cheaper than a loop over
   * the names.
   */
  hasPrefix(prefix: string): boolean;
}

/**
 * A request from a transport. Its fields may be getters that compute their values on demand: pass the object itself on,
 * because a spread copy loses them.
 */
export interface ApiRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path as sent, percent-encoding kept, without the query. */
  readonly path: string;
  /** Query string as sent, without the question mark; empty when there is none. */
  readonly query: string;
  readonly headers: RequestHeaders;
  /**
   * Reads the body, at most `limit` bytes. Called at most once. The optional `onChunk` is called with the length of
   * each chunk before the chunk is buffered; an error that it throws ends the read.
   *
   * @throws BodyTooLargeError when the body is longer; what `onChunk` throws
   */
  readonly body: (limit: number, onChunk?: (bytes: number) => void) => Promise<Uint8Array>;
  /**
   * Takes the body, instead of {@link body}, when all of it has arrived. Absent in a transport that does not know.
   *
   * @returns undefined when `body` has to read it, or to refuse it
   */
  readonly arrivedBody?: ((limit: number) => Uint8Array | undefined) | undefined;
  readonly peer: Peer;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Whether the client has disconnected. Absent in a transport that has nothing but the signal, which takes time to make. */
  readonly isGone?: boolean | undefined;
  /**
   * Calls back once, when the response has been passed to the client or its connection has closed; until then the
   * server counts the memory of a large response. Absent in a transport that does not know.
   */
  readonly whenAnswered?: ((done: () => void) => void) | undefined;
  /**
   * Closes the connection, or resets the HTTP/2 stream, so that the client does not take a partial response for a complete
   * one. The server calls it when it needs the memory that an unread response refers to. Absent in a transport that
   * cannot.
   */
  readonly breakOff?: (() => void) | undefined;
}

/** Thrown by {@link ApiRequest.body} when the body is longer than the limit. */
export class BodyTooLargeError extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super(`limit is ${limit}`);
    this.name = 'BodyTooLargeError';
    this.limit = limit;
  }
}

/**
 * A string in parts: `head`, the parts joined with `separator`, then `tail`. A long list can be sent without joining it
 * first. `ascii` promises that the string has no character above U+007F, so its length in bytes equals its length.
 */
export interface TextParts {
  readonly head: string;
  readonly parts: readonly string[];
  readonly separator: string;
  readonly tail: string;
  readonly ascii: boolean;
  /**
   * Total length of the parts, where it is known: to add it up takes 10 ms for a million parts.
   *
   * @internal
   */
  readonly partsLength?: number | undefined;
  /**
   * Memory of parts that the store may drop before they are sent, in bytes. Default: none.
   *
   * @internal
   */
  readonly heldBytes?: number | undefined;
}

/** Memory of a part of a text in parts: a part of a text of the store, and the reference to it. */
export const PART_BYTES = 40;

/** Joins the parts of a text. */
export function joinedText(text: TextParts): string {
  return text.head + text.parts.join(text.separator) + text.tail;
}

/** Returns the length of a text in parts, in UTF-16 units: its bytes when it is ASCII. */
export function textLength(text: TextParts): number {
  const { head, parts, separator, tail, partsLength } = text;
  const around = head.length + tail.length + Math.max(0, parts.length - 1) * separator.length;
  return around + (partsLength ?? lengthOf(parts));
}

function lengthOf(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return length;
}

/** A body of bytes in chunks, which other responses may share: they must not be changed. */
export interface ByteChunks {
  readonly chunks: readonly Uint8Array[];
  /**
   * Keeps the compressed forms of chunks that other responses share; absent when none does.
   *
   * @internal
   */
  readonly compressed?: CompressedChunks | undefined;
}

/** Returns the total length of chunks, in bytes. */
export function chunksLength({ chunks }: ByteChunks): number {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length;
}

/**
 * Takes the next chunk of a stream without a promise; never throws, and never takes longer than a share of the turn.
 *
 * @param ready called once after `later`, when there may be a chunk or an end; it does no work of its own
 * @returns the chunk; `later` when there is none yet; `next` when only `next()` of the iterator can tell what follows: at
 *   the end, after a failure, and when the source has to wait
 */
export type TakeChunk = (ready: () => void) => Uint8Array | 'later' | 'next';

/** A streamed body. The transport pulls it, so a slow client slows the source. */
export interface StreamBody {
  readonly stream: AsyncIterable<Uint8Array>;
  /**
   * Takes chunks of the only iterator of `stream`, in place of its `next()`; absent when the source always waits.
   *
   * @internal
   */
  readonly take?: TakeChunk | undefined;
  /** Called by a transport when a client has not taken what was written. */
  readonly blocked?: ClientBlocked | undefined;
  /** Length of the body in bytes, where it is known. */
  readonly length?: number | undefined;
  /**
   * Keeps the compressed forms of its chunks; absent when no other response has them.
   *
   * @internal
   */
  readonly compressed?: CompressedChunks | undefined;
  /**
   * Memory that it needs until its end, in bytes. Absent where its events are counted when a client blocks them.
   *
   * @internal
   */
  readonly heldBytes?: number | undefined;
  /**
   * Length of the texts of the store that it refers to until its end, in characters. Absent: none.
   *
   * @internal
   */
  readonly storedLength?: number | undefined;
}

/**
 * Tells the server that a transport waits for a client.
 *
 * @param bytes number of bytes that the transport holds for the client
 * @param drop closes the connection; the server calls it when it needs the memory
 * @returns a function to call when the client has taken the bytes, or is gone
 */
export type ClientBlocked = (bytes: number, drop: () => void) => () => void;

/** Returns whether a body is streamed. */
export function isStream(body: ResponseBody): body is StreamBody {
  return typeof body === 'object' && 'stream' in body;
}

/**
 * Size in which long bodies are encoded, compressed and written, in bytes. Large enough to make the cost of a step
 * negligible; small enough to send the first bytes while the rest is still text, to leave the turn of the event loop to
 * others, and to bound the memory of a slow reader.
 */
export const CHUNK_BYTES = 256 * 1024;

/** Body of a response. */
export type ResponseBody = undefined | string | Uint8Array | TextParts | ByteChunks | StreamBody;

/** A response. */
export interface ApiResponse {
  readonly status: number;
  /** Header fields, names in lower case; a list is sent as repeated fields. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ResponseBody;
  /** Whether the transport closes the connection instead of sending a response, as when the network fails. */
  readonly lost?: true | undefined;
}

/** Entry point of the server for every transport. Never rejects. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

/**
 * An accepted WebSocket, such as a watch: the transport performs the upgrade, sends each message as one frame and closes with
 * code 1000 at the end.
 */
export interface WebSocketAnswer {
  /** The selected subprotocol; empty when the client offered none. */
  readonly protocol: string;
  /** Additional header fields of the handshake response, names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Messages to the client, such as one per event. A string becomes a text frame, bytes a binary frame. */
  readonly messages: AsyncIterable<string | Uint8Array>;
  /**
   * Takes a message of the client. The next one is read when it resolves. Never rejects. Default: messages are
   * discarded.
   */
  readonly receive?: ((message: string | Uint8Array) => Promise<void>) | undefined;
  /**
   * Header fields of the response of another server that has accepted the connection. The messages in both directions are
   * then raw bytes, which the transport passes on without framing them.
   */
  readonly passedOn?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Called once when the client has disconnected. */
  readonly closed?: (() => void) | undefined;
  /** Called when the client has not taken the messages so far. */
  readonly blocked?: ClientBlocked | undefined;
  /**
   * The memory of what the client sends: the transport reserves the bytes of a message before it is complete. Default:
   * nothing limits it.
   *
   * @internal
   */
  readonly memory?: { reserve(bytes: number): void; release(bytes: number): void } | undefined;
}

/** Handles a WebSocket: returns a refusal, or the messages to send. */
export type WebSocketHandler = (
  request: ApiRequest,
) => Promise<{ readonly refuse: ApiResponse } | { readonly accept: WebSocketAnswer }>;
