import { request as httpRequest, Agent as HttpAgent, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { Readable } from 'node:stream';
import type { CaseFetch } from '../../../src/testing/transport-cases/index.js';

/** A fetch over `node:http` and `node:https`, with an optional CA and client certificate. */
export function http1Fetch(tls: { ca?: string; key?: string; cert?: string } = {}): CaseFetch & { close(): void } {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true, ...tls }) };
  const send: CaseFetch = (url, init = {}) =>
    new Promise((resolve, reject) => {
      const secure = url.startsWith('https:');
      const options: RequestOptions = {
        method: init.method ?? 'GET',
        headers: headersOf(init),
        agent: secure ? agents.https : agents.http,
        path: url.slice(url.indexOf('/', 8)),
        ...(init.signal ? { signal: init.signal } : {}),
      };
      const request = secure ? httpsRequest(url, options) : httpRequest(url, options);
      request.on('error', reject).on('response', (response: IncomingMessage) => {
        const method = init.method ?? 'GET';
        resolve(toResponse(response.statusCode ?? 0, response.rawHeaders, response, method));
      });
      sendBody(request, init);
    });
  return Object.assign(send, { close: () => (agents.http.destroy(), agents.https.destroy()) });
}

/** A fetch over one HTTP/2 connection. */
export function http2Fetch(ca: string): CaseFetch & { close(): void } {
  const sessions = new Map<string, ClientHttp2Session>();
  const sessionFor = (origin: string): ClientHttp2Session => {
    let session = sessions.get(origin);
    if (session === undefined || session.closed) {
      sessions.set(origin, (session = connect(origin, { ca })));
      // Each request gets the error by itself.
      session.on('error', () => undefined);
    }
    return session;
  };
  const send: CaseFetch = (url, init = {}) =>
    new Promise((resolve, reject) => {
      const pathAt = url.indexOf('/', 8);
      const method = init.method ?? 'GET';
      const hasBody = init.body !== undefined && init.body !== null;
      const stream = sessionFor(url.slice(0, pathAt)).request(
        { ...headersOf(init), ':method': method, ':path': url.slice(pathAt) },
        { endStream: !hasBody },
      );
      init.signal?.addEventListener('abort', () => stream.close(constants.NGHTTP2_CANCEL));
      stream.on('error', reject).on('response', (headers, _flags, raw?: string[]) => {
        const fields = raw ?? Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
        resolve(toResponse(Number(headers[':status']), fields, stream, method));
      });
      if (hasBody) sendBody(stream, init);
    });
  return Object.assign(send, { close: () => sessions.forEach((session) => session.destroy()) });
}

function headersOf(init: RequestInit): Record<string, string> {
  const headers: Record<string, string> = {};
  new Headers(init.headers).forEach((value, name) => (headers[name] = value));
  // Node sends a body of DELETE without a length.
  if (typeof init.body === 'string') headers['content-length'] = String(Buffer.byteLength(init.body));
  return headers;
}

function sendBody(to: NodeJS.WritableStream, init: RequestInit): void {
  const { body } = init;
  if (body instanceof ReadableStream) Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]).pipe(to);
  else if (typeof body === 'string' || body instanceof Uint8Array) to.end(body);
  else to.end();
}

function toResponse(status: number, raw: readonly string[], body: Readable, method: string): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string;
    if (!name.startsWith(':')) headers.append(name, raw[at + 1] as string);
  }
  const bodiless = method === 'HEAD' || status === 204 || status === 304;
  if (bodiless) body.resume();
  return new Response(bodiless ? null : toWeb(body), { status, headers });
}

/** Unlike `Readable.toWeb`, fails the stream if the message was truncated, and does not read ahead. */
function toWeb(body: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = body.iterator({ destroyOnReturn: true }) as AsyncIterableIterator<Uint8Array<ArrayBuffer>>;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const next = await iterator.next();
        // The iterator of an HTTP/2 stream ends without an error if the error occurred between two reads.
        if (next.done === true && (body.errored !== null || ('rstCode' in body && body.rstCode !== 0)))
          controller.error(body.errored ?? new Error('reset'));
        else if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel() {
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
