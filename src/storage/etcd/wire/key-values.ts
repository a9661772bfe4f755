/**
 * The messages of etcd's key-value service (version 3 of its API), as far as they are used. Field numbers are those of its
 * `rpc.proto` and `kv.proto`.
 *
 * @module
 */
import { MessageReader } from './message-reader.js';
import { MessageWriter } from './message-writer.js';

/** What every answer begins with. */
export interface ResponseHeader {
  /** Tells one cluster from another. */
  readonly clusterId: bigint;
  /** The store's revision when the request was applied. */
  readonly revision: number;
}

/** A key with its value. */
export interface KeyValue {
  readonly key: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  /** Number of writes since the key was created, that one included. */
  readonly version: number;
  readonly value: Buffer;
}

/** Asks for a key, or for a range of keys up to `rangeEnd`, which is not part of it. */
export interface RangeRequest {
  readonly key: Buffer;
  readonly rangeEnd?: Buffer | undefined;
  readonly limit?: number | undefined;
  /** Absent: the present. */
  readonly revision?: number | undefined;
  readonly keysOnly?: boolean | undefined;
  readonly countOnly?: boolean | undefined;
}

/** What a range holds. */
export interface RangeResponse {
  readonly header: ResponseHeader;
  readonly keyValues: readonly KeyValue[];
  /** Keys of the range, whatever the limit. */
  readonly count: number;
}

/** What a key must be like for a transaction to go through. */
export type Compare =
  | { readonly key: Buffer; readonly modRevision: number }
  /** Number of writes since the key was created; 0 is a key that does not exist. */
  | { readonly key: Buffer; readonly version: number };

/** One operation of a transaction. */
export type Operation =
  | { readonly range: RangeRequest }
  | { readonly put: { readonly key: Buffer; readonly value: Uint8Array; readonly lease?: bigint | undefined } }
  | { readonly deleteRange: { readonly key: Buffer; readonly withPrevious: boolean } };

/** A transaction: `success` is carried out when all that is compared holds, `failure` when not. All of it has one revision. */
export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

/** What an operation of a transaction came to. */
export type OperationResult = { readonly range: RangeResponse } | { readonly deleted: readonly KeyValue[] } | undefined;

/** What came of a transaction. */
export interface TxnResponse {
  readonly header: ResponseHeader;
  readonly succeeded: boolean;
  readonly results: readonly OperationResult[];
}

const NO_HEADER: ResponseHeader = { clusterId: 0n, revision: 0 };
const EQUAL = 0;
const COMPARE_VERSION = 0;
const COMPARE_MOD = 2;

/** Encodes a request of `Range`. */
export function encodeRange(request: RangeRequest): Buffer {
  return rangeWriter(request).finish();
}

function rangeWriter({
  key,
  rangeEnd,
  limit = 0,
  revision = 0,
  keysOnly = false,
  countOnly = false,
}: RangeRequest): MessageWriter {
  const writer = new MessageWriter().bytes(1, key);
  if (rangeEnd !== undefined) writer.bytes(2, rangeEnd);
  return writer.integer(3, limit).integer(4, revision).flag(8, keysOnly).flag(9, countOnly);
}

/** Encodes a request of `Txn`. */
export function encodeTxn({ compare, success, failure }: TxnRequest): Buffer {
  const writer = new MessageWriter();
  for (const each of compare) writer.message(1, compareWriter(each));
  for (const each of success) writer.message(2, operationWriter(each));
  for (const each of failure) writer.message(3, operationWriter(each));
  return writer.finish();
}

function compareWriter(compare: Compare): MessageWriter {
  const writer = new MessageWriter().integer(1, EQUAL);
  // A zero is left out, and what is left out counts as zero.
  if ('version' in compare) return writer.integer(2, COMPARE_VERSION).bytes(3, compare.key).integer(4, compare.version);
  return writer.integer(2, COMPARE_MOD).bytes(3, compare.key).integer(6, compare.modRevision);
}

function operationWriter(operation: Operation): MessageWriter {
  if ('range' in operation) return new MessageWriter().message(1, rangeWriter(operation.range));
  if ('put' in operation) {
    const { key, value, lease = 0n } = operation.put;
    return new MessageWriter().message(2, new MessageWriter().bytes(1, key).bytes(2, value).integer(3, lease));
  }
  return new MessageWriter().message(
    3,
    new MessageWriter().bytes(1, operation.deleteRange.key).flag(3, operation.deleteRange.withPrevious),
  );
}

/** Encodes a request of `Compact`. */
export function encodeCompaction(revision: number): Buffer {
  return new MessageWriter().integer(1, revision).finish();
}

/** Reads a header. */
export function readHeader(reader: MessageReader): ResponseHeader {
  let clusterId = 0n;
  let revision = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) clusterId = reader.bigInteger();
    else if (field === 3) revision = reader.integer();
    else reader.skip();
  }
  return { clusterId, revision };
}

const EMPTY = Buffer.alloc(0);

/** Reads a key with its value. */
export function readKeyValue(reader: MessageReader): KeyValue {
  let key: Buffer = EMPTY;
  let value: Buffer = EMPTY;
  let createRevision = 0;
  let modRevision = 0;
  let version = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) key = reader.bytes();
    else if (field === 2) createRevision = reader.integer();
    else if (field === 3) modRevision = reader.integer();
    else if (field === 4) version = reader.integer();
    else if (field === 5) value = reader.bytes();
    else reader.skip();
  }
  return { key, createRevision, modRevision, version, value };
}

/** Decodes an answer of `Range`. */
export function decodeRange(bytes: Buffer): RangeResponse {
  return readRange(new MessageReader(bytes));
}

function readRange(reader: MessageReader): RangeResponse {
  let header = NO_HEADER;
  const keyValues: KeyValue[] = [];
  let count = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = readHeader(reader.message());
    else if (field === 2) keyValues.push(readKeyValue(reader.message()));
    else if (field === 4) count = reader.integer();
    else reader.skip();
  }
  return { header, keyValues, count };
}

/** Decodes an answer of `Txn`. */
export function decodeTxn(bytes: Buffer): TxnResponse {
  const reader = new MessageReader(bytes);
  let header = NO_HEADER;
  let succeeded = false;
  const results: OperationResult[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = readHeader(reader.message());
    else if (field === 2) succeeded = reader.flag();
    else if (field === 3) results.push(readOperationResult(reader.message()));
    else reader.skip();
  }
  return { header, succeeded, results };
}

function readOperationResult(reader: MessageReader): OperationResult {
  let result: OperationResult;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) result = { range: readRange(reader.message()) };
    else if (field === 3) result = { deleted: readDeleted(reader.message()) };
    else reader.skip();
  }
  return result;
}

function readDeleted(reader: MessageReader): KeyValue[] {
  const deleted: KeyValue[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) deleted.push(readKeyValue(reader.message()));
    else reader.skip();
  }
  return deleted;
}

/** The header of an answer of which nothing else is wanted. */
export function decodeHeader(bytes: Buffer): ResponseHeader {
  const reader = new MessageReader(bytes);
  let header = NO_HEADER;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = readHeader(reader.message());
    else reader.skip();
  }
  return header;
}
