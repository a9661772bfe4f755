import { MessageQueue, type SharedRoom } from '../../foundation/index.js';

/** Bytes of one input that nobody has read, from which on the connection is not read. */
const CAPACITY = 1024 * 1024;
/** Bytes that a message takes besides its content. */
const MESSAGE_BYTES = 128;

/** Returns the queue of what a client sends on one stream or channel. */
export const inputOf = (room: SharedRoom): MessageQueue<Uint8Array> =>
  new MessageQueue<Uint8Array>({ capacity: CAPACITY, sizeOf: ({ length }) => length + MESSAGE_BYTES, room });
