import { ProtobufReader, WireType, type Steps, type Work } from '../../../foundation/index.js';

/** Units of work of a field. */
export const UNITS_PER_FIELD = 4;

/** The highest number of a field of a small message. */
const LAST_FIELD = 3;

/** The values of a small message by their field numbers: of a field that comes several times, the last. */
export interface SmallMessage {
  readonly numbers: ReadonlyMap<number, number | bigint>;
  /** Texts and messages: views of the bytes. */
  readonly slices: ReadonlyMap<number, Uint8Array>;
}

/**
 * Reads the numbers and texts of a small fixed message, such as a time. It may come with any number of fields, known or
 * not.
 *
 * @throws ProtobufError when the message is malformed
 */
export function* readSmall(bytes: Uint8Array, work: Pick<Work, 'spend'>): Steps<SmallMessage> {
  const numbers = new Map<number, number | bigint>();
  const slices = new Map<number, Uint8Array>();
  const reader = new ProtobufReader(bytes);
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (work.spend(UNITS_PER_FIELD)) yield;
    if (number > LAST_FIELD) reader.skip();
    else if (reader.wireType === WireType.varint) numbers.set(number, reader.exactInt64());
    else if (reader.wireType === WireType.bytes) slices.set(number, reader.bytes());
    else reader.skip();
  }
  return { numbers, slices };
}
