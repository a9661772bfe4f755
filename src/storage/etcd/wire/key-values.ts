/**
 * The messages of etcd's key-value service (API version 3) that the engine uses. Field numbers are those of its
 * `rpc.proto` and `kv.proto`.
 *
 * @module
 */
import { decodeMessage, type MessageReader } from './message-reader.js';
import { MessageWriter } from './message-writer.js';

/** The header of every response. */
export interface ResponseHeader {
  /** Identifies the cluster. */
  readonly clusterId: bigint;
  /** Revision of the store when the request was applied. */
  readonly revision: number;
}

/** A key with its value. */
export interface KeyValue {
  readonly key: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  /** Number of writes since the key was created, including this one. */
  readonly version: number;
  readonly value: Buffer;
}

/** Requests a key, or a range of keys up to `rangeEnd`, exclusive. */
export interface RangeRequest {
  readonly key: Buffer;
  readonly rangeEnd?: Buffer | undefined;
  readonly limit?: number | undefined;
  /** Revision to read; absent: the current one. */
  readonly revision?: number | undefined;
  readonly keysOnly?: boolean | undefined;
  readonly countOnly?: boolean | undefined;
}

/** The response to a range request. */
export interface RangeResponse {
  readonly header: ResponseHeader;
  readonly keyValues: readonly KeyValue[];
  /** Number of keys in the range, regardless of the limit. */
  readonly count: number;
}

/** A condition of a transaction on a key. */
export type Compare =
  | { readonly key: Buffer; readonly modRevision: number }
  /** Number of writes since the key was created; 0 means that it does not exist. */
  | { readonly key: Buffer; readonly version: number };

/** One operation of a transaction. */
export type Operation =
  | { readonly range: RangeRequest }
  | { readonly put: { readonly key: Buffer; readonly value: Uint8Array; readonly lease?: bigint | undefined } }
  | { readonly deleteRange: { readonly key: Buffer; readonly withPrevious: boolean } };

/** A transaction: runs `success` when all conditions hold, else `failure`. All its writes have one revision. */
export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

/** The result of an operation in a transaction. */
export type OperationResult = { readonly range: RangeResponse } | { readonly deleted: readonly KeyValue[] } | undefined;

/** The response to a transaction. */
export interface TxnResponse {
  readonly header: ResponseHeader;
  readonly succeeded: boolean;
  readonly results: readonly OperationResult[];
}

/** Returns the results of the ranges of a transaction. */
export function rangesOf({ results }: TxnResponse): readonly RangeResponse[] {
  return results.flatMap((result) => (result !== undefined && 'range' in result ? [result.range] : []));
}

/** Returns the first key that the ranges of a transaction found; undefined when they found none. */
export function firstInRanges(response: TxnResponse): KeyValue | undefined {
  return rangesOf(response).flatMap(({ keyValues }) => keyValues)[0];
}

const NO_HEADER: ResponseHeader = { clusterId: 0n, revision: 0 };
const EQUAL = 0;
const COMPARE_VERSION = 0;
const COMPARE_MOD = 2;

/** Encodes a request of `Range`. */
export function encodeRange(request: RangeRequest): Uint8Array {
  const writer = new MessageWriter();
  writeRange(writer, request);
  return writer.finish();
}

function writeRange(
  writer: MessageWriter,
  { key, rangeEnd, limit = 0, revision = 0, keysOnly = false, countOnly = false }: RangeRequest,
): void {
  writer.flag(9, countOnly).flag(8, keysOnly).integer(4, revision).integer(3, limit);
  if (rangeEnd !== undefined) writer.bytes(2, rangeEnd);
  writer.bytes(1, key);
}

/** Encodes a request of `Txn`. */
export function encodeTxn({ compare, success, failure }: TxnRequest): Uint8Array {
  const writer = new MessageWriter();
  for (const each of failure.toReversed()) writer.message(3, (inner) => writeOperation(inner, each));
  for (const each of success.toReversed()) writer.message(2, (inner) => writeOperation(inner, each));
  for (const each of compare.toReversed()) writer.message(1, (inner) => writeCompare(inner, each));
  return writer.finish();
}

function writeCompare(writer: MessageWriter, compare: Compare): void {
  // Zero is not written; the reader takes a missing field as zero.
  if ('version' in compare) writer.integer(4, compare.version).bytes(3, compare.key).integer(2, COMPARE_VERSION);
  else writer.integer(6, compare.modRevision).bytes(3, compare.key).integer(2, COMPARE_MOD);
  writer.integer(1, EQUAL);
}

function writeOperation(writer: MessageWriter, operation: Operation): void {
  if ('range' in operation) {
    writer.message(1, (inner) => writeRange(inner, operation.range));
  } else if ('put' in operation) {
    const { key, value, lease = 0n } = operation.put;
    writer.message(2, (inner) => inner.integer(3, lease).bytes(2, value).bytes(1, key));
  } else {
    const { key, withPrevious } = operation.deleteRange;
    writer.message(3, (inner) => inner.flag(3, withPrevious).bytes(1, key));
  }
}

/** Encodes a request of `Compact`. */
export function encodeCompaction(revision: number): Uint8Array {
  return new MessageWriter().integer(1, revision).finish();
}

/** Reads a header. */
export function readHeader(reader: MessageReader): ResponseHeader {
  let clusterId = 0n;
  let revision = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) clusterId = reader.bigUint64();
    else if (field === 3) revision = reader.uint64();
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
    else if (field === 2) createRevision = reader.uint64();
    else if (field === 3) modRevision = reader.uint64();
    else if (field === 4) version = reader.uint64();
    else if (field === 5) value = reader.bytes();
    else reader.skip();
  }
  return { key, createRevision, modRevision, version, value };
}

/** Decodes a response of `Range`. */
export function decodeRange(bytes: Buffer): RangeResponse {
  return decodeMessage(bytes, readRange);
}

function readRange(reader: MessageReader): RangeResponse {
  let header = NO_HEADER;
  const keyValues: KeyValue[] = [];
  let count = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = readHeader(reader.message());
    else if (field === 2) keyValues.push(readKeyValue(reader.message()));
    else if (field === 4) count = reader.uint64();
    else reader.skip();
  }
  return { header, keyValues, count };
}

/** Decodes a response of `Txn`. */
export function decodeTxn(bytes: Buffer): TxnResponse {
  return decodeMessage(bytes, readTxn);
}

function readTxn(reader: MessageReader): TxnResponse {
  let header = NO_HEADER;
  let succeeded = false;
  const results: OperationResult[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = readHeader(reader.message());
    else if (field === 2) succeeded = reader.bool();
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

/** Decodes only the header of a response. */
export function decodeHeader(bytes: Buffer): ResponseHeader {
  return decodeMessage(bytes, readOnlyHeader);
}

function readOnlyHeader(reader: MessageReader): ResponseHeader {
  let header = NO_HEADER;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = readHeader(reader.message());
    else reader.skip();
  }
  return header;
}
