import { ProtobufError, ProtobufReader } from '../../../foundation/index.js';

/** Reads one message; its byte fields are Buffers. */
export type MessageReader = ProtobufReader<Buffer>;

/** Decodes a message with a function that reads its fields. @throws Error when the message is malformed */
export function decodeMessage<T>(bytes: Buffer, read: (reader: MessageReader) => T): T {
  try {
    return read(new ProtobufReader(bytes));
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new Error(`malformed protocol buffers message: ${error.message}`, { cause: error });
  }
}
