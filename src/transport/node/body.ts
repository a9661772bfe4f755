import type { IncomingMessage } from 'node:http';
import { constants } from 'node:http2';
import {
  afterFrames,
  BodyPieces,
  encodeUtf8,
  heavyLane,
  inSharedTurn,
  nextTurn,
  shareTurn,
  toError,
} from '../../foundation/index.js';
import { BodyTooLargeError } from '../../server/index.js';
import { isGone } from './gone.js';
import type { NodeRequest, NodeResponse } from './peer.js';
import type { ReadTurns } from './read-turns.js';

/**
 * Maximum number of bytes to read and discard after a body was refused. A client that sends slightly too much can read
 * its 413 and keep the connection; beyond this limit it is disconnected.
 */
const DISCARD_BYTES = 8 * 1024 * 1024;

/** Context of reading a body. */
export interface BodyContext {
  /** The response of either HTTP version; undefined for an upgrade. */
  readonly response: NodeResponse | undefined;
  /** Called before the first byte is read, to send `100 Continue`. */
  readonly beforeRead?: (() => void) | undefined;
  /** Counts what is read in a turn. */
  readonly reads?: Pick<ReadTurns, 'pieces' | 'joined'> | undefined;
}

/** Number of short pieces of one body that are taken in a turn: the system hands over up to two megabytes at a time. */
const SHORT_PIECES = 4096;

/** Length from which a body takes time to be joined, in bytes: a megabyte takes a millisecond and more. */
const LONG_BODY = 256 * 1024;

/** Number of short pieces that are counted together. */
const COUNTED_PIECES = 256;

/** Fields that the body parsers of frameworks set on a request. */
interface ParsedRequest {
  readonly body?: unknown;
  /** The raw bytes, which function platforms provide in addition to `body`. */
  readonly rawBody?: unknown;
}

/**
 * Reads a request's body, or returns the body that a framework has already read.
 *
 * @param limit maximum size in bytes
 * @param onChunk called with the length of each chunk before it is buffered; an error that it throws ends the read
 * @throws BodyTooLargeError when the body is longer; before reading it if Content-Length exceeds the limit
 * @throws Error `unexpected EOF` when the client disconnects before the end
 */
export function readBody(
  request: NodeRequest,
  context: BodyContext,
  limit: number,
  onChunk?: (bytes: number) => void,
): Promise<Uint8Array> {
  const arrived = arrivedBody(request, limit);
  if (arrived !== undefined) return counted(arrived, onChunk);
  const parsed = parsedBody(request);
  if (parsed !== undefined) {
    return parsed.length > limit ? Promise.reject(new BodyTooLargeError(limit)) : Promise.resolve(parsed);
  }
  if (request.readableEnded) return Promise.resolve(EMPTY);
  if ((declaredLength(request) ?? 0) > limit) {
    discard(request, context.response);
    return Promise.reject(new BodyTooLargeError(limit));
  }
  context.beforeRead?.();
  return collect(request, context, limit, onChunk);
}

/**
 * Takes the body of a request that has arrived completely, as most do together with their head: listeners for one chunk
 * and its end, and a promise for it, would cost more than the chunk.
 *
 * @returns undefined when {@link readBody} has to read the body, or to refuse it
 */
export function arrivedBody(request: NodeRequest, limit: number): Uint8Array | undefined {
  const declared = declaredLength(request);
  if (declared === 0) return EMPTY;
  if (declared === undefined || declared > limit || request.readableDidRead || !hasArrived(request, declared))
    return undefined;
  return request.read() as Uint8Array;
}

const EMPTY = new Uint8Array(0);

