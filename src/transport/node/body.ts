import type { IncomingMessage } from 'node:http';
import { constants } from 'node:http2';
import { toError } from '../../meta/error-message.js';
import { BodyTooLargeError } from '../../server/http.js';
import { isGone } from './gone.js';
import type { NodeRequest, NodeResponse } from './peer.js';

/**
 * How much of a body that is too long is read on and thrown away while the answer goes out. A client that sends a little
 * too much gets to read its 413 and keeps its connection; one that goes on is cut off.
 */
const DISCARD_BYTES = 8 * 1024 * 1024;

/** The answer to a request, as far as its body cares about it. */
export interface BodyContext {
  /** The response of either HTTP version; undefined for an upgrade. */
  readonly response: NodeResponse | undefined;
  /** Called just before the first byte is read: the place to send `100 Continue`. */
  readonly beforeRead?: () => void;
}

/** Fields that body parsers of frameworks leave on a request. */
interface ParsedRequest {
  readonly body?: unknown;
  /** The bytes themselves, as function platforms keep them beside `body`. */
  readonly rawBody?: unknown;
}

/**
 * Reads a request's body, or takes what a framework has read already.
 *
 * @param limit in bytes
 * @param onChunk called with the length of each chunk before it is kept; what it throws ends the reading
 * @throws BodyTooLargeError when there is more; before reading when Content-Length says so
 * @throws Error `unexpected EOF` when the client goes away before the end
 */
export function readBody(
  request: NodeRequest,
  context: BodyContext,
  limit: number,
  onChunk?: (bytes: number) => void,
): Promise<Uint8Array> {
  const declared = declaredLength(request);
  if (declared === 0) return Promise.resolve(EMPTY);
  const parsed = parsedBody(request);
  if (parsed !== undefined) {
    return parsed.length > limit ? Promise.reject(new BodyTooLargeError(limit)) : Promise.resolve(parsed);
  }
  if (request.readableEnded) return Promise.resolve(EMPTY);
  if (declared !== undefined && declared > limit) {
    discard(request, context.response);
    return Promise.reject(new BodyTooLargeError(limit));
  }
  context.beforeRead?.();
  return collect(request, context.response, limit, onChunk);
}

const EMPTY = new Uint8Array(0);

/** The length the client announced, 0 when the message has no body at all, undefined when it is open. */
function declaredLength(request: NodeRequest): number | undefined {
  const length = request.headers['content-length'];
  if (length !== undefined) return Number(length);
  if ('stream' in request) return request.stream.endAfterHeaders ? 0 : undefined;
  return request.headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/**
 * The body as bytes when a framework has read the stream before us. Objects are written as JSON again: what their text
 * had beyond its value (repeated keys, digits past a double) is lost, which is why a parser should not come first.
 */
function parsedBody(request: NodeRequest & ParsedRequest): Uint8Array | undefined {
  // Some parsers set an empty object on every request; only a stream that was read has really been parsed.
  if (!request.readableDidRead) return undefined;
  if (request.rawBody instanceof Uint8Array) return request.rawBody;
  const body = request.body;
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), 'utf8');
}

function collect(
  request: NodeRequest,
  response: NodeResponse | undefined,
  limit: number,
  onChunk: ((bytes: number) => void) | undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) return reject(new Error('unexpected EOF'));
    const chunks: Uint8Array[] = [];
    let length = 0;
    const onData = (chunk: Uint8Array): void => {
      length += chunk.length;
      if (length > limit) return refuse(new BodyTooLargeError(limit));
      try {
        onChunk?.(chunk.length);
      } catch (error) {
        return refuse(toError(error));
      }
      chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, length));
    };
    const onGone = (): void => {
      stop();
      reject(new Error('unexpected EOF'));
    };
    const refuse = (reason: Error): void => {
      stop();
      discard(request, response);
      reject(reason);
    };
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('aborted', onGone);
    };
    // Without a listener for `error` a reset connection would end the process.
    request.on('error', onGone).on('data', onData).on('end', onEnd).on('close', onGone).on('aborted', onGone);
  });
}

/** Reads on to nowhere for a while; past {@link DISCARD_BYTES} cuts the client off, after the answer is out. */
function discard(request: NodeRequest, response: NodeResponse | undefined): void {
  let discarded = 0;
  const onData = (chunk: Uint8Array): void => {
    discarded += chunk.length;
    if (discarded <= DISCARD_BYTES) return;
    request.off('data', onData).pause();
    whenOut(response, () => cutOff(request));
  };
  request.on('error', ignore).on('data', onData);
}

/** Calls back when the answer has been handed to the socket, or the socket is gone. */
function whenOut(response: NodeResponse | undefined, callback: () => void): void {
  if (response === undefined || response.writableEnded || isGone(response)) callback();
  else response.once('finish', callback).once('close', callback);
}

function cutOff(request: NodeRequest): void {
  if ('stream' in request) request.stream.close(constants.NGHTTP2_NO_ERROR);
  else (request satisfies IncomingMessage).destroy();
}

function ignore(): void {
  // The client is gone; there is nobody to tell.
}
