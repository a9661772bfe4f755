/**
 * Several streams over one WebSocket: the first byte of each message is the number of its channel. The protocols of
 * Kubernetes differ in the form of the messages and in whether a client can close a channel.
 *
 * @module
 */
import {
  decodeBase64,
  encodeBase64,
  encodeUtf8,
  errors,
  MessageQueue,
  SharedRoom,
  type Dialect,
  type RoomMemory,
} from '../../foundation/index.js';
import { inputOf } from './unread-input.js';

/** A protocol of channels. */
export interface ChannelProtocol {
  /** Name of the subprotocol. */
  readonly name: string;
  /** Whether messages are texts: the digit of the channel, then base64. */
  readonly base64: boolean;
  /** Whether a message on {@link CLOSE_CHANNEL} closes the channel that it names. */
  readonly closes: boolean;
}

/** The channel whose messages close another channel. */
const CLOSE_CHANNEL = 255;
const ZERO = '0'.charCodeAt(0);

/** Returns the protocols of this server, the best first. */
function protocolsOf({ groupSuffix }: Dialect): readonly ChannelProtocol[] {
  return [
    { name: `v5.channel.${groupSuffix}`, base64: false, closes: true },
    { name: `v4.channel.${groupSuffix}`, base64: false, closes: false },
    { name: `v4.base64.channel.${groupSuffix}`, base64: true, closes: false },
  ];
}

/**
 * Selects the protocol of a connection: the first that the client offers and the server knows.
 *
 * @param offered the header field `Sec-WebSocket-Protocol`
 * @throws ApiError 400 when there is none
 */
export function selectProtocol(offered: string, dialect: Dialect): ChannelProtocol {
  const known = protocolsOf(dialect);
  for (const name of offered.split(',')) {
    const found = known.find((protocol) => protocol.name === name.trim());
    if (found !== undefined) return found;
  }
  throw errors.badRequest(
    `unable to upgrade: the client must offer one of the subprotocols ${known.map(({ name }) => name).join(', ')}`,
  );
}

const toBytes = (data: string | Uint8Array): Uint8Array => (typeof data === 'string' ? encodeUtf8(data) : data);

/** The channels of one connection. */
export class Channels {
  readonly #protocol: ChannelProtocol;
  readonly #inputs = new Map<number, MessageQueue<Uint8Array>>();
  readonly #room: SharedRoom;
  /** The messages to the client. */
  readonly messages = new MessageQueue<string | Uint8Array>();

  /** @param memory what nobody has read yet is reserved in it; default: nothing limits it */
  constructor(protocol: ChannelProtocol, memory?: RoomMemory) {
    this.#protocol = protocol;
    this.#room = new SharedRoom(Infinity, memory);
  }

  /** Opens a channel that the client writes to. Messages on other channels are ignored. */
  input(channel: number): MessageQueue<Uint8Array> {
    const queue = inputOf(this.#room);
    this.#inputs.set(channel, queue);
    return queue;
  }

  /** Sends data on a channel. Resolves when the client can take more. */
  write(channel: number, data: string | Uint8Array): Promise<void> {
    const bytes = toBytes(data);
    if (this.#protocol.base64) return this.messages.write(`${channel}${encodeBase64(bytes)}`);
    const message = new Uint8Array(bytes.length + 1);
    message[0] = channel;
    message.set(bytes, 1);
    return this.messages.write(message);
  }

  /** Takes a message of the client. Resolves when its reader has taken it. Closes all when there is no memory for it. */
  async receive(message: string | Uint8Array): Promise<void> {
    const { channel, data } = this.#decode(message);
    if (this.#protocol.closes && channel === CLOSE_CHANNEL) return this.#inputs.get(data[0] ?? 0)?.end();
    if (data.length === 0) return;
    try {
      await this.#inputs.get(channel)?.write(data);
    } catch {
      this.close();
    }
  }

  /** Ends what the client sends, after what is already there. */
  endInputs(): void {
    for (const queue of this.#inputs.values()) queue.end();
  }

  /** Drops what the client sends, since nobody reads it any more. */
  dropInputs(): void {
    for (const queue of this.#inputs.values()) void queue.return();
  }

  /** Ends all channels. Readers of channels and of messages end. */
  close(): void {
    this.endInputs();
    this.messages.end();
  }

  /** Returns the channel and the data of a message. An invalid message has no data. */
  #decode(message: string | Uint8Array): { readonly channel: number; readonly data: Uint8Array } {
    if (!this.#protocol.base64) {
      const bytes = toBytes(message);
      // A copy: data that waits for its reader must not keep all that was received with it in memory.
      return { channel: bytes[0] ?? 0, data: new Uint8Array(bytes.subarray(1)) };
    }
    const text = typeof message === 'string' ? message : new TextDecoder().decode(message);
    return { channel: text.charCodeAt(0) - ZERO, data: decodeBase64(text.slice(1)) ?? new Uint8Array() };
  }
}
