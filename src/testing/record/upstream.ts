import { createConnection, loadKubeConfig, parseKubeConfig, type KubeConfig } from '../../client/node.js';
import {
  concatBytes,
  decodeUtf8,
  encodeUtf8,
  type Dialect,
  type StreamedRequest,
  type StreamingHttpClient,
} from '../../foundation/index.js';
import { isStream, joinedText, type ApiRequest, type ApiResponse, type RequestHeaders } from '../../server/index.js';
import type { TransportTarget } from '../../transport/index.js';
import { nodeHttpClient } from '../../transport/node.js';
import { readableAccept } from './request-form.js';

/** A response of the recorded server, whose body may be long or endless. */
export interface UpstreamAnswer {
  readonly status: number;
  /** Returns a header field by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The server that is recorded. */
export interface Upstream {
  /**
   * Passes a request on.
   *
   * @param body the body of the request, which was read
   * @throws Error when no response arrives
   */
  send(request: ApiRequest, body: Uint8Array): Promise<UpstreamAnswer>;
  /** Texts that must never be written: the credentials that were used. */
  readonly secrets: ReadonlySet<string>;
  close(): void;
}

/** Returns whether a header field is passed on. The credentials of the client are not. */
const isPassed = (name: string): boolean =>
  ['content-type', 'user-agent', 'if-none-match'].includes(name) || name.startsWith('impersonate-');

/** Returns the header fields that are passed on, without representations that a recording cannot read. */
function passedHeaders(headers: RequestHeaders): Record<string, readonly string[]> {
  const passed: Record<string, readonly string[]> = {};
  for (const name of headers.names()) if (isPassed(name)) passed[name] = headers.getAll(name);
  const accept = readableAccept(headers.get('accept'));
  return accept === undefined ? passed : { ...passed, accept: [accept] };
}

/**
 * Records a server in the same process.
 *
 * @param token bearer token of the requests; default none
 */
export function upstreamOfTarget(target: TransportTarget, token: string | undefined): Upstream {
  return {
    secrets: new Set(token === undefined ? [] : [token]),
    close: () => undefined,
    async send(request, body) {
      const { method, path, query, peer, signal } = request;
      const fields = passedHeaders(request.headers);
      const headers = recordOfHeaders(token === undefined ? fields : { ...fields, authorization: [`Bearer ${token}`] });
      return answerOf(await target.handle({ method, path, query, headers, body: async () => body, peer, signal }));
    },
  };
}

const recordOfHeaders = (fields: Readonly<Record<string, readonly string[]>>): RequestHeaders => ({
  get: (name) => (Object.hasOwn(fields, name) ? fields[name]?.join(', ') : undefined),
  getAll: (name) => (Object.hasOwn(fields, name) ? (fields[name] ?? []) : []),
  names: () => Object.keys(fields),
  hasPrefix: (prefix) => Object.keys(fields).some((name) => name.startsWith(prefix)),
});

function answerOf({ status, headers, body }: ApiResponse): UpstreamAnswer {
  const header = (name: string): string | undefined => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === 'object' ? value.join(', ') : value;
  };
  return { status, header, body: bytesOf(body) };
}

async function* bytesOf(body: ApiResponse['body']): AsyncGenerator<Uint8Array> {
  if (body === undefined) return;
  if (typeof body === 'string') yield encodeUtf8(body);
  else if (body instanceof Uint8Array) yield body;
  else if (isStream(body)) yield* body.stream;
  else if ('chunks' in body) yield concatBytes(body.chunks);
  else yield encodeUtf8(joinedText(body));
}

/** Options of {@link upstreamOfKubeConfig}. */
export interface KubeConfigUpstreamOptions {
  readonly context: string | undefined;
  readonly dialect: Dialect;
}

/**
 * Records the server of a kubeconfig, as the user of its context. The credentials of the client are not passed on.
 *
 * @param kubeConfig a path, a text, or a configuration
 * @throws as `loadKubeConfig` and `createConnection` do
 */
export async function upstreamOfKubeConfig(
  kubeConfig: string | KubeConfig,
  { context, dialect }: KubeConfigUpstreamOptions,
): Promise<Upstream> {
  const config = await configOf(kubeConfig, dialect);
  const http = nodeHttpClient({ maxSockets: 256 });
  const secrets = new Set<string>();
  const connection = await createConnection(config, { http: notingSecrets(http, secrets), dialect, context });
  return {
    secrets,
    close: () => http.close(),
    async send({ method, path, query, headers, signal }, body) {
      return connection.stream({
        method,
        path: query === '' ? path : `${path}?${query}`,
        headers: passedHeaders(headers),
        ...(body.length === 0 ? {} : { body: decodeUtf8(body) }),
        signal,
      });
    },
  };
}

/** Notes the credentials of the requests that a client sends. */
function notingSecrets(http: StreamingHttpClient, secrets: Set<string>): StreamingHttpClient {
  const note = ({ headers = {} }: StreamedRequest): void => {
    for (const value of [headers['authorization'] ?? []].flat()) secrets.add(value.replace(/^\S+\s+/, ''));
  };
  return Object.assign(
    (request: Parameters<StreamingHttpClient>[0]) => {
      note(request);
      return http(request);
    },
    {
      stream: (request: StreamedRequest) => {
        note(request);
        return http.stream(request);
      },
    },
  );
}

function configOf(kubeConfig: string | KubeConfig, dialect: Dialect): Promise<KubeConfig> {
  if (typeof kubeConfig !== 'string') return Promise.resolve(kubeConfig);
  return kubeConfig.includes('\n')
    ? parseKubeConfig(kubeConfig, { dialect })
    : loadKubeConfig({ explicitPath: kubeConfig, dialect });
}
