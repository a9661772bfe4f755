import type { ServerResponse } from 'node:http';
import { chunksLength, isStream, type ApiResponse, type TextParts } from '../../../server/index.js';
import { cancelStream } from '../../cancel-source.js';
import { toFieldValue } from '../../field-value.js';
import { isGone } from '../gone.js';
import type { NodeResponse } from '../peer.js';
import { reset, writeStream } from './response-stream.js';
import { textPartsLength, writeByteChunks, writeBytes, writeTextParts } from './response-text.js';
import type { WritePace } from './write-pace.js';

/** Connection-specific fields, which HTTP/2 forbids (RFC 9113 section 8.2.2). */
const CONNECTION_FIELDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

/**
 * Writes a response. When the client has disconnected, cancels a stream body and writes nothing.
 *
 * @returns undefined when the whole response was passed to the socket synchronously; otherwise a promise that resolves
 *   with the last byte and never rejects
 * @throws Error of Node for an invalid status or header name
 */
export function writeApiResponse(response: NodeResponse, answer: ApiResponse): Promise<void> | undefined {
  return writePaced(response, answer, undefined);
}

/**
 * Does the same as {@link writeApiResponse}, and says when the client blocks the response.
 *
 * @param pace notified when the client blocks the response; undefined for nobody
 */
export function writePaced(
  response: NodeResponse,
  answer: ApiResponse,
  pace: WritePace | undefined,
): Promise<void> | undefined {
  const { body, status } = answer;
  if (response.headersSent || isGone(response) || response.writableEnded)
    return isStream(body) ? cancelStream(body) : undefined;
  if (answer.lost === true) {
    reset(response);
    return undefined;
  }
  const bodiless = response.req.method === 'HEAD' || status === 204 || status === 304;
  const length = lengthOf(body, status);
  const asciiHead = writeHead(response, answer, length);
  if (bodiless || body === undefined) {
    response.end();
    return isStream(body) ? cancelStream(body) : undefined;
  }
  // Node writes head and text as one UTF-8 string, which would encode the bytes of a field value twice.
  if (typeof body === 'string') return writeString(response, body, length, asciiHead, pace);
  if (body instanceof Uint8Array) return writeBytes(response, body, pace);
  if ('chunks' in body) return writeByteChunks(response, body, pace);
  return 'parts' in body ? writeTextParts(response, body, pace) : writeStream(response, body, pace);
}

/** Maximum length of a text that Node encodes, in UTF-16 units. */
const SHORT_TEXT = 64 * 1024;

function writeString(
  response: NodeResponse,
  body: string,
  length: number | undefined,
  asciiHead: boolean,
  pace: WritePace | undefined,
): Promise<void> | undefined {
  if (!asciiHead || body.length > SHORT_TEXT) return writeBytes(response, Buffer.from(body), pace);
  if ('stream' in response) response.end(body);
  else endWithText(response, body, length === body.length);
  return undefined;
}

/**
 * Ends a response with a text. `end` alone passes two pieces to the system, of which the second is empty; one piece, head
 * and text in one string, takes a tenth less of a small response.
 *
 * @param ascii whether all characters of the text are ASCII, which need not be encoded
 */
function endWithText(response: ServerResponse, text: string, ascii: boolean): void {
  const { socket } = response;
  // A pipelined response has no socket before its turn.
  if (socket === null) {
    response.end(text);
    return;
  }
  // Otherwise Node would write at the end of the turn, and the end of the response as a piece of its own.
  socket.cork();
  response.write(text, ascii ? 'latin1' : 'utf8');
  socket.uncork();
  response.end();
}

/**
 * Returns the length of a body in bytes; undefined for a stream of unknown length, and for statuses without a body (RFC 9110 section
 * 8.6).
 */
function lengthOf(body: ApiResponse['body'], status: number): number | undefined {
  if (status === 204 || status === 304 || status < 200) return undefined;
  if (body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.length;
  if ('chunks' in body) return chunksLength(body);
  return 'parts' in body ? textPartsLength(body satisfies TextParts) : body.length;
}

type HeadFields = (string | string[])[];

/** Writes status and header fields; returns false when a field has bytes beyond ASCII. */
function writeHead(response: NodeResponse, answer: ApiResponse, length: number | undefined): boolean {
  const fields: HeadFields = [];
  let ascii = true;
  const { headers } = answer;
  const http2 = 'stream' in response;
  let measured = false;
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    if (name === 'content-length') {
      // Only a HEAD response without a body keeps its declared length; otherwise the length is computed.
      if (answer.body !== undefined || response.req.method !== 'HEAD') continue;
      measured = true;
    } else if (http2 ? CONNECTION_FIELDS.has(name) : name === 'transfer-encoding') continue;
    const sent = typeof value === 'string' ? toFieldValue(value) : value.map(toFieldValue);
    if (typeof sent === 'string' ? sent !== value : sent.some((one, at) => one !== value[at])) ascii = false;
    fields.push(name, sent);
  }
  if (length !== undefined && !measured && !(length === 0 && response.req.method === 'HEAD'))
    fields.push('content-length', String(length));
  sendHead(response, answer.status, fields);
  return ascii;
}

function sendHead(response: NodeResponse, status: number, fields: HeadFields): void {
  if ('stream' in response) {
    // The types of the oldest supported Node lack the flat form for HTTP/2.
    for (let at = 0; at < fields.length; at += 2)
      response.setHeader(fields[at] as string, fields[at + 1] as string | string[]);
    response.writeHead(status);
  } else {
    response.writeHead(status, fields as string[]);
  }
}
