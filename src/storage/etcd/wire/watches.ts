/**
 * The messages of etcd's watch service, as far as they are used.
 *
 * @module
 */
import { readHeader, readKeyValue, type KeyValue, type ResponseHeader } from './key-values.js';
import { decodeMessage, type MessageReader } from './message-reader.js';
import { MessageWriter } from './message-writer.js';

/** Asks for what happens to a range of keys. */
export interface WatchCreateRequest {
  readonly key: Buffer;
  readonly rangeEnd?: Buffer;
  /** The first revision that is wanted. */
  readonly startRevision: number;
}

/** A write that happened. */
export interface WatchedWrite {
  readonly type: 'put' | 'delete';
  /** Of a delete only the key and the revision are set. */
  readonly keyValue: KeyValue;
  /** The version before; undefined for a key that is new, and where it is compacted. */
  readonly previous: KeyValue | undefined;
}

/** A message of a watch. */
export interface WatchResponse {
  readonly header: ResponseHeader;
  /** -1 for an answer to a request for progress. */
  readonly watchId: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Not 0 when the watch is canceled because what it wants is compacted: the oldest revision that is kept. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** Another part of the same message follows. */
  readonly fragment: boolean;
  readonly writes: readonly WatchedWrite[];
}

/** The watch that an answer to a request for progress is about: all of the stream. */
export const EVERY_WATCH = -1;
const DELETE = 1;

/** Encodes the request for a watch that tells the versions before, sends large messages in parts, and tells progress by itself. */
export function encodeWatchCreate({ key, rangeEnd, startRevision }: WatchCreateRequest): Uint8Array {
  const writeCreate = (create: MessageWriter): void => {
    create.flag(8, true).flag(6, true).flag(4, true).integer(3, startRevision);
    if (rangeEnd !== undefined) create.bytes(2, rangeEnd);
    create.bytes(1, key);
  };
  return new MessageWriter().message(1, writeCreate).finish();
}

/** Encodes the request for progress of every watch of a stream. */
export function encodeWatchProgress(): Uint8Array {
  return new MessageWriter().message(3, () => undefined).finish();
}

/** Decodes a message of a watch. */
export function decodeWatch(bytes: Buffer): WatchResponse {
  return decodeMessage(bytes, readWatch);
}

function readWatch(reader: MessageReader): WatchResponse {
  let header: ResponseHeader = { clusterId: 0n, revision: 0 };
  let watchId = 0;
  let [created, canceled, fragment] = [false, false, false];
  let compactRevision = 0;
  let cancelReason = '';
  const writes: WatchedWrite[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = readHeader(reader.message());
    else if (field === 2) watchId = reader.int64();
    else if (field === 3) created = reader.bool();
    else if (field === 4) canceled = reader.bool();
    else if (field === 5) compactRevision = reader.uint64();
    else if (field === 6) cancelReason = reader.string();
    else if (field === 7) fragment = reader.bool();
    else if (field === 11) writes.push(readWrite(reader.message()));
    else reader.skip();
  }
  return { header, watchId, created, canceled, compactRevision, cancelReason, fragment, writes };
}

function readWrite(reader: MessageReader): WatchedWrite {
  let type: WatchedWrite['type'] = 'put';
  let keyValue: KeyValue | undefined;
  let previous: KeyValue | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) type = reader.uint64() === DELETE ? 'delete' : 'put';
    else if (field === 2) keyValue = readKeyValue(reader.message());
    else if (field === 3) previous = readKeyValue(reader.message());
    else reader.skip();
  }
  if (keyValue === undefined) throw new Error('a watch event without a key');
  return { type, keyValue, previous };
}
