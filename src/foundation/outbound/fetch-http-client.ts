import { concatBytes } from '../encoding/bytes.js';
import { checkRequest, noAnswer, answerTooLong, type CheckedRequest } from './checked-request.js';
import type { HttpClient, OutboundRequest, OutboundResponse, OutboundTls } from './http-client.js';

/** Sends a request like the platform's `fetch`. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Creates a client over `fetch`, for every platform that has it. It uses the platform's trust store and refuses
 * requests with their own TLS options.
 *
 * @param send default: the global `fetch`, read for each request
 */
export function fetchHttpClient(send: FetchFunction = (url, init) => fetch(url, init)): HttpClient {
  return async (request) => {
    const checked = checkRequest(request);
    const unsupported = tlsOptionOf(request.tls);
    if (unsupported !== undefined) {
      throw new Error(
        `${checked.name}: this client cannot set the TLS option "${unsupported}", which fetch does not have; pass nodeHttpClient() of the package's "node" entry`,
      );
    }
    const init: RequestInit = { method: checked.method, redirect: 'manual' };
    if (request.headers !== undefined)
      init.headers = Object.entries(request.headers).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, value]),
      );
    if (request.body !== undefined) init.body = request.body;
    if (request.signal !== undefined) init.signal = request.signal;
    return exchange(checked, request, () => send(checked.url.href, init));
  };
}

async function exchange(
  checked: CheckedRequest,
  request: OutboundRequest,
  send: () => Promise<Response>,
): Promise<OutboundResponse> {
  const response = await send().catch((error: unknown) => {
    throw noAnswer(checked, error);
  });
  // A browser hides the contents of a redirect.
  if (response.type === 'opaqueredirect')
    throw new Error(`${checked.name}: the answer is a redirect, which is not followed`);
  const body = await readBody(checked, response, request);
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, body };
}

async function readBody(
  checked: CheckedRequest,
  response: Response,
  { maxBytes, onChunk }: OutboundRequest,
): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw noAnswer(checked, error);
    });
    if (done) return concatBytes(chunks);
    length += value.length;
    try {
      if (length > maxBytes) throw answerTooLong(checked, maxBytes);
      onChunk?.(value.length);
    } catch (error) {
      // An error at the end of the stream no longer matters.
      void reader.cancel().catch(() => undefined);
      throw error;
    }
    chunks.push(value);
  }
}

/** Returns the name of the first TLS option that is set. */
function tlsOptionOf(tls: OutboundTls = {}): string | undefined {
  return Object.entries(tls).find(
    ([, value]: [string, unknown]) => value !== undefined && value !== '' && value !== false,
  )?.[0];
}
