import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Clock, Timer } from '../../../meta/clock.js';
import { messageOf } from '../../../meta/error-message.js';
import type { Endpoint } from './endpoint.js';
import { FrameReader, frameOf } from './frames.js';
import { GrpcCode, lostCall, refusedCall, RpcError } from './rpc-error.js';

/** What a connection is encrypted with; PEM. */
export interface TlsFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** How a {@link Connection} is opened. */
export interface ConnectionOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** Read for each connection, so that files may be replaced. */
  readonly tls: () => TlsFiles;
}

/** Where a stream of messages delivers. */
export interface StreamSink {
  message(message: Buffer): void;
  /** The stream is over; called once, and not after `cancel()`. */
  end(error: RpcError): void;
}

/** A stream of messages in both directions. */
export interface MessageStream {
  send(message: Uint8Array): void;
  /** Ends it without a call to the sink. */
  cancel(): void;
}

const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
/** In megabytes; what bounds the work in flight is the server's own limit of requests. */
const MAX_SESSION_MEMORY = 1024;
const MANY_STREAMS = 0x7fff_ffff;
/** A silent connection is asked whether it lives; etcd takes more often than every 5 s for an attack. */
const PROBE_INTERVAL_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;

/** One HTTP/2 connection to one member, and gRPC upon it: a request is a message in a frame, its outcome is in the trailers. */
export class Connection {
  readonly endpoint: Endpoint;
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  #probeTimer: Timer | undefined;

  private constructor(endpoint: Endpoint, session: ClientHttp2Session, clock: Clock) {
    this.endpoint = endpoint;
    this.#session = session;
    this.#clock = clock;
    session.on('close', () => this.#probeTimer?.cancel());
    this.#probeLater();
  }

  /** @throws RpcError when the member cannot be reached */
  static open(endpoint: Endpoint, { clock, connectTimeoutMs, tls }: ConnectionOptions): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const session = connect(endpoint.origin, {
        ...(endpoint.secure ? { ...tls(), ALPNProtocols: ['h2'] } : {}),
        settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
        maxSessionMemory: MAX_SESSION_MEMORY,
        peerMaxConcurrentStreams: MANY_STREAMS,
      });
      const fail = (cause: unknown): void => {
        timer.cancel();
        session.destroy();
        reject(lostCall(`${endpoint.origin}: ${messageOf(cause)}`, 'none', cause));
      };
      let missing = 'no connection';
      const timer = clock.after(connectTimeoutMs, () => fail(`${missing} within ${connectTimeoutMs} ms`));
      session.once('error', fail);
      session.once('connect', () => {
        // A refusal that comes behind the handshake of TLS 1.3 is not told by the host.
        missing = endpoint.secure
          ? 'no HTTP/2 (it may want a certificate of this client, or another one)'
          : 'no HTTP/2';
      });
      // What speaks another protocol takes the connection and never answers.
      session.once('remoteSettings', () => {
        timer.cancel();
        session.off('error', fail);
        // Calls hear of it by themselves.
        session.on('error', () => undefined);
        session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
        resolve(new Connection(endpoint, session, clock));
      });
      session.once('close', () => fail('the connection was closed'));
    });
  }

  /** Whether calls can be made. */
  get usable(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** Calls back once, when the connection is over. */
  onClose(callback: () => void): void {
    this.#session.once('close', callback);
  }

  /**
   * Makes a call: one message there, one back.
   *
   * @throws RpcError
   */
  call(path: string, message: Uint8Array, headers: OutgoingHttpHeaders, timeoutMs: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stream = this.#request(path, { ...headers, 'grpc-timeout': `${Math.ceil(timeoutMs)}m` });
      if (stream instanceof RpcError) return reject(stream);
      const reader = new FrameReader();
      const received: Buffer[] = [];
      let timedOut = false;
      const timer = this.#clock.after(timeoutMs, () => {
        timedOut = true;
        stream.close(constants.NGHTTP2_CANCEL);
      });
      const outcome = outcomeOf(stream);
      stream.on('data', (chunk: Buffer) => {
        if (!takeMessages(reader, chunk, received)) stream.close(constants.NGHTTP2_CANCEL);
      });
      stream.on('end', () => {
        if (!outcome.ok() || received[0] === undefined) return;
        timer.cancel();
        resolve(received[0]);
      });
      stream.on('close', () => {
        timer.cancel();
        if (timedOut)
          return reject(
            new RpcError(
              GrpcCode.DeadlineExceeded,
              `${this.endpoint.origin}: no answer within ${timeoutMs} ms`,
              'open',
              'elsewhere',
            ),
          );
        const error = outcome.error(stream, this.endpoint);
        if (error !== undefined) return reject(error);
        if (received[0] === undefined)
          return reject(lostCall(`${this.endpoint.origin}: an answer without a message`, 'open'));
        resolve(received[0]);
      });
      stream.end(frameOf(message));
    });
  }

  /** Opens a stream of messages. @throws RpcError when the connection is over */
  stream(path: string, headers: OutgoingHttpHeaders, sink: StreamSink): MessageStream {
    const stream = this.#request(path, headers);
    if (stream instanceof RpcError) throw stream;
    const reader = new FrameReader();
    const outcome = outcomeOf(stream);
    let over = false;
    stream.on('data', (chunk: Buffer) => {
      const messages: Buffer[] = [];
      if (!takeMessages(reader, chunk, messages)) stream.close(constants.NGHTTP2_CANCEL);
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

  /** Finds out whether the other side is still there; destroys the connection when it is not. */
  probe(): void {
    if (this.#session.destroyed) return;
    const timer = this.#clock.after(PROBE_TIMEOUT_MS, () => this.destroy());
    const sent = this.#session.ping(() => timer.cancel());
    if (!sent) timer.cancel();
  }

  /** Makes no further calls; what runs goes on to its end. */
  retire(): void {
    if (this.usable) this.#session.close();
  }

  /** Ends everything now. */
  destroy(): void {
    this.#session.destroy();
  }

  #probeLater(): void {
    this.#probeTimer = this.#clock.after(PROBE_INTERVAL_MS, () => {
      this.probe();
      this.#probeLater();
    });
  }

  #request(path: string, headers: OutgoingHttpHeaders): ClientHttp2Stream | RpcError {
    try {
      return this.#session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...headers,
      });
    } catch (error) {
      return lostCall(`${this.endpoint.origin}: the connection is over`, 'none', error);
    }
  }
}

