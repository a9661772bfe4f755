import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { afterFrames, appendAll, messageOf, toError, type Clock, type Timer } from '../../../foundation/index.js';
import type { Endpoint } from './endpoint.js';
import { FrameReader, frameOf, MAX_MESSAGE_BYTES, MessageTooLongError } from './frames.js';
import { withLightBinding } from './light-binding.js';
import { GrpcCode, lostCall, refusedCall, RpcError } from './rpc-error.js';

/** The TLS files of a connection, PEM. */
export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Options of {@link Connection.open}. */
export interface ConnectionOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** Returns the TLS files; called for each connection, so that files may be replaced. */
  readonly tls: () => TlsFiles;
  /** Longest message of an answer. Default 1 GiB. */
  readonly maxMessageBytes?: number | undefined;
}

/** Receives the messages of a stream. */
export interface StreamSink {
  message(message: Buffer): void;
  /** Called once when the stream ends; not after `cancel()`. */
  end(error: RpcError): void;
}

/** A bidirectional stream of messages. */
export interface MessageStream {
  send(message: Uint8Array): void;
  /** Ends the stream without a call to the sink. */
  cancel(): void;
}

const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
/** Memory limit of an HTTP/2 session, in megabytes. The server's limit of requests in flight bounds the actual use. */
const MAX_SESSION_MEMORY = 1024;
const MAX_STREAMS = 0x7fff_ffff;
/** Interval of keepalive pings, in milliseconds; etcd treats pings more often than every 5 s as an attack. */
const PROBE_INTERVAL_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;

/**
 * One HTTP/2 connection to one member, with gRPC: a request is a message in a frame, and its outcome is in the
 * trailers.
 */
export class Connection {
  readonly endpoint: Endpoint;
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  readonly #maxMessageBytes: number;
  #isEnding = false;
  #probeTimer: Timer | undefined;

  private constructor(
    endpoint: Endpoint,
    session: ClientHttp2Session,
    { clock, maxMessageBytes = MAX_MESSAGE_BYTES }: ConnectionOptions,
  ) {
    this.endpoint = endpoint;
    this.#session = session;
    this.#clock = clock;
    this.#maxMessageBytes = maxMessageBytes;
    session.on('close', () => this.#probeTimer?.cancel());
    this.#probeLater();
  }

  /** @throws RpcError when the member cannot be reached */
  static open(endpoint: Endpoint, options: ConnectionOptions): Promise<Connection> {
    const { clock, connectTimeoutMs, tls } = options;
    return new Promise((resolve, reject) => {
      const { socket } = endpoint;
      const session = connect(endpoint.origin, {
        ...(socket === undefined ? {} : { createConnection: () => connectSocket(socket) }),
        ...(endpoint.secure ? { ...tls(), ALPNProtocols: ['h2'], allowPartialTrustChain: true } : {}),
        settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
        maxSessionMemory: MAX_SESSION_MEMORY,
        peerMaxConcurrentStreams: MAX_STREAMS,
      });
      const fail = (cause: unknown): void => {
        timer.cancel();
        session.destroy();
        reject(lostCall(`${endpoint.origin}: ${messageOf(cause)}`, 'none', cause));
      };
      let problem = 'no connection';
      const timer = clock.after(connectTimeoutMs, () => fail(`${problem} within ${connectTimeoutMs} ms`));
      session.once('error', fail);
      session.once('connect', () => {
        // Node does not report a refusal after the TLS 1.3 handshake.
        problem = endpoint.secure
          ? 'no HTTP/2 (the member may require a client certificate, or a different one)'
          : 'no HTTP/2';
      });
      // A server of another protocol accepts the connection and never answers.
      session.once('remoteSettings', () => {
        timer.cancel();
        session.off('error', fail);
        // Each call gets the error by itself.
        session.on('error', ignore);
        session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
        resolve(new Connection(endpoint, session, options));
      });
      session.once('close', () => fail('the connection was closed'));
    });
  }

  /** Whether the connection accepts calls. */
  get usable(): boolean {
    return !this.#isEnding && !this.#session.closed && !this.#session.destroyed;
  }

  /** Registers a callback for the end of the connection. */
  onClose(callback: () => void): void {
    this.#session.once('close', callback);
  }

  /**
   * Makes a unary call.
   *
   * @throws RpcError
   */
  call(path: string, message: Uint8Array, headers: OutgoingHttpHeaders, timeoutMs: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stream = this.#request(path, { 'grpc-timeout': `${Math.ceil(timeoutMs)}m`, ...headers });
      if (stream instanceof RpcError) return reject(stream);
      const reader = new FrameReader(this.#maxMessageBytes);
      const received: Buffer[] = [];
      let timedOut = false;
      let tooLong: RpcError | undefined;
      const timer = this.#clock.after(timeoutMs, () => {
        timedOut = true;
        stream.close(constants.NGHTTP2_CANCEL);
      });
      const outcome = outcomeOf(stream);
      stream.on('data', (chunk: Buffer) => {
        const failure = takeMessages(reader, chunk, received);
        if (failure instanceof MessageTooLongError) tooLong = this.#tooLong(failure);
        // An answer is one message.
        if (failure !== undefined || received.length > 1) stream.close(constants.NGHTTP2_CANCEL);
      });
      stream.on('end', () => {
        if (!outcome.ok() || received[0] === undefined) return;
        timer.cancel();
        resolve(received[0]);
      });
      stream.on('close', () => {
        timer.cancel();
        release(stream);
        if (timedOut)
          return reject(
            new RpcError(
              GrpcCode.DeadlineExceeded,
              `${this.endpoint.origin}: no response within ${timeoutMs} ms`,
              'open',
              'elsewhere',
            ),
          );
        const error = tooLong ?? outcome.error(stream, this.endpoint);
        if (error !== undefined) return reject(error);
        if (received[0] === undefined)
          return reject(lostCall(`${this.endpoint.origin}: a response without a message`, 'open'));
        resolve(received[0]);
      });
      stream.end(frameOf(message));
    });
  }

  /** The error of gRPC for Go. */
  #tooLong({ length }: MessageTooLongError): RpcError {
    const text = `grpc: received message larger than max (${length} vs. ${this.#maxMessageBytes})`;
    return new RpcError(GrpcCode.ResourceExhausted, text, 'open', 'never');
  }

  /** Opens a stream of messages. @throws RpcError when the connection is over */
  stream(path: string, headers: OutgoingHttpHeaders, sink: StreamSink): MessageStream {
    const stream = this.#request(path, headers);
    if (stream instanceof RpcError) throw stream;
    const reader = new FrameReader(this.#maxMessageBytes);
    const outcome = outcomeOf(stream);
    let over = false;
    stream.on('data', (chunk: Buffer) => {
      const messages: Buffer[] = [];
      if (takeMessages(reader, chunk, messages) !== undefined) stream.close(constants.NGHTTP2_CANCEL);
      for (const message of messages) if (!over) sink.message(message);
    });
    stream.on('close', () => {
      if (over) return;
      over = true;
      sink.end(outcome.error(stream, this.endpoint) ?? lostCall(`${this.endpoint.origin}: the stream ended`, 'open'));
    });
    return {
      send: (message) => {
        if (!over) stream.write(frameOf(message));
      },
      cancel: () => {
        over = true;
        stream.close(constants.NGHTTP2_CANCEL);
      },
    };
  }

  /** Checks that the member responds; destroys the connection when it does not. */
  probe(): void {
    if (this.#session.destroyed) return;
    const timer = this.#clock.after(PROBE_TIMEOUT_MS, () => this.destroy());
    const sent = this.#session.ping(() => timer.cancel());
    if (!sent) timer.cancel();
  }

  /** Accepts no further calls; running calls complete. */
  retire(): void {
    if (this.usable) this.#end(() => this.#session.close());
  }

  /** Accepts no further calls, and ends all calls and streams. */
  destroy(): void {
    this.#end(() => this.#session.destroy());
  }

  #end(end: () => void): void {
    this.#isEnding = true;
    afterFrames(end);
  }

  #probeLater(): void {
    this.#probeTimer = this.#clock.after(PROBE_INTERVAL_MS, () => {
      this.probe();
      this.#probeLater();
    });
  }

  #request(path: string, headers: OutgoingHttpHeaders): ClientHttp2Stream | RpcError {
    if (this.#isEnding) return lostCall(`${this.endpoint.origin}: the connection is over`, 'none');
    try {
      return withLightBinding(() =>
        this.#session.request({
          ':method': 'POST',
          ':path': path,
          'content-type': 'application/grpc',
          te: 'trailers',
          ...headers,
        }),
      );
    } catch (error) {
      return lostCall(`${this.endpoint.origin}: the connection is over`, 'none', error);
    }
  }
}

