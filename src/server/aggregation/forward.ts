/**
 * Passes requests on to the servers of other API groups, as the aggregator of Kubernetes does. Authentication, audit,
 * fairness and authorization have come before.
 *
 * Source: `kube-aggregator/pkg/apiserver/handler_proxy.go` of Kubernetes 1.31, for the texts.
 *
 * @module
 */
import {
  encodeUtf8,
  errors,
  messageOf,
  networkErrorText,
  onAbort,
  type Clock,
  type Dialect,
  type FindService,
  type HttpClient,
  type Logger,
  type OutboundStream,
  type OutboundTls,
  type OutboundTunnel,
  type StreamedRequest,
  type StreamingHttpClient,
} from '../../foundation/index.js';
import { readBody } from '../endpoints/body.js';
import { endingWith } from '../filters/in-flight.js';
import { isLasting } from '../requests/connections.js';
import type { ApiResponse, StreamBody, WebSocketAnswer } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import { requestFields, responseFields } from './forwarded-fields.js';
import type { RemoteService } from './remote-services.js';

/** The certificate and key by which other servers know this one, in PEM. */
export interface ProxyIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** Dependencies of the requests to the servers of other API groups. */
export interface ForwardParts {
  /** Sends the requests: it must read responses while they arrive. */
  readonly http: HttpClient;
  readonly findService: FindService;
  /** Returns the current certificate. */
  readonly identity: () => ProxyIdentity | Promise<ProxyIdentity>;
  /** Names and prefixes of the header fields from which this server reads a user, in lower case. */
  readonly identityFields: readonly string[];
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The part of the server that a request that is passed on uses. */
export interface ForwardHost {
  readonly shutdownSignal: AbortSignal;
  readonly options: { readonly limits: { readonly bodyBytes: number } };
}

/** Methods that are sent without a length when they have no body. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
/** Time for the handshake of a WebSocket, in milliseconds. */
const OPENING_MS = 30_000;
const CANNOT_UPGRADE = 'the option network.httpClient cannot open WebSockets (it has no function upgrade)';
/** The answer to a redirect: a client would follow it with its credentials (CVE-2022-3172). */
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';
/** Memory of the pieces of a response that are on their way, in bytes. */
const HELD_BYTES = 64 * 1024;

/** A request as it is passed on. */
type ForwardedCall = Required<Pick<StreamedRequest, 'url' | 'headers' | 'tls'>>;

/** Passes a request on, and returns the response as it arrives. @throws ApiError for a body that is not taken */
export async function forward(
  parts: ForwardParts,
  remote: RemoteService,
  scope: RequestScope,
  host: ForwardHost,
): Promise<ApiResponse> {
  const call = await callOf(parts, remote, scope);
  if (typeof call !== 'function') return call;
  const body = await readBody(scope, host.options.limits.bodyBytes);
  const { method } = scope.request;
  return reaching(parts, remote, scope, host, async (end) => {
    const answer = await streaming(parts.http)({
      ...(await call()),
      method,
      body: body.length === 0 && BODILESS.has(method) ? undefined : body,
      lasting: isLasting(scope.info),
      signal: end.signal,
    });
    return responseOf(answer, method, end);
  });
}

/**
 * Passes a request for a WebSocket on. The server that serves it completes the handshake, and its bytes are passed on.
 *
 * @returns the connection, or the response that refuses it
 */
export async function forwardUpgrade(
  parts: ForwardParts,
  remote: RemoteService,
  scope: RequestScope,
  host: ForwardHost,
): Promise<WebSocketAnswer | ApiResponse> {
  const { upgrade }: HttpClient & Partial<StreamingHttpClient> = parts.http;
  if (upgrade === undefined) return plainText(501, CANNOT_UPGRADE);
  const call = await callOf(parts, remote, scope);
  if (typeof call !== 'function') return call;
  return reaching<WebSocketAnswer | ApiResponse>(parts, remote, scope, host, async (end) => {
    const request = await call();
    const headers = { ...request.headers, connection: 'Upgrade', upgrade: 'websocket' };
    const answer = await upgrade({ ...request, headers, signal: end.opening(OPENING_MS) });
    if ('bytes' in answer) {
      end.over();
      return connectionOf(answer, host);
    }
    if (answer.status < 400) {
      answer.cancel();
      end.over();
      return plainText(503, `invalid upgrade response: status code ${answer.status}`);
    }
    // The signal of the request ends the opening only.
    end.cancels(answer);
    return responseOf(answer, scope.request.method, end);
  });
}

function connectionOf(tunnel: OutboundTunnel, { shutdownSignal }: ForwardHost): WebSocketAnswer {
  const stop = onAbort(shutdownSignal, () => tunnel.close());
  return {
    protocol: '',
    passedOn: responseFields(tunnel.fields(), undefined),
    messages: tunnel.bytes,
    receive: (bytes) => tunnel.write(typeof bytes === 'string' ? encodeUtf8(bytes) : bytes),
    closed: () => {
      stop();
      tunnel.close();
    },
  };
}

/**
 * Returns a function that makes the request to the server of an API group, to be called when the body has been read; or the
 * response when that server has no address.
 */
async function callOf(
  parts: ForwardParts,
  { name, service, tls, isAvailable }: RemoteService,
  scope: RequestScope,
): Promise<ApiResponse | (() => Promise<ForwardedCall>)> {
  if (!isAvailable) return plainText(503, 'service unavailable');
  if (tls instanceof Error) return plainText(500, tls.message);
  const path = pathOf(scope);
  let origin: string;
  try {
    ({ origin } = await parts.findService(service));
  } catch (error) {
    parts.logger.info('the service of an APIService has no address', { name, reason: messageOf(error) });
    return plainText(503, 'service unavailable');
  }
  const { query, peer, headers } = scope.request;
  const { user, auditId } = scope;
  const { identityFields, dialect } = parts;
  return async () => ({
    url: `${origin}${path}${query === '' ? '' : `?${query}`}`,
    headers: requestFields({
      ...{ headers, user, auditId, identityFields, address: peer.address },
      tokenProtocol: dialect.webSocketBearerPrefix,
    }),
    tls: await tlsWith(parts, tls),
  });
}

/** Sends a request; returns a response with 503 when the server of the API group cannot be reached. */
async function reaching<Answer>(
  parts: ForwardParts,
  { name }: RemoteService,
  scope: RequestScope,
  host: ForwardHost,
  send: (end: ForwardEnd) => Promise<Answer>,
): Promise<Answer | ApiResponse> {
  const end = new ForwardEnd(scope, host.shutdownSignal, parts.clock);
  try {
    return await send(end);
  } catch (error) {
    end.over();
    // The client has gone, or has been told that the request took too long.
    if (end.signal.aborted && !host.shutdownSignal.aborted) throw error;
    parts.logger.info('the server of an APIService has not answered', { name, reason: messageOf(error) });
    return plainText(503, `error trying to reach service: ${networkErrorText(error)}`);
  }
}

/** Returns the TLS options of a request, with the certificate of this server. */
export async function tlsWith(
  { identity }: Pick<ForwardParts, 'identity'>,
  tls: Exclude<RemoteService['tls'], Error>,
): Promise<OutboundTls> {
  const { certificate, key } = await identity();
  return { ...tls, certificate, key };
}

/** Returns what sends a request and reads its response while it arrives. @throws Error for a client that cannot */
export function streaming(http: HttpClient): StreamingHttpClient['stream'] {
  if ('stream' in http && typeof http.stream === 'function') return http.stream as StreamingHttpClient['stream'];
  throw new Error('the option network.httpClient cannot read a response while it arrives (it has no function stream)');
}

/** Returns the path to send: its segments are those that authorization has seen, of which none is a step up or has a slash. */
const pathOf = ({ info }: RequestScope): string => info.path.split('/').map(encodeURIComponent).join('/');

/** The end of a request that is passed on: that of the client, of this server, or of its time. */
class ForwardEnd {
  readonly signal: AbortSignal;
  readonly #late = new AbortController();
  readonly #clock: Clock;
  #timer: { cancel(): void } | undefined;
  #stop: (() => void) | undefined;