/** Takes in a chunk; false when it is not what gRPC sends. */
function takeMessages(reader: FrameReader, chunk: Buffer, into: Buffer[]): boolean {
  try {
    into.push(...reader.take(chunk));
    return true;
  } catch {
    return false;
  }
}

/** How a stream ends. */
interface StreamOutcome {
  /** Whether the other side has said that all is well. */
  ok(): boolean;
  /** What the stream failed with, once it is closed. */
  error(stream: ClientHttp2Stream, endpoint: Endpoint): RpcError | undefined;
}

function outcomeOf(stream: ClientHttp2Stream): StreamOutcome {
  let status: RpcError | 'ok' | undefined;
  let failure: unknown;
  const see = (headers: IncomingHttpHeaders): void => {
    const code = headers['grpc-status'];
    if (code !== undefined)
      status = code === '0' ? 'ok' : refusedCall(Number(code), decodeMessage(headers['grpc-message']));
    else if (':status' in headers && Number(headers[':status']) !== 200)
      status = lostCall(`HTTP status ${Number(headers[':status'])} instead of an answer`, 'open');
  };
  stream.on('response', see);
  stream.on('trailers', see);
  stream.on('error', (error: unknown) => {
    failure = error;
  });
  return {
    ok: () => status === 'ok',
    error({ rstCode }, endpoint) {
      if (status === 'ok') return undefined;
      if (status !== undefined) return status;
      // By this code, and by it alone, the other side says that it has not looked at the request.
      const effect = rstCode === constants.NGHTTP2_REFUSED_STREAM ? 'none' : 'open';
      return lostCall(`${endpoint.origin}: the connection was lost`, effect, failure);
    },
  };
}

/** gRPC sends its messages percent-encoded. */
function decodeMessage(text: string | string[] | undefined): string {
  const encoded = Array.isArray(text) ? text.join(', ') : (text ?? '');
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
