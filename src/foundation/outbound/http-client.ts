/**
 * Requests that the server itself sends, for example to an OpenID provider or a webhook. They are plain records, like
 * incoming requests; a client of the platform sends them.
 *
 * @module
 */
import { concatBytes } from '../encoding/bytes.js';
import { answerTooLong, type CheckedRequest } from './checked-request.js';

/** TLS options: the trusted authorities and the client certificate. All in PEM; an empty string equals undefined. */
export interface OutboundTls {
  /** Certificate authorities of the server; default those of the host. */
  readonly certificateAuthority?: string | undefined;
  /** Client certificate, followed by its intermediates; requires {@link OutboundTls.key}. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Name that the server's certificate must contain; default the host of the URL. */
  readonly serverName?: string | undefined;
  /** Accepts any certificate. Insecure. */
  readonly insecureSkipVerify?: boolean | undefined;
}

/** An outgoing request. */
export interface OutboundRequest {
  /** An http or https URL without user name and password, which belong in a header. */
  readonly url: string;
  /** Method in upper case; default `GET`. */
  readonly method?: string | undefined;
  /** Headers by lower-case name; a list is sent as one field per value. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body?: string | undefined;
  readonly tls?: OutboundTls | undefined;
  /** Maximum size of the response, in bytes. */
  readonly maxBytes: number;
  /**
   * Called with the length of each chunk of the response before the chunk is buffered. An error that it throws ends the
   * request, which fails with it.
   */
  readonly onChunk?: ((bytes: number) => void) | undefined;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/** The response. Redirects are returned, never followed. */
export interface OutboundResponse {
  readonly status: number;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
}

/** A request whose response is read while it arrives. */
export interface StreamedRequest extends Omit<OutboundRequest, 'body' | 'maxBytes' | 'onChunk'> {
  readonly body?: string | Uint8Array | undefined;
  /** Whether the response may be endless: it does not take one of a limited number of connections. Default false. */
  readonly lasting?: boolean | undefined;
  /** Whether the process may end while the response is awaited. Default false. */
  readonly background?: boolean | undefined;
}

/** A response that may be long, or endless. Redirects are returned, never followed. */
export interface OutboundStream {
  readonly status: number;
  /** Returns a header by its lower-case name; several fields are joined with commas. */
  header(name: string): string | undefined;
  /** Returns the header fields of the body as it is read, names in lower case; a list has one value for each field. */
  fields(): Iterable<readonly [name: string, value: string | readonly string[]]>;
  /** The body in the pieces in which it arrives. Ending the iteration ends the request. @throws as {@link HttpClient} */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the request, for a response whose body is not read. */
  cancel(): void;
}

/**
 * Sends a request. Never follows a redirect.
 *
 * @throws Error when there is no response or it exceeds `maxBytes`; the message contains neither body nor credentials
 */
export type HttpClient = (request: OutboundRequest) => Promise<OutboundResponse>;

/** The messages of a WebSocket. */
export interface MessageSocket {
  /** The subprotocol that the server has selected; empty for none. */
  readonly protocol: string;
  /**
   * The messages of the server, until it closes the connection. While they are not read, the connection is not read either
   * where the host can do that.
   *
   * @throws Error when the connection is lost
   */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Sends a message. Resolves when the server can take more. One after the end is dropped. */
  send(message: Uint8Array): Promise<void>;
  /** Closes the connection; the messages end. */
  close(): void;
}

/** A request for a WebSocket. */
export interface SocketRequest extends Pick<StreamedRequest, 'url' | 'headers' | 'tls' | 'signal'> {
  /** The subprotocols that the client knows, the best first. */
  readonly protocols: readonly string[];
}

/** A WebSocket that the server has accepted. */
export interface OutboundSocket extends MessageSocket {
  readonly status: 101;
}

/** A connection that a server has taken over for another protocol. */
export interface OutboundTunnel {
  readonly status: 101;
  /** Returns the header fields of the response, as those of {@link OutboundStream}. */
  fields(): ReturnType<OutboundStream['fields']>;
  /** The bytes of the server, until the connection ends. While they are not read, neither is the connection. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Sends bytes. Resolves when the server can take more; bytes after the end are dropped. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the connection; the bytes end. */
  close(): void;
}

/** An HTTP client that can also read a response while it arrives. */
export interface StreamingHttpClient extends HttpClient {
  /** Sends a request, and resolves with the head of the response. @throws as {@link HttpClient} */
  readonly stream: (request: StreamedRequest) => Promise<OutboundStream>;
  /**
   * Opens a WebSocket. Its signal ends the opening only. Absent for a client that cannot do that.
   *
   * @returns the socket, or the response that refuses it
   * @throws as {@link HttpClient}
   *
   * @internal
   */
  readonly webSocket?: ((request: SocketRequest) => Promise<OutboundSocket | OutboundStream>) | undefined;
  /**
   * Sends a GET request whose fields ask for another protocol. Its signal ends the opening only. Absent for a client that
   * cannot do that.
   *
   * @returns the connection, or the response that refuses it
   * @throws as {@link HttpClient}
   *
   * @internal
   */
  readonly upgrade?:
    | ((
        request: Pick<StreamedRequest, 'url' | 'headers' | 'tls' | 'signal'>,
      ) => Promise<OutboundTunnel | OutboundStream>)
    | undefined;
}

/** Collects the pieces of a response in arrays. */
export interface CollectedBody extends Iterable<Uint8Array> {
  push(piece: Uint8Array): unknown;
}

/**
 * Reads a response to its end.
 *
 * @param pieces an empty collection
 * @throws Error when it exceeds `maxBytes`; what `onChunk` and the body throw
 */
export async function readWhole(
  checked: CheckedRequest,
  { status, header, body }: OutboundStream,
  { maxBytes, onChunk }: Pick<OutboundRequest, 'maxBytes' | 'onChunk'>,
  pieces: CollectedBody = [],
): Promise<OutboundResponse> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw answerTooLong(checked, maxBytes);
    onChunk?.(chunk.length);
    pieces.push(chunk);
  }
  return { status, header, body: concatBytes([...pieces]) };
}
