import { decodeUtf8Lossy, encodeUtf8 } from '../../foundation/index.js';
import {
  BodyTooLargeError,
  type ApiRequest,
  type ApiResponse,
  type ResponseBody,
  type WebSocketHandler,
} from '../../server/index.js';
import { Observations } from './echo-observations.js';
import { failing, flood, gated, lines, never } from './echo-streams.js';

/** The reference handler that the cases are written against. */
export interface EchoHandler {
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
  readonly handleWebSocket: WebSocketHandler;
}

/** Maximum body size of `/echo`, in bytes. */
export const ECHO_LIMIT_BYTES = 4 * 1024 * 1024;
/** Maximum body size of `/limit`, in bytes. */
export const SMALL_LIMIT_BYTES = 1024;

type Route = (
  request: ApiRequest,
  query: URLSearchParams,
  observations: Observations,
) => Promise<ApiResponse> | ApiResponse;

/**
 * Creates a handler that dispatches on the first segment of the path. Each server under test needs its own, since the
 * handler records its streams.
 */
export function echoHandler(): EchoHandler {
  const observations = new Observations();
  return {
    async handle(request) {
      const end = request.path.indexOf('/', 1);
      const route = ROUTES.get(end < 0 ? request.path : request.path.slice(0, end));
      if (route === undefined) return json(404, { path: request.path });
      try {
        return await route(request, new URLSearchParams(request.query), observations);
      } catch (error) {
        return error instanceof BodyTooLargeError
          ? json(413, { limit: error.limit })
          : json(500, { message: String(error) });
      }
    },
    handleWebSocket: (request) => Promise.resolve(webSocketAnswer(request)),
  };
}

function json(status: number, value: unknown): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function plain(body: ResponseBody): ApiResponse {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/echo', echo],
  ['/limit', async (request) => json(200, { length: (await request.body(SMALL_LIMIT_BYTES)).length })],
  ['/ignore', () => json(200, { read: false })],
  [
    '/status',
    (request) => ({
      status: Number(request.path.slice('/status/'.length)),
      headers: { 'x-status': 'yes' },
      body: undefined,
    }),
  ],
  [
    '/content-with-status',
    (_request, query) => ({ status: Number(query.get('status')), headers: {}, body: 'not to be sent' }),
  ],
  [
    '/headers',
    () => ({
      status: 200,
      headers: { 'x-multi': ['one', 'two'], warning: '299 - "grün"', 'x-broken': 'a\nb' },
      body: 'headers',
    }),
  ],
  ['/text', () => plain('grün ✓')],
  ['/bytes', () => plain(new Uint8Array([0, 1, 254, 255]))],
  [
    '/large',
    (_request, query) =>
      plain({ head: '', parts: largeParts(query), separator: '', tail: '', ascii: query.get('ascii') !== 'false' }),
  ],
  ['/chunks', (_request, query) => plain({ chunks: largeParts(query).map((part) => encodeUtf8(part)) })],
  ['/lines', (_request, query) => plain(lines(Number(query.get('count'))))],
  ['/fail', () => plain(failing())],
  ['/gated', (_request, query, observations) => plain(gated(observations.of(idOf(query)).opened))],
  ['/open', (_request, query, observations) => opened(observations, idOf(query))],
  ['/never', (request, query, observations) => plain(never(request, observations, idOf(query)))],
  ['/flood', (_request, query, observations) => plain(flood(observations, idOf(query)))],
  ['/observe', (_request, query, observations) => json(200, observations.of(idOf(query)).observation)],
  ['/ended', (_request, query, observations) => ended(observations, idOf(query))],
]);

function idOf(query: URLSearchParams): string {
  return query.get('id') ?? '';
}

async function echo(request: ApiRequest): Promise<ApiResponse> {
  const headers: Record<string, readonly string[]> = {};
  for (const name of request.headers.names()) headers[name] = request.headers.getAll(name);
  const body = decodeUtf8Lossy(await request.body(ECHO_LIMIT_BYTES));
  return json(200, { method: request.method, path: request.path, query: request.query, headers, body });
}

/** Returns `count` parts of `size` characters; each starts with its number. */
function largeParts(query: URLSearchParams): string[] {
  const size = Number(query.get('size'));
  const fill = query.get('ascii') === 'false' ? 'ü' : 'x';
  return Array.from({ length: Number(query.get('count')) }, (_, at) => `${at}:`.padEnd(size, fill));
}

function opened(observations: Observations, id: string): ApiResponse {
  observations.of(id).open();
  return json(200, {});
}

async function ended(observations: Observations, id: string): Promise<ApiResponse> {
  const entry = observations.of(id);
  await entry.ended;
  return json(200, entry.observation);
}

function webSocketAnswer(request: ApiRequest): Awaited<ReturnType<WebSocketHandler>> {
  const query = new URLSearchParams(request.query);
  if (request.path === '/socket/refused') return { refuse: json(403, { message: 'forbidden' }) };
  const offered = (request.headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  return { accept: { protocol: offered.includes('echo') ? 'echo' : '', messages: socketMessages(request, query) } };
}

async function* socketMessages(request: ApiRequest, query: URLSearchParams): AsyncGenerator<string> {
  const count = Number(query.get('count') ?? '3');
  for (let at = 0; at < count; at++) yield `message ${at}`;
  if (request.path === '/socket/fail') throw new Error('the source failed');
}