/**
 * Drops the listeners of a closed stream, and with them the response: objects of Node lead from one stream to the next,
 * so that many stay in memory until the next full garbage collection.
 */
function release(stream: ClientHttp2Stream): void {
  stream.removeAllListeners();
  stream.on('error', ignore);
}

const ignore = (): void => undefined;

/** Reads the messages of a chunk. Returns what is wrong with it when it is not valid gRPC. */
function takeMessages(reader: FrameReader, chunk: Buffer, into: Buffer[]): Error | undefined {
  try {
    appendAll(into, reader.take(chunk));
    return undefined;
  } catch (error) {
    return toError(error);
  }
}

/** The outcome of a stream. */
interface StreamOutcome {
  /** Whether the member reported success. */
  ok(): boolean;
  /** Returns the error of a closed stream; undefined on success. */
  error(stream: ClientHttp2Stream, endpoint: Endpoint): RpcError | undefined;
}

function outcomeOf(stream: ClientHttp2Stream): StreamOutcome {
  let status: RpcError | 'ok' | undefined;
  let failure: unknown;
  const readStatus = (headers: IncomingHttpHeaders): void => {
    const code = headers['grpc-status'];
    if (code !== undefined)
      status = code === '0' ? 'ok' : refusedCall(Number(code), decodeMessage(headers['grpc-message']));
    else if (':status' in headers && Number(headers[':status']) !== 200)
      status = lostCall(`HTTP status ${Number(headers[':status'])} instead of a response`, 'open');
  };
  stream.on('response', readStatus);
  stream.on('trailers', readStatus);
  stream.on('error', (error: unknown) => {
    failure = error;
  });
  return {
    ok: () => status === 'ok',
    error({ rstCode }, endpoint) {
      if (status === 'ok') return undefined;
      if (status !== undefined) return status;
      // Only this code guarantees that the member has not processed the request.
      const effect = rstCode === constants.NGHTTP2_REFUSED_STREAM ? 'none' : 'open';
      return lostCall(`${endpoint.origin}: the connection was lost`, effect, failure);
    },
  };
}

/** Decodes a gRPC status message, which is percent-encoded. */
function decodeMessage(text: string | string[] | undefined): string {
  const encoded = Array.isArray(text) ? text.join(', ') : (text ?? '');
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
