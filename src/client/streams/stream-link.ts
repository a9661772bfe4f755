import { encodeUtf8, MessageQueue, onAbort, toError, type MessageSocket } from '../../foundation/index.js';
import { ConnectionLostError } from '../../server/index.js';

/** Bytes of a stream that nobody has read, from which on the connection is not read. */
const CAPACITY = 1024 * 1024;
/** Maximum length of the data of a message, in bytes. */
const MAX_DATA = 32 * 1024;
/** The channel whose messages close another channel, since version 5 of the protocol. */
const CLOSE_CHANNEL = 255;

/** Several streams over one connection: the first byte of each message is the number of its channel. */
export class StreamLink {
  readonly #socket: MessageSocket;
  readonly #signal: AbortSignal | undefined;
  readonly #outputs = new Map<number, MessageQueue<Uint8Array>>();
  readonly #handlers = new Map<number, (data: Uint8Array) => void>();
  readonly #stop: () => void;
  #ended: (failure: Error | undefined) => void = () => undefined;
  #over: { readonly failure: Error | undefined } | undefined;
  /** Resolves when the streams have ended: with the failure that ended them, or the reason of the signal. */
  readonly over = new Promise<Error | undefined>((resolve) => (this.#ended = resolve));

  /** @param signal ends the streams */
  constructor(socket: MessageSocket, signal: AbortSignal | undefined) {
    this.#socket = socket;
    this.#signal = signal;
    this.#stop = onAbort(signal, () => this.finish(toError(signal?.reason, 'aborted')));
  }

  /** Whether a single stream can be ended. */
  get endsInputs(): boolean {
    return this.#socket.protocol.startsWith('v5.');
  }

  /** Returns the data of a channel. The iteration throws when the connection is lost, and ends when the signal aborts. */
  output(channel: number): AsyncGenerator<Uint8Array, void, undefined> {
    const queue = new MessageQueue<Uint8Array>({ capacity: CAPACITY, sizeOf: ({ length }) => length });
    this.#outputs.set(channel, queue);
    return this.#read(queue);
  }

  /** Calls back with each message of a channel. */
  onMessage(channel: number, handle: (data: Uint8Array) => void): void {
    this.#handlers.set(channel, handle);
  }

  /** Begins to read. @param atEnd returns the failure when the server ends the connection */
  start(atEnd: () => Error | undefined): void {
    this.#receive().then(
      () => this.finish(atEnd()),
      (error: unknown) => this.finish(asLost(error)),
    );
  }

  /** Sends data on a channel. Resolves when the server can take more. @throws Error after the end */
  async write(channel: number, data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? encodeUtf8(data) : data;
    for (let at = 0; at < bytes.length; at += MAX_DATA) {
      if (this.#over !== undefined) throw this.#over.failure ?? new Error('the stream has ended');
      const part = bytes.subarray(at, at + MAX_DATA);
      const message = new Uint8Array(part.length + 1);
      message[0] = channel;
      message.set(part, 1);
      await this.#socket.send(message);
    }
  }

  /** Ends what is sent on a channel, if the protocol can do that. */
  async endInput(channel: number): Promise<void> {
    if (this.#over === undefined && this.endsInputs) await this.#socket.send(Uint8Array.of(CLOSE_CHANNEL, channel));
  }

  /** Ends the streams. The first call counts. */
  finish(failure: Error | undefined): void {
    if (this.#over !== undefined) return;
    this.#over = { failure };
    this.#stop();
    for (const queue of this.#outputs.values()) queue.end();
    this.#socket.close();
    this.#ended(failure);
  }

  async *#read(queue: MessageQueue<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    yield* queue;
    const failure = this.#over?.failure;
    if (failure !== undefined && this.#signal?.aborted !== true) throw failure;
  }

  async #receive(): Promise<void> {
    for await (const message of this.#socket.messages) {
      const channel = message[0] ?? 0;
      const data = message.subarray(1);
      this.#handlers.get(channel)?.(data);
      if (data.length > 0) await this.#outputs.get(channel)?.write(data);
      if (this.#over !== undefined) return;
    }
  }
}

const asLost = (error: unknown): Error =>
  error instanceof ConnectionLostError ? error : new ConnectionLostError(toError(error).message, { cause: error });
