import { concatBytes, encodeUtf8, writeUtf8 } from '../../foundation/index.js';
import {
  ConnectionLostError,
  isStream,
  joinedText,
  textLength,
  type ApiResponse,
  type ByteChunks,
  type StreamBody,
  type TextParts,
} from '../../server/index.js';
import { cancelSource, cancelStream } from '../cancel-source.js';
import { toFieldValue } from '../field-value.js';

/** The request of a response, which is told what becomes of it. */
export interface ResponseReader {
  readonly method: string;
  /** The response belongs to its owner, or its stream has ended. */
  answered(): void;
  /** The reader has cancelled the stream. Aborts the request. */
  abandon(): void;
  /** The stream begins. @param close ends it with a failure */
  reads(close: () => void): void;
}

/**
 * Converts a response of the server to a `Response`.
 *
 * @throws TypeError for a response whose connection is lost
 */
export function toResponse(answer: ApiResponse, reader: ResponseReader): Response {
  const { body, status } = answer;
  if (isStream(body) && !isBodiless(answer, reader)) {
    const headers = toHeaders(answer);
    if (body.length !== undefined) headers.set('content-length', String(body.length));
    return new Response(toReadable(body, reader), { status, headers });
  }
  try {
    return wholeResponse(answer, reader);
  } finally {
    reader.answered();
  }
}

const isBodiless = ({ status }: ApiResponse, { method }: ResponseReader): boolean =>
  method === 'HEAD' || status === 204 || status === 205 || status === 304;

function wholeResponse(answer: ApiResponse, reader: ResponseReader): Response {
  const { body, status } = answer;
  // As `fetch` reports a failure of the network.
  if (answer.lost === true) throw new TypeError('fetch failed', { cause: new ConnectionLostError() });
  const headers = toHeaders(answer);
  if (isStream(body)) {
    if (body.length !== undefined) headers.set('content-length', String(body.length));
    void cancelStream(body);
    return new Response(null, { status, headers });
  }
  const bytes = body === undefined ? undefined : toBytes(body);
  if (bytes !== undefined && status !== 204 && status !== 304) headers.set('content-length', String(bytes.length));
  if (isBodiless(answer, reader) || bytes === undefined) return new Response(null, { status, headers });
  return new Response(bytes, { status, headers });
}

function toHeaders(answer: ApiResponse): Headers {
  const headers = new Headers();
  for (const name in answer.headers) {
    const value = answer.headers[name] as string | readonly string[];
    if (name === 'transfer-encoding') continue;
    if (typeof value === 'string') headers.append(name, toFieldValue(value));
    else for (const one of value) headers.append(name, toFieldValue(one));
  }
  return headers;
}

function toBytes(body: string | Uint8Array | TextParts | ByteChunks): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return encodeUtf8(body);
  // The types distinguish shared memory, which is never used here.
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  return 'chunks' in body ? concatBytes(body.chunks) : joinParts(body);
}

function joinParts(text: TextParts): Uint8Array<ArrayBuffer> {
  if (!text.ascii) return encodeUtf8(joinedText(text));
  const bytes = new Uint8Array(textLength(text));
  let offset = 0;
  const put = (part: string): void => {
    if (part !== '') offset += writeUtf8(part, bytes.subarray(offset));
  };
  put(text.head);
  for (let at = 0; at < text.parts.length; at += 1) {
    if (at > 0) put(text.separator);
    put(text.parts[at] as string);
  }
  put(text.tail);
  return bytes;
}

/** Pulls a chunk only when the reader has consumed the previous one; reads nothing ahead. */
function toReadable(body: StreamBody, reader: ResponseReader): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = body.stream[Symbol.asyncIterator]();
  let isOver = false;
  let forget: (() => void) | undefined;
  const end = (): void => {
    isOver = true;
    forget?.();
    reader.answered();
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        const close = (): void => {
          if (isOver) return;
          controller.error(new ConnectionLostError());
          reader.abandon();
          void cancelSource(iterator);
          end();
        };
        reader.reads(close);
        // A body ends at the deadline of its request, even when nobody reads it.
        if (body.heldBytes !== undefined) forget = body.blocked?.(0, close);
      },
      async pull(controller) {
        let next: IteratorResult<Uint8Array>;
        try {
          next = await iterator.next();
        } catch (error) {
          end();
          throw error;
        }
        if (isOver) return;
        if (next.done === true) {
          end();
          controller.close();
        } else controller.enqueue(next.value as Uint8Array<ArrayBuffer>);
      },
      cancel() {
        // The signal comes first: a pending source does not notice return() before its next chunk.
        reader.abandon();
        void cancelSource(iterator);
        end();
      },
    },
    { highWaterMark: 0 },
  );
}
