import { onAbort } from '../../../foundation/index.js';
import { isStream, type Send } from './api.js';
import type { PageClock } from './clock.js';

/** The subprotocol of a stream, and the beginning of the one that holds the header fields of its request. */
const PROTOCOL = 'stream.ui';
const FIELDS_PREFIX = 'fields.ui.';

/** Sockets in a row that did not open, although their requests were answered, after which no more are tried. */
const MOST_FAILURES = 3;

/** Close code of a stream that has come to its end (RFC 6455, section 7.4.1). */
const COMPLETE = 1000;
/** Close code of one that did not open, or was lost. */
const LOST = 1006;

/** How long a socket may take to open, in milliseconds: a proxy may never answer. */
const OPENS_MS = 10_000;

/** Called with what happens to a socket. */
export interface SocketEvents {
  readonly opened: () => void;
  readonly message: (bytes: ArrayBuffer) => void;
  /** @param code 1006 when it did not open, or was lost */
  readonly closed: (code: number) => void;
}

/** Opens a socket. @returns the function that closes it */
export type OpenSocket = (url: URL, protocols: string[], events: SocketEvents) => () => void;

/** Opens a socket of the browser. */
export const openWebSocket: OpenSocket = (url, protocols, { opened, message, closed }) => {
  const socket = new WebSocket(url, protocols);
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('open', opened);
  socket.addEventListener('message', ({ data }) => data instanceof ArrayBuffer && message(data));
  socket.addEventListener('close', ({ code }) => closed(code));
  return () => socket.close();
};

/** The parts of {@link SocketStreams}. */
export interface SocketStreamsParts {
  /** The root of the server, with a trailing slash. */
  readonly root: URL;
  /** Sends all other requests, and those that no socket opens for. */
  readonly send: Send;
  readonly open: OpenSocket;
  readonly clock: Pick<PageClock, 'after'>;
}

/**
 * Opens streams over WebSockets, which do not count among the six connections that a browser opens to a server over
 * HTTP/1.1 for all its tabs. A browser does not tell why a socket was refused, so the request is sent again by itself.
 */
export class SocketStreams {
  readonly #parts: SocketStreamsParts;
  #failures = 0;

  constructor(parts: SocketStreamsParts) {
    this.#parts = parts;
  }

  /** Sends a request. @throws what it throws */
  readonly send: Send = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, this.#parts.root);
    const isTried =
      !(input instanceof Request) &&
      (init?.method ?? 'GET') === 'GET' &&
      this.#failures < MOST_FAILURES &&
      isStream(url.href) &&
      url.href.startsWith(this.#parts.root.href);
    const body = isTried ? await this.#opened(url, init ?? {}) : undefined;
    if (body !== undefined) return new Response(body, { headers: { 'content-type': 'application/json' } });
    const response = await this.#parts.send(input, init);
    if (isTried && response.ok) this.#failures += 1;
    return response;
  };

  /** Opens a socket. @returns what it brings; undefined when it does not open. @throws the reason of an abort */
  async #opened(url: URL, { headers, signal }: RequestInit): Promise<ReadableStream<Uint8Array> | undefined> {
    signal?.throwIfAborted();
    const { root, open, clock } = this.#parts;
    const at = new URL('ui/v1/stream', root);
    at.protocol = at.protocol.replace('http', 'ws');
    at.searchParams.set('to', url.href.slice(root.href.length - 1));
    const protocols = [PROTOCOL, FIELDS_PREFIX + encoded(headers)];
    const stream = await opened(signal ?? undefined, clock, (events) => open(at, protocols, events));
    if (stream !== undefined) this.#failures = 0;
    return stream;
  }
}

/** Returns header fields as a token of a subprotocol: base64url of JSON. */
function encoded(headers: RequestInit['headers']): string {
  const fields: Record<string, string> = {};
  new Headers(headers).forEach((value, name) => (fields[name] = value));
  return btoa(JSON.stringify(fields)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Opens a socket. One that the browser does not even try counts as lost. */
function tried(open: (events: SocketEvents) => () => void, events: SocketEvents): () => void {
  try {
    return open(events);
  } catch {
    events.closed(LOST);
    return () => undefined;
  }
}

/**
 * Opens a socket.
 *
 * @returns the bytes that it brings until it closes; undefined when it does not open
 * @throws the reason of the signal
 */
async function opened(
  signal: AbortSignal | undefined,
  clock: Pick<PageClock, 'after'>,
  open: (events: SocketEvents) => () => void,
): Promise<ReadableStream<Uint8Array> | undefined> {
  let isOver = false;
  let close = (): void => undefined;
  let forget = (): void => undefined;
  let stopWaiting = (): void => undefined;
  let answer = (_isOpen: boolean): void => undefined;
  const answered = new Promise<boolean>((resolve) => (answer = resolve));
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (finish: () => void): void => {
        if (isOver) return;
        isOver = true;
        // The signal may outlast many streams.
        forget();
        stopWaiting();
        answer(false);
        finish();
      };
      forget = onAbort(signal, () =>
        end(() => {
          controller.error(signal?.reason);
          close();
        }),
      );
      close = tried(open, {
        opened() {
          stopWaiting();
          answer(true);
        },
        message: (bytes) => void (isOver || controller.enqueue(new Uint8Array(bytes))),
        closed: (code) =>
          end(() =>
            code === COMPLETE ? controller.close() : controller.error(new TypeError('the connection was lost')),
          ),
      });
      if (isOver) return;
      stopWaiting = clock.after(OPENS_MS, () =>
        end(() => {
          controller.error(new TypeError('the connection did not open'));
          close();
        }),
      );
    },
    cancel() {
      isOver = true;
      forget();
      close();
    },
  });
  const isOpen = await answered;
  signal?.throwIfAborted();
  return isOpen ? stream : undefined;
}
