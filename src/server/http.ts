/**
 * What goes into the server and what comes out of it, without any transport's types.
 *
 * WHATWG `Request` and `Response` cost more than the work they carry, so the core takes these plain records; the
 * transports convert.
 *
 * @module
 */

/** A client certificate as the TLS layer verified it. */
export interface PeerCertificate {
  /** The leaf first, then the chain as sent, DER. */
  readonly chain: readonly Uint8Array[];
  /** Whether the chain ends in an authority that the listener trusts. */
  readonly authorized: boolean;
}

/** Who is on the other end of the connection. */
export interface Peer {
  readonly address: string | undefined;
  readonly tls: boolean;
  readonly certificate?: () => PeerCertificate | undefined;
}

/** Header fields of a request, names in lower case. */
export interface RequestHeaders {
  /** The value, or the values joined with `, `; undefined when absent. */
  get(name: string): string | undefined;
  /** Every value as it was sent. */
  getAll(name: string): readonly string[];
  /** Names that are present. */
  names(): Iterable<string>;
  /** Whether there is a name that begins with `prefix`, in lower case. Asked of every request: cheaper than looking through the names. */
  hasPrefix(prefix: string): boolean;
}

/**
 * A request as a transport hands it in. Its fields may be getters that look things up when they are read: pass it on as
 * it is, since a spread copy would lose them.
 */
export interface ApiRequest {
  /** In upper case. */
  readonly method: string;
  /** Path as sent, percent-encoding kept, without the query. */
  readonly path: string;
  /** Query string as sent, without the question mark; empty when there is none. */
  readonly query: string;
  readonly headers: RequestHeaders;
  /**
   * Reads the body, at most `limit` bytes. Called at most once. `onChunk`, if given, is called with the length of each chunk before
   * the chunk is kept; what it throws ends the reading.
   *
   * @throws BodyTooLargeError when there is more; what `onChunk` throws
   */
  readonly body: (limit: number, onChunk?: (bytes: number) => void) => Promise<Uint8Array>;
  readonly peer: Peer;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
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
 * A text in pieces: `head`, then the parts with `separator` between them, then `tail`. It lets a long list go out without
 * being joined first. `ascii` promises that nothing in it is above U+007F, so that its length in bytes is its length.
 */
export interface TextParts {
  readonly head: string;
  readonly parts: readonly string[];
  readonly separator: string;
  readonly tail: string;
  readonly ascii: boolean;
}

/** A text in pieces as one string. */
export function joinedText(text: TextParts): string {
  return text.head + text.parts.join(text.separator) + text.tail;
}

/** Length of a text in pieces, in UTF-16 units: its bytes when it is ASCII. */
export function textLength(text: TextParts): number {
  let length = text.head.length + text.tail.length + Math.max(0, text.parts.length - 1) * text.separator.length;
  for (const part of text.parts) length += part.length;
  return length;
}

/** Pieces of a body as one; `length` is theirs together. */
export function joinedBytes(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

/** A body that comes over time; pulled by the transport, so that a slow client slows the source. */
export interface StreamBody {
  readonly stream: AsyncIterable<Uint8Array>;
}

/** Body of an answer. */
export type ResponseBody = undefined | string | Uint8Array | TextParts | StreamBody;

/** An answer. */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case; a list is sent as that many fields. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ResponseBody;
}

/** The one entrance of the server: what every transport calls. Never rejects. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

/**
 * A watch over WebSocket: the transport performs the upgrade when `accept` is given, sends each message as one frame and
 * closes with 1000 at the end.
 */
export interface WebSocketAnswer {
  /** The subprotocol to answer with; empty when the client offered none. */
  readonly protocol: string;
  /** Header fields of the handshake's answer besides its own, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** One message an event. A string goes as a text frame, bytes as a binary one. */
  readonly messages: AsyncIterable<string | Uint8Array>;
}

/** Asks the server for a WebSocket watch: an answer to refuse with, or the messages to send. */
export type WebSocketHandler = (
  request: ApiRequest,
) => Promise<{ readonly refuse: ApiResponse } | { readonly accept: WebSocketAnswer }>;
