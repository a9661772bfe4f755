import { checkRequest, noAnswer, type CheckedRequest } from './checked-request.js';
import {
  readWhole,
  type OutboundStream,
  type OutboundTls,
  type StreamedRequest,
  type StreamingHttpClient,
} from './http-client.js';

/** Sends a request like the platform's `fetch`. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Creates a client over `fetch`, for every platform that has it. It uses the platform's trust store and refuses
 * requests with their own TLS options.
 *
 * @param send default: the global `fetch`, read for each request
 */
export function fetchHttpClient(send: FetchFunction = (url, init) => fetch(url, init)): StreamingHttpClient {
  return Object.assign(
    async (request: Parameters<StreamingHttpClient>[0]) => {
      const checked = checkRequest(request);
      return readWhole(checked, await open(send, checked, request), request);
    },
    { stream: async (request: StreamedRequest) => open(send, checkRequest(request), request) },
  );
}

async function open(send: FetchFunction, checked: CheckedRequest, request: StreamedRequest): Promise<OutboundStream> {
  const unsupported = tlsOptionOf(request.tls);
  if (unsupported !== undefined) {
    throw new Error(`${checked.name}: this client cannot set the TLS option "${unsupported}"; pass nodeHttpClient()`);
  }
  const init: RequestInit = { method: checked.method, redirect: 'manual' };
  if (request.headers !== undefined)
    init.headers = Object.entries(request.headers).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
  if (request.body !== undefined) init.body = bodyOf(request.body);
  if (request.signal !== undefined) init.signal = request.signal;
  const response = await send(checked.url.href, init).catch((error: unknown) => {
    throw noAnswer(checked, error);
  });
  // A browser hides the contents of a redirect.
  if (response.type === 'opaqueredirect')
    throw new Error(`${checked.name}: the answer is a redirect, which is not followed`);
  const reader = response.body?.getReader();
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    fields: () => fieldsOf(response.headers),
    body: chunksOf(checked, reader),
    cancel: () => cancel(reader),
  };
}

/** The platform does not take bytes in memory that is shared. */
const bodyOf = (body: string | Uint8Array): string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? body : new Uint8Array(body);

/** Fields of the body as it was sent: the platform has decoded it. */
const SENT_FORM: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

function fieldsOf(headers: Headers): (readonly [string, string | readonly string[]])[] {
  const cookies = headers.getSetCookie();
  const fields: (readonly [string, string | readonly string[]])[] = [];
  headers.forEach((value, name) => {
    if (name !== 'set-cookie' && !SENT_FORM.has(name)) fields.push([name, value]);
  });
  if (cookies.length > 0) fields.push(['set-cookie', cookies]);
  return fields;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function* chunksOf(checked: CheckedRequest, reader: Reader | undefined): AsyncGenerator<Uint8Array, void, void> {
  if (reader === undefined) return;
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    ended = true;
  } catch (error) {
    ended = true;
    throw noAnswer(checked, error);
  } finally {
    if (!ended) cancel(reader);
  }
}

/** Ends a response. An error at its end no longer matters. */
function cancel(reader: Reader | undefined): void {
  void reader?.cancel().catch(() => undefined);
}

/** Returns the name of the first TLS option that is set. */
function tlsOptionOf(tls: OutboundTls = {}): string | undefined {
  return Object.entries(tls).find(
    ([, value]: [string, unknown]) => value !== undefined && value !== '' && value !== false,
  )?.[0];
}