  constructor({ signal, timeoutMs, receivedMs }: RequestScope, shutdown: AbortSignal, clock: Clock) {
    this.#clock = clock;
    this.signal = AbortSignal.any([signal, shutdown, this.#late.signal]);
    // A watch has no time limit.
    if (timeoutMs !== undefined) this.#endAfter(receivedMs + timeoutMs - clock.now());
  }

  /** Bounds the time of a handshake. @returns the signal of the request */
  opening(withinMs: number): AbortSignal {
    if (this.#timer === undefined) this.#endAfter(withinMs);
    return this.signal;
  }

  #endAfter(milliseconds: number): void {
    this.#timer = this.#clock.after(Math.max(0, milliseconds), () =>
      this.#late.abort(errors.timeout('request did not complete within the allotted timeout')),
    );
  }

  /** Lets the end of the request end a response. */
  cancels(answer: Pick<OutboundStream, 'cancel'>): void {
    this.#stop = onAbort(this.signal, () => answer.cancel());
  }

  /** Stops waiting. */
  over(): void {
    this.#timer?.cancel();
    this.#stop?.();
  }
}

async function responseOf(answer: OutboundStream, method: string, end: ForwardEnd): Promise<ApiResponse> {
  const { status } = answer;
  if (isRedirect(answer)) {
    answer.cancel();
    end.over();
    return { status: 502, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: REDIRECTED };
  }
  const headers = responseFields(answer.fields(), answer.header('connection'));
  if (method !== 'HEAD' && status !== 204 && status !== 304) return { status, headers, body: bodyOf(answer, end) };
  // To its end, so that the connection can be used again.
  for await (const chunk of answer.body) if (chunk.length > 0) break;
  end.over();
  return { status, headers, body: undefined };
}

const isRedirect = ({ status, header }: OutboundStream): boolean =>
  status >= 300 && status <= 399 && (header('location') ?? '') !== '';

/** Returns the body of a response, which the client pulls. An end of either side ends the other. */
function bodyOf(answer: OutboundStream, end: ForwardEnd): StreamBody {
  const ending = endingWith(answer.body, () => end.over());
  const stream: AsyncIterableIterator<Uint8Array> = {
    next: () => ending.next(),
    async return() {
      answer.cancel();
      await ending.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  const declared = answer.header('content-length');
  const length = declared !== undefined && /^\d{1,15}$/.test(declared) ? { length: Number(declared) } : {};
  return { stream, heldBytes: HELD_BYTES, ...length };
}

/** Answers as Go's `http.Error` does. */
export const plainText = (status: number, text: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: `${text}\n`,
});
