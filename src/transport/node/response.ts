import type { ServerResponse } from 'node:http';
import type { ApiResponse, StreamBody, TextParts } from '../../server/http.js';
import { toFieldValue } from '../field-value.js';
import { isGone } from './gone.js';
import { writeStream } from './response-stream.js';
import { textPartsLength, writeBytes, writeTextParts } from './response-text.js';
import type { NodeResponse } from './peer.js';
import type { WritePace } from './write-pace.js';

/** Fields that belong to the connection and not to the answer; HTTP/2 forbids them (RFC 9113 section 8.2.2). */
const CONNECTION_FIELDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

/**
 * Writes an answer. When the client is gone, a stream body is released and nothing is written.
 *
 * @param pace told when the client makes the answer wait
 * @returns undefined when everything was handed over at once, else a promise of the moment the last byte is, which
 *   never rejects
 * @throws Error of Node when a status or a header name cannot be sent
 */
export function writeApiResponse(
  response: NodeResponse,
  answer: ApiResponse,
  pace?: WritePace,
): Promise<void> | undefined {
  const { body, status } = answer;
  if (response.headersSent || isGone(response) || response.writableEnded)
    return isStream(body) ? release(body) : undefined;
  const bodiless = response.req.method === 'HEAD' || status === 204 || status === 304;
  const asciiHead = writeHead(response, answer, lengthOf(body, status));
  if (bodiless || body === undefined) {
    response.end();
    return isStream(body) ? release(body) : undefined;
  }
  // Node writes a text and its head as one string of UTF-8, which would encode the bytes of a field value once more.
  if (typeof body === 'string') return writeString(response, body, asciiHead, pace);
  if (body instanceof Uint8Array) return writeBytes(response, body, pace);
  return 'parts' in body ? writeTextParts(response, body, pace) : writeStream(response, body, pace);
}

/** Longest text that is left to Node to encode, in UTF-16 units. */
const SHORT_TEXT = 64 * 1024;

function writeString(
  response: NodeResponse,
  body: string,
  asciiHead: boolean,
  pace: WritePace | undefined,
): Promise<void> | undefined {
  if (!asciiHead || body.length > SHORT_TEXT) return writeBytes(response, Buffer.from(body), pace);
  // The overloads of the two versions' `end` differ in what they return, so that a call on their union does not type.
  (response as ServerResponse).end(body);
  return undefined;
}

/** Lets go of a stream that nobody will read. */
async function release(body: StreamBody): Promise<void> {
  try {
    await body.stream[Symbol.asyncIterator]().return?.();
  } catch {
    // A source that fails while it is let go has nobody left to tell.
  }
}

function isStream(body: ApiResponse['body']): body is StreamBody {
  return typeof body === 'object' && 'stream' in body;
}

/** Bytes of a body that is known whole; undefined for a stream, and for statuses that have none (RFC 9110 section 8.6). */
function lengthOf(body: ApiResponse['body'], status: number): number | undefined {
  if (status === 204 || status === 304 || status < 200) return undefined;
  if (body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.length;
  return 'parts' in body ? textPartsLength(body satisfies TextParts) : undefined;
}

type HeadFields = (string | string[])[];

/** Writes status and fields; false when a field has bytes beyond ASCII. */
function writeHead(response: NodeResponse, answer: ApiResponse, length: number | undefined): boolean {
  const fields: HeadFields = [];
  let ascii = true;
  const { headers } = answer;
  const http2 = 'stream' in response;
  let measured = false;
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    if (name === 'content-length') {
      // A HEAD without a body says the length of the body it leaves out; any other length is ours to say.
      if (answer.body !== undefined || response.req.method !== 'HEAD') continue;
      measured = true;
    } else if (CONNECTION_FIELDS.has(name) && (http2 || name === 'transfer-encoding')) continue;
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
    // The flat form of HTTP/2 is newer than the oldest supported Node's types.
    for (let at = 0; at < fields.length; at += 2)
      response.setHeader(fields[at] as string, fields[at + 1] as string | string[]);
    response.writeHead(status);
  } else {
    response.writeHead(status, fields as string[]);
  }
}
