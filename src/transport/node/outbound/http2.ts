import { constants, type ClientHttp2Stream, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import {
  noAnswer,
  onAbort,
  type CheckedRequest,
  type OutboundStream,
  type StreamedRequest,
} from '../../../foundation/index.js';
import { fieldsOf } from './fields.js';
import type { Session } from './http2-sessions.js';
import { INCOMPLETE, piecesOf } from './pieces.js';

/** The server has not processed a stream, which may be sent again on another connection. */
export class UnprocessedStream extends Error {
  /** The error of the request, if it is not repeated. */
  readonly reason: Error;

  constructor(reason: Error) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

/**
 * Sends a request in HTTP/2. Resolves with the head of the response.
 *
 * @throws UnprocessedStream when the request may be sent again; Error when there is no response
 */
export function sendHttp2(
  request: StreamedRequest,
  checked: CheckedRequest,
  session: Session,
): Promise<OutboundStream> {
  return new Promise((resolve, reject) => {
    const { signal, body, background = false } = request;
    if (signal?.aborted === true) return reject(noAnswer(checked, signal.reason));
    const stream = streamIn(session, checked, request);
    if (stream === undefined)
      return reject(new UnprocessedStream(noAnswer(checked, new Error('the connection was closed'))));
    const end = session.begin(background);
    let failure: Error | undefined;
    const abort = (): void => {
      reject(noAnswer(checked, signal?.reason));
      stream.close(NGHTTP2_CANCEL);
    };
    const stop = onAbort(signal, abort);
    const reasonOf = (): unknown => {
      if (signal?.aborted !== true) return failure ?? resetOf(stream, session);
      return signal.reason as unknown;
    };
    stream.on('error', (error: Error) => (failure = error));
    stream.on('response', (headers) =>
      resolve({
        status: Number(headers[':status']),
        header: (name) => headerOf(headers, name),
        fields: () => fieldsOf(headers),
        body: chunksOf(stream, checked, reasonOf),
        cancel: () => stream.close(NGHTTP2_CANCEL),
      }),
    );
    stream.on('close', () => {
      stop();
      end();
      // More specific reasons have been reported before.
      const error = noAnswer(checked, reasonOf() ?? new Error(INCOMPLETE));
      reject(stream.rstCode === NGHTTP2_REFUSED_STREAM ? new UnprocessedStream(error) : error);
    });
    if (body !== undefined) stream.end(body);
  });
}

/** Opens a stream; undefined when the connection has just been closed. */
function streamIn(
  { http2 }: Session,
  { url, method }: CheckedRequest,
  { headers = {}, body }: StreamedRequest,
): ClientHttp2Stream | undefined {
  const { host = url.host, ...fields } = headers;
  const sent: OutgoingHttpHeaders = {
    ':method': method,
    ':scheme': 'https',
    ':authority': String(host),
    ':path': `${url.pathname}${url.search}`,
  };
  for (const [name, value] of Object.entries(fields)) sent[name] = typeof value === 'string' ? value : [...value];
  try {
    return http2.request(sent, { endStream: body === undefined });
  } catch (error) {
    if (error instanceof Error && 'code' in error && CLOSED.has(String(error.code))) return undefined;
    throw error;
  }
}

const CLOSED: ReadonlySet<string> = new Set(['ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION']);

/** Returns why a stream ended early. The host resets those of a lost connection itself, which says nothing to a reader. */
function resetOf({ rstCode }: ClientHttp2Stream, { http2 }: Session): Error | undefined {
  if (rstCode === NGHTTP2_NO_ERROR) return undefined;
  return new Error(http2.destroyed ? INCOMPLETE : `the stream was reset with the code ${rstCode}`);
}

async function* chunksOf(
  stream: ClientHttp2Stream,
  checked: CheckedRequest,
  reasonOf: () => unknown,
): AsyncGenerator<Uint8Array, void, void> {
  let isComplete = false;
  try {
    for await (const piece of piecesOf(stream)) yield piece;
    isComplete = true;
  } catch (error) {
    throw noAnswer(checked, reasonOf() ?? error);
  } finally {
    if (!isComplete) stream.close(NGHTTP2_CANCEL);
  }
  // The iterator ends without an error if the error occurred between two reads.
  const reason = reasonOf();
  if (reason !== undefined) throw noAnswer(checked, reason);
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}
