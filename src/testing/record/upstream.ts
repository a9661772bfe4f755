import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { createConnection, loadKubeConfig, parseKubeConfig, type KubeConfig } from '../../client/node.js';
import {
  checkRequest,
  concatBytes,
  decodeUtf8,
  encodeUtf8,
  noAnswer,
  onAbort,
  type Dialect,
  type HttpClient,
  type OutboundRequest,
  type OutboundResponse,
} from '../../foundation/index.js';
import { isStream, joinedText, type ApiRequest, type ApiResponse, type RequestHeaders } from '../../server/index.js';
import type { TransportTarget } from '../../transport/index.js';
import { AgentPool } from '../../transport/node.js';
import { readableAccept } from './request-form.js';

/** A response of the recorded server, whose body may be long or endless. */
export interface UpstreamAnswer {
  readonly status: number;
  /** Header fields, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
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
  const single = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : value.join(', '),
  ]);
  return { status, headers: Object.fromEntries(single) as Record<string, string>, body: bytesOf(body) };
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
  const http = new StreamingHttp();
  const connection = await createConnection(config, {
    http: http.client,
    dialect,
    ...(context === undefined ? {} : { context }),
  });
  return {
    secrets: http.secrets,
    close: () => http.close(),
    async send({ method, path, query, headers, signal }, body) {
      const response = await connection.request({
        method,
        path: query === '' ? path : `${path}?${query}`,
        headers: passedHeaders(headers),
        ...(body.length === 0 ? {} : { body: decodeUtf8(body) }),
        signal,
      });
      return http.answerOf(response);
    },
  };
}

function configOf(kubeConfig: string | KubeConfig, dialect: Dialect): Promise<KubeConfig> {
  if (typeof kubeConfig !== 'string') return Promise.resolve(kubeConfig);
  return kubeConfig.includes('\n')
    ? parseKubeConfig(kubeConfig, { dialect })
    : loadKubeConfig({ explicitPath: kubeConfig, dialect });
}

/** An HTTP client whose responses are streams. */
class StreamingHttp {
  readonly secrets = new Set<string>();
  readonly #pool = new AgentPool({ maxSockets: 256, maxAgents: 16, idleMs: 60_000 });
  /** The streams of the responses, which the interface of a connection does not have. */
  readonly #answers = new WeakMap<OutboundResponse, UpstreamAnswer>();

  readonly client: HttpClient = async (request) => {
    const { authorization } = request.headers ?? {};
    for (const value of [authorization ?? []].flat()) this.secrets.add(value.replace(/^\S+\s+/, ''));
    const answer = await this.#send(request);
    const response: OutboundResponse = {
      status: answer.status,
      header: (name) => answer.headers[name],
      body: new Uint8Array(0),
    };
    this.#answers.set(response, answer);
    return response;
  };

  /** @throws Error for a response of another client */
  answerOf(response: OutboundResponse): UpstreamAnswer {
    const answer = this.#answers.get(response);
    if (answer === undefined) throw new Error('the response does not come from this client');
    return answer;
  }

  close(): void {
    this.#pool.close();
  }

  #send(request: OutboundRequest): Promise<UpstreamAnswer> {
    const checked = checkRequest(request);
    const { url, method } = checked;
    const { signal, tls = {} } = request;
    const lease = this.#pool.lease(url.protocol, tls, checked.name);
    return new Promise((resolve, reject) => {
      const secure = url.protocol === 'https:';
      const name = tls.serverName || url.hostname.replace(/^\[(.*)\]$/, '$1');
      const sent = (secure ? httpsRequest : httpRequest)(url, {
        agent: lease.agent,
        method,
        headers: Object.fromEntries(
          Object.entries(request.headers ?? {}).map(([field, value]) => [
            field,
            typeof value === 'string' ? value : [...value],
          ]),
        ),
        ...(secure
          ? {
              servername: isIP(name) === 0 ? name : '',
              checkServerIdentity: (_host: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
                checkServerIdentity(name, certificate),
            }
          : {}),
      });
      const stop = onAbort(signal, () => sent.destroy());
      sent.on('response', (incoming) => {
        const headers = Object.entries(incoming.headers).map(([field, value]) => [
          field,
          [value ?? ''].flat().join(', '),
        ]);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: Object.fromEntries(headers) as Record<string, string>,
          body: incoming,
        });
      });
      sent.on('error', (error) => reject(noAnswer(checked, error)));
      sent.on('close', () => {
        stop();
        lease.release();
        reject(noAnswer(checked, new Error('the connection was closed before a response')));
      });
      sent.end(request.body);
    });
  }
}
