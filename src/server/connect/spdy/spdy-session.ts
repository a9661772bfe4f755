import { encodeUtf8, MessageQueue, SharedRoom, shareTurn, type RoomMemory } from '../../../foundation/index.js';
import { inputOf } from '../unread-input.js';
import { dataFrame, FrameReader, pingFrame, replyFrame, resetFrame, resetReasons, type Frame } from './frames.js';
import { emptyBlock, type HeaderReader } from './header-blocks.js';

/** Bytes on all streams of a connection that nobody has read, from which on it is read only as fast as its streams. */
const UNREAD_CAPACITY = 8 * 1024 * 1024;
/** Maximum length of the data of a frame to the client, in bytes. */
const MAX_DATA = 256 * 1024;
/** Maximum number of streams that are open at a time. */
const MAX_STREAMS = 1000;

/** A stream that the client has opened. */
export class SpdyStream {
  readonly id: number;
  /** The data that the client sends. */
  readonly input: MessageQueue<Uint8Array>;
  /** Called when the stream has ended. */
  onEnd: () => void = () => undefined;
  readonly #messages: MessageQueue<Uint8Array>;
  readonly #ended: () => void;
  #isOpen = true;

  constructor(id: number, room: SharedRoom, messages: MessageQueue<Uint8Array>, ended: () => void) {
    this.id = id;
    this.input = inputOf(room);
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
    this.onEnd();
  }
}

/** The headers of a stream, by names in lower case. */
export type StreamHeaders = ReadonlyMap<string, string>;

/** Takes a stream. Returns false for one that it does not know. */
type Opened = (stream: SpdyStream, headers: StreamHeaders) => boolean;

/**
 * The streams of one client over one connection. There is no flow control of single streams, as in Kubernetes. A client
 * that does not read the answers to its frames is not read either.
 */
export class SpdySession {
  /** The messages to the client. */
  readonly messages = new MessageQueue<Uint8Array>();
  readonly #frames: FrameReader;
  readonly #headers: HeaderReader;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #room: SharedRoom;
  readonly #opened: Opened;
  #reading = Promise.resolve();
  #replies = 0;
  #isClosed = false;

  /** @param memory what nobody has read yet is reserved in it; default: nothing limits it */
  constructor(headers: HeaderReader, opened: Opened, memory?: RoomMemory) {
    this.#headers = headers;
    this.#opened = opened;
    this.#frames = new FrameReader(memory);
    this.#room = new SharedRoom(UNREAD_CAPACITY, memory);
  }

  /** Takes bytes of the client. Resolves when their readers have taken them. A client that breaks the protocol is disconnected. */
  receive(bytes: Uint8Array): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read(bytes)).catch(() => this.close());
    return this.#reading;
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#streams.values()]) stream.stop();
    this.#headers.close();
    this.#frames.close();
    this.messages.end();
  }

  async #read(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed) return;
    for (const frame of this.#frames.read(bytes)) {
      // A message may have very many frames.
      await shareTurn();
      if (this.#isClosed) return;
      await this.#take(frame);
    }
  }

  async #take(frame: Frame): Promise<void> {
    if (frame.type === 'goAway') return;
    if (frame.type === 'ping') return this.messages.write(pingFrame(frame.id));
    if (frame.type === 'open') return this.#open(frame.stream, await this.#headers.read(frame.block), frame.last);
    const stream = this.#streams.get(frame.stream);
    if (frame.type === 'reset') return stream?.stop();
    if (frame.type === 'headers') await this.#headers.read(frame.block);
    else if (frame.data.length > 0) await stream?.input.write(frame.data);
    if (frame.last) stream?.input.end();
  }

  async #open(id: number, headers: StreamHeaders, last: boolean): Promise<void> {
    if (this.#isClosed) return;
    if (this.#streams.has(id) || this.#streams.size >= MAX_STREAMS) return this.#reset(id, resetReasons.refused);
    const stream = new SpdyStream(id, this.#room, this.messages, () => this.#streams.delete(id));
    this.#streams.set(id, stream);
    if (last) stream.input.end();
    const replied = this.messages.write(replyFrame(id, emptyBlock(this.#replies === 0)));
    this.#replies += 1;
    const isKnown = this.#opened(stream, headers);
    await replied;
    if (isKnown) return;
    stream.stop();
    await this.#reset(id, resetReasons.protocolError);
  }

  #reset(id: number, reason: number): Promise<void> {
    return this.messages.write(resetFrame(id, reason));
  }
}
