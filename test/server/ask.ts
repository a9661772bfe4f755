import { gunzipSync } from 'node:zlib';
import type { ApiServer } from '../../src/entries/index.js';
import { WatchLog } from '../../src/registry/watch/watch-log.js';
import { joinedText, type ApiRequest, type ApiResponse } from '../../src/server/requests/http.js';

/** The parts of a test request besides method and path. */
export interface Asked {
  /** Default `admin`, in `system:masters`; an empty string sends no credentials. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Certificates that the connection presents, DER, the client's own first. */
  readonly chain?: readonly Uint8Array[];
}

/** Sends a request to a server as a transport would. */
export function ask(
  server: Pick<ApiServer, 'target'>,
  method: string,
  target: string,
  asked?: Asked,
): Promise<ApiResponse> {
  return server.target.handle(requestOf(method, target, asked));
}

/** A request as a transport passes it in. */
export function requestOf(
  method: string,
  target: string,
  { token = 'admin', headers = {}, body, signal, chain }: Asked = {},
): ApiRequest {
  const [path = '', query = ''] = target.split('?');
  const fields = new Map(Object.entries(headers));
  if (token !== '') fields.set('authorization', `Bearer ${token}`);
  if (body !== undefined && !fields.has('content-type')) fields.set('content-type', 'application/json');
  return {
    method,
    path,
    query,
    headers: {
      get: (name) => fields.get(name),
      getAll: (name) => [fields.get(name) ?? []].flat(),
      names: () => fields.keys(),
      hasPrefix: (prefix) => [...fields.keys()].some((name) => name.startsWith(prefix)),
    },
    body: () => Promise.resolve(body instanceof Uint8Array ? body : new TextEncoder().encode(body ?? '')),
    peer: {
      address: '127.0.0.1',
      tls: true,
      ...(chain === undefined ? {} : { certificate: () => ({ chain, authorized: false }) }),
    },
    signal: signal ?? new AbortController().signal,
  };
}

/** An answer with the bytes of its stream, if it has one. */
export async function received(answer: ApiResponse): Promise<ApiResponse> {
  const { body } = answer;
  if (typeof body !== 'object' || !('stream' in body)) return answer;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.stream) chunks.push(chunk);
  return { ...answer, body: { chunks } };
}

/** The text of an answer without a stream. */
export function textOf({ body, headers }: ApiResponse): string {
  if (headers['content-encoding'] === 'gzip') return gunzipSync(bytesOf(body)).toString('utf8');
  if (body === undefined || typeof body === 'string') return body ?? '';
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if ('chunks' in body) return new TextDecoder().decode(Buffer.concat(body.chunks));
  if ('parts' in body) return joinedText(body);
  throw new Error('the answer is a stream');
}

function bytesOf(body: ApiResponse['body']): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'object' && 'chunks' in body) return Buffer.concat(body.chunks);
  throw new Error('the answer has no bytes');
}

/** The JSON of an answer. */
export const jsonOf = (response: ApiResponse): { readonly [field: string]: unknown } =>
  JSON.parse(textOf(response)) as Record<string, unknown>;

/** The answer to a request: its code, message, reason, warnings and body. */
export interface Answer {
  readonly code: number;
  readonly message: string;
  readonly reason: string | undefined;
  readonly warnings: readonly string[];
  readonly body: { readonly [field: string]: unknown };
}

/** Sends a request with a JSON body. */
export async function answerTo(
  server: Parameters<typeof ask>[0],
  method: string,
  target: string,
  body?: object,
  asked: Asked = {},
): Promise<Answer> {
  const response = await ask(server, method, target, {
    ...asked,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = jsonOf(response);
  return {
    code: response.status,
    message: typeof json['message'] === 'string' ? json['message'] : '',
    reason: typeof json['reason'] === 'string' ? json['reason'] : undefined,
    warnings: [response.headers['warning'] ?? []].flat(),
    body: json,
  };
}

/** The stream of a watch. */
export function streamOf({ status, body }: ApiResponse): AsyncIterator<Uint8Array> {
  if (typeof body !== 'object' || !('stream' in body))
    throw new Error(`not a stream: ${status} ${textOf({ status, headers: {}, body })}`);
  return body.stream[Symbol.asyncIterator]();
}

/** Counts the watchers of all logs opened from now on. */
export function countWatchers(): { watchers(): number; restore(): void } {
  const logs: WatchLog[] = [];
  const open = WatchLog.open;
  WatchLog.open = async (options) => {
    const log = await open.call(WatchLog, options);
    logs.push(log);
    return log;
  };
  return {
    watchers: () => logs.reduce((sum, log) => sum + log.watchers.size, 0),
    restore: () => void (WatchLog.open = open),
  };
}
