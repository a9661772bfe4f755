import { ApiError, decodeUtf8Lossy, type MessageSocket } from '../../foundation/index.js';
import { StreamLink } from './stream-link.js';

/** The channels of the only port of a connection. */
const DATA = 0;
const ERROR = 1;
/** Bytes of the port number that each channel begins with. */
const PORT_BYTES = 2;

/** A connection to a port of a pod. */
export class PortStream implements AsyncDisposable {
  readonly #link: StreamLink;
  /**
   * The data that the pod sends. Ends when the pod ends the connection, or the signal aborts.
   *
   * @throws ApiError when the port cannot be reached; ConnectionLostError
   */
  readonly data: AsyncIterable<Uint8Array>;

  /** @internal */
  constructor(socket: MessageSocket, signal: AbortSignal | undefined) {
    const link = new StreamLink(socket, signal);
    this.#link = link;
    this.data = afterBytes(link.output(DATA), PORT_BYTES);
    let skipped = 0;
    link.onMessage(ERROR, (data) => {
      const skip = Math.min(PORT_BYTES - skipped, data.length);
      skipped += skip;
      const message = decodeUtf8Lossy(data.subarray(skip));
      if (message !== '') link.finish(new ApiError({ message, reason: 'InternalError', code: 500 }));
    });
    link.start(() => undefined);
  }

  /** Sends data to the pod. Resolves when it can take more. @throws what has ended the connection; Error after its end */
  write(chunk: string | Uint8Array): Promise<void> {
    return this.#link.write(DATA, chunk);
  }

  /** Ends what is sent, for servers that can tell the pod: those with version 5 of the protocol. */
  end(): Promise<void> {
    return this.#link.endInput(DATA);
  }

  /** Ends the connection. */
  close(): void {
    this.#link.finish(undefined);
  }

  /** Calls {@link PortStream.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }
}

/** Yields data without its first bytes. */
async function* afterBytes(
  source: AsyncIterable<Uint8Array>,
  count: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = count;
  for await (const chunk of source) {
    const rest = chunk.subarray(left);
    left -= Math.min(left, chunk.length);
    if (rest.length > 0) yield rest;
  }
}
