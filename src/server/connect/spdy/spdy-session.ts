import { encodeUtf8, MessageQueue } from '../../../foundation/index.js';
import { dataFrame, FrameReader, pingFrame, replyFrame, resetFrame, resetReasons, type Frame } from './frames.js';
import { emptyBlock, type HeaderReader } from './header-blocks.js';

/** Bytes on a stream that nobody has read, from which on the connection is not read. */
const INPUT_CAPACITY = 1024 * 1024;
/** Maximum length of the data of a frame to the client, in bytes. */
const MAX_DATA = 256 * 1024;
/** Maximum number of streams that are open at a time. */
const MAX_STREAMS = 1000;

/** A stream that the client has opened. */
export class SpdyStream {
  readonly id: number;
  readonly headers: ReadonlyMap<string, string>;
  /** The data that the client sends. */
  readonly input = new MessageQueue<Uint8Array>({ capacity: INPUT_CAPACITY, sizeOf: ({ length }) => length });
  readonly #messages: MessageQueue<Uint8Array>;
  readonly #ended: () => void;
  #isOpen = true;

  constructor(id: number, headers: ReadonlyMap<string, string>, messages: MessageQueue<Uint8Array>, ended: () => void) {
    this.id = id;
    this.headers = headers;
    this.#messages = messages;
    this.#ended = ended;
  }

  /** Sends data. Resolves when the client can take more. Data on a stream that has ended is dropped. */
  async write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? encodeUtf8(data) : data;
    for (let at = 0; at < bytes.length && this.#isOpen; at += MAX_DATA)
      await this.#messages.write(dataFrame(this.id, bytes.subarray(at, at + MAX_DATA), false));
  }

  /** Ends the stream: nothing follows what has been sent. */
  end(): void {
    if (!this.#isOpen) return;
    this.stop();
    void this.#messages.write(dataFrame(this.id, new Uint8Array(), true));
  }

  /** Lets the stream end. What nobody has read is dropped: it would keep the other streams waiting. */
  stop(): void {
    this.#isOpen = false;
    void this.input.return();
    this.#ended();
  }
}

/** The streams of one client over one connection. There is no flow control of single streams, as in Kubernetes. */
export class SpdySession {
  /** The messages to the client. */
  readonly messages = new MessageQueue<Uint8Array>();
  readonly #frames = new FrameReader();
  readonly #headers: HeaderReader;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #opened: (stream: SpdyStream) => boolean;
  #reading = Promise.resolve();
  #replies = 0;

  /** @param opened takes a stream; returns false for one that it does not know */
  constructor(headers: HeaderReader, opened: (stream: SpdyStream) => boolean) {
    this.#headers = headers;
    this.#opened = opened;
  }

  /** Takes bytes of the client. Resolves when their readers have taken them. A client that breaks the protocol is disconnected. */
  receive(bytes: Uint8Array): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read(bytes)).catch(() => this.close());
    return this.#reading;
  }

  /** Ends all streams. */
  close(): void {
    for (const stream of [...this.#streams.values()]) stream.stop();
    this.#headers.close();
    this.messages.end();
  }

  async #read(bytes: Uint8Array): Promise<void> {
    for (const frame of this.#frames.read(bytes)) await this.#take(frame);
  }

  async #take(frame: Frame): Promise<void> {
    if (frame.type === 'goAway') return;
    if (frame.type === 'ping') return void this.messages.write(pingFrame(frame.id));
    if (frame.type === 'open') {
      this.#open(frame.stream, await this.#headers.read(frame.block), frame.last);
      return;
    }
    const stream = this.#streams.get(frame.stream);
    if (frame.type === 'reset') return stream?.stop();
    if (frame.type === 'headers') await this.#headers.read(frame.block);
    else if (frame.data.length > 0) await stream?.input.write(frame.data);
    if (frame.last) stream?.input.end();
  }

  #open(id: number, headers: ReadonlyMap<string, string>, last: boolean): void {
    if (this.#streams.has(id) || this.#streams.size >= MAX_STREAMS) return this.#reset(id, resetReasons.refused);
    const stream = new SpdyStream(id, headers, this.messages, () => this.#streams.delete(id));
    this.#streams.set(id, stream);
    if (last) stream.input.end();
    void this.messages.write(replyFrame(id, emptyBlock(this.#replies === 0)));
    this.#replies += 1;
    if (this.#opened(stream)) return;
    stream.stop();
    this.#reset(id, resetReasons.protocolError);
  }

  #reset(id: number, reason: number): void {
    void this.messages.write(resetFrame(id, reason));
  }
}
