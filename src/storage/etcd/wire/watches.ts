/**
 * The messages of etcd's watch service that the engine uses.
 *
 * @module
 */
import { readHeader, readKeyValue, type KeyValue, type ResponseHeader } from './key-values.js';
import { decodeMessage, type MessageReader } from './message-reader.js';
import { MessageWriter } from './message-writer.js';

/** Requests the events of a range of keys. */
export interface WatchCreateRequest {
  readonly key: Buffer;
  readonly rangeEnd?: Buffer | undefined;
  /** First revision to deliver. */
  readonly startRevision: number;
}

/** A write. */
export interface WatchedWrite {
  readonly type: 'put' | 'delete';
  /** For a delete, only the key and the revision are set. */
  readonly keyValue: KeyValue;
  /** The previous version; undefined for a new key, and when it is compacted. */
  readonly previous: KeyValue | undefined;
}

/** A message of a watch. */
export interface WatchResponse {
  readonly header: ResponseHeader;
  /** -1 for the response to a progress request. */
  readonly watchId: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Oldest kept revision when the watch is canceled because its start is compacted; otherwise 0. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** Whether another fragment of the message follows. */
  readonly fragment: boolean;
  readonly writes: readonly WatchedWrite[];
}

/** The watch id of a progress response: all watches of the stream. */
export const EVERY_WATCH = -1;
const DELETE = 1;

/** Encodes a request for a watch with previous versions, fragmented messages, and progress notifications. */
export function encodeWatchCreate({ key, rangeEnd, startRevision }: WatchCreateRequest): Uint8Array {
  const writeCreate = (create: MessageWriter): void => {
    create.flag(8, true).flag(6, true).flag(4, true).integer(3, startRevision);
    if (rangeEnd !== undefined) create.bytes(2, rangeEnd);
    create.bytes(1, key);
  };
  return new MessageWriter().message(1, writeCreate).finish();
}

/** Encodes a progress request for all watches of a stream. */
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