/** Returns the declared length of the body; 0 without a body, undefined when it is unknown. */
function declaredLength(request: NodeRequest): number | undefined {
  const length = request.headers['content-length'];
  if (length !== undefined) return Number(length);
  if ('stream' in request) return request.stream.endAfterHeaders ? 0 : undefined;
  return request.headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/**
 * Returns the body as bytes if a framework has read the stream. Parsed objects are encoded as JSON again; duplicate
 * keys and excess digits are lost, so body parsers should not run before the server.
 */
function parsedBody(request: NodeRequest & ParsedRequest): Uint8Array | undefined {
  // Some parsers set an empty object on every request; only a stream that was read has been parsed.
  if (!request.readableDidRead) return undefined;
  if (request.rawBody instanceof Uint8Array) return request.rawBody;
  const body = request.body;
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return body;
  return encodeUtf8(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Whether the body of an HTTP/1.1 request has arrived completely, as most do together with their head. */
function hasArrived(request: NodeRequest, declared: number): boolean {
  return !('stream' in request) && request.complete && request.readableLength === declared;
}

async function counted(body: Uint8Array, onChunk: ((bytes: number) => void) | undefined): Promise<Uint8Array> {
  if (body.length > 0) onChunk?.(body.length);
  return body;
}

function collect(
  request: NodeRequest,
  { response, reads }: BodyContext,
  limit: number,
  onChunk: ((bytes: number) => void) | undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) return reject(new Error('unexpected EOF'));
    const pieces = new BodyPieces();
    let pausesAt = SHORT_PIECES;
    let countsAt = COUNTED_PIECES;
    const onData = (chunk: Uint8Array): void => {
      if (pieces.length + chunk.length > limit) return refuse(new BodyTooLargeError(limit));
      try {
        onChunk?.(chunk.length);
      } catch (error) {
        return refuse(toError(error));
      }
      pieces.push(chunk);
      if (pieces.shortPieces < countsAt) return;
      countsAt += COUNTED_PIECES;
      reads?.pieces(COUNTED_PIECES, 'stream' in request ? undefined : request.socket);
      if (pieces.shortPieces < pausesAt) return;
      pausesAt = pieces.shortPieces + SHORT_PIECES;
      request.pause();
      void nextTurn().then(() => request.resume());
    };
    const onEnd = (): void => {
      stop();
      resolve(pieces.length < LONG_BODY ? pieces.joined() : joined());
    };
    // Many bodies that arrive side by side end in one turn: connections over HTTP/1.1 are held, but those of this turn
    // have arrived, and the streams of a connection over HTTP/2 cannot be held.
    const joined = (): Uint8Array | Promise<Uint8Array> => {
      if (!('stream' in request)) reads?.joined(pieces.length);
      const turn = shareTurn();
      if (turn !== undefined) return turn.then(() => pieces.joined());
      // The turn of the decoder begins here.
      heavyLane.isTurnUsedUp(performance.now());
      return pieces.joined();
    };
    const onGone = (): void => {
      stop();
      // Thousands of clients may leave in one turn, and each request ends with a response, a line of the log and more.
      inSharedTurn(() => reject(new Error('unexpected EOF')));
    };
    const refuse = (reason: Error): void => {
      stop();
      discard(request, response);
      reject(reason);
    };
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('aborted', onGone);
    };
    // Without an `error` listener, a reset connection would end the process.
    request.on('error', onGone).on('data', onData).on('end', onEnd).on('close', onGone).on('aborted', onGone);
  });
}

/** Reads and discards the rest of a body; beyond {@link DISCARD_BYTES} disconnects the client after the response. */
function discard(request: NodeRequest, response: NodeResponse | undefined): void {
  let discarded = 0;
  const onData = (chunk: Uint8Array): void => {
    discarded += chunk.length;
    if (discarded <= DISCARD_BYTES) return;
    request.off('data', onData).pause();
    whenSent(response, () => disconnect(request));
  };
  request.on('error', ignore).on('data', onData);
}

/** Calls back when the response has been passed to the socket, or the socket has closed. */
function whenSent(response: NodeResponse | undefined, callback: () => void): void {
  if (response === undefined || response.writableEnded || isGone(response)) callback();
  else response.once('finish', callback).once('close', callback);
}

function disconnect(request: NodeRequest): void {
  if ('stream' in request) afterFrames(() => request.stream.close(constants.NGHTTP2_NO_ERROR));
  else (request satisfies IncomingMessage).destroy();
}

function ignore(): void {
  // The client has disconnected.
}
