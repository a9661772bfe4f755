/**
 * Webhooks that API objects configure: by a URL, or by the service that is called.
 *
 * @module
 */
import { within } from '../async/within.js';
import { decodeBase64Text } from '../encoding/base64.js';
import { ApiError } from '../errors/api-error.js';
import { goQuote } from '../go/go-text.js';
import type { TraceSpan } from '../reporting/trace-span.js';
import { delay, type Clock } from '../time/clock.js';
import type { HttpClient, OutboundRequest, OutboundResponse, OutboundTls } from './http-client.js';
import { networkErrorText } from './network-error.js';
import { serverErrorText } from './server-error.js';

/** The address of a webhook: a URL or a service. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        /** Path of the request. */
        readonly path?: string | undefined;
        /** Default 443. */
        readonly port?: number | undefined;
      }
    | undefined;
  /** PEM certificates of the webhook's authority, in base64; default the authorities of the host. */
  readonly caBundle?: string | undefined;
}

/** A service that a webhook is called through. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/**
 * Returns the URL at which a service is reached; the path of the webhook is appended to its path. The certificate must
 * still be for the name of the service, `<name>.<namespace>.svc`.
 *
 * @returns undefined for a service whose address the server finds by its stored objects
 * @throws Error when the service does not exist; clients see the message
 */
export type ResolveService = (service: WebhookService) => URL | undefined | Promise<URL | undefined>;

/** Returns the URL of any service, as {@link ResolveService} does. @throws Error when it has none */
export type FindService = (service: WebhookService) => Promise<URL>;

/** Credentials that the server presents to a webhook. */
export interface WebhookCredentials {
  /** Token of the header `Authorization: Bearer`. */
  readonly token?: string | undefined;
  /** PEM certificate and key of the client. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Additional headers, such as `authorization`; names in lower case. */
  readonly headers?: OutboundRequest['headers'] | undefined;
}

/**
 * Returns the credentials for a webhook.
 *
 * @param host host of its URL with the port, if that is not 443; for a service `<name>.<namespace>.svc`
 * @param port port of the URL or of the service
 */
export type FindCredentials = (
  host: string,
  port: number,
) => WebhookCredentials | undefined | Promise<WebhookCredentials | undefined>;

/** The parts that a {@link WebhookClient} works with. */
export interface WebhookClientParts {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly findService: FindService;
  /** Default none. */
  readonly credentials?: FindCredentials | undefined;
  /** Maximum size of the response, in bytes. */
  readonly maxBytes: number;
}

/** Options of a call. */
export interface WebhookCall {
  /** Timeout of the call with all its attempts, in seconds. Default 30, as in Kubernetes. */
  readonly timeoutSeconds?: number | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum size of the response, in bytes; default that of the client. */
  readonly maxBytes?: number | undefined;
  /**
   * Counts the memory of the response before it is buffered. An ApiError that it throws ends the call, which fails with
   * it.
   */
  readonly reserve?: ((bytes: number) => void) | undefined;
  /** The step of a trace that the call belongs to: the webhook learns of it by `traceparent`. */
  readonly span?: TraceSpan | undefined;
}

/** The error of a webhook that gave no response. */
export class WebhookUnreachable extends Error {
  override readonly name = 'WebhookUnreachable';
  /** Host of the URL, without the port. */
  readonly host: string;

  /** @param url as Kubernetes shows it */
  constructor(url: string, cause: unknown) {
    super(`Post ${goQuote(url)}: ${networkErrorText(cause)}`, { cause });
    this.host = new URL(url).hostname;
  }
}

/** Bytes that {@link WebhookCall.reserve} gets for each byte of a response, while its value is not known. */
const ANSWER_COPIES = 6;
/** The part of it that is for the decoded value. Whoever decodes the response releases it, and reserves what it needs. */
export const ANSWER_BYTES_TO_DECODE = 4;
const TIMEOUT_SECONDS = 30;
/** Maximum number of attempts while the webhook asks for another one (`Retry-After`), as in Kubernetes. */
const MAX_ATTEMPTS = 11;
const DEFAULT_PORT = 443;

/** Where a webhook is. */
interface Target {
  /** The URL as Kubernetes shows it in messages. */
  readonly name: string;
  /** Returns the URL that is requested. */
  readonly resolve: () => string | Promise<string>;
  /** Host and name of the certificate, where they differ from those of the requested URL. */
  readonly host: string;
  readonly serverName: string;
}

/** Returns the port of a URL of https. */
const portOf = ({ port }: URL): number => (port === '' ? DEFAULT_PORT : Number(port));

/**
 * Posts JSON to a webhook as Kubernetes does: with a timeout, without redirects, and with its messages. Neither bodies
 * nor responses are logged.
 */
export class WebhookClient {
  readonly #config: WebhookClientConfig;
  readonly #parts: WebhookClientParts;

  constructor(config: WebhookClientConfig, parts: WebhookClientParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /**
   * Posts a JSON text.
   *
   * @returns the response, which is a success
   * @throws Error in the words of Kubernetes's client
   */
  async post(body: string, call: WebhookCall = {}): Promise<OutboundResponse> {
    const { timeoutSeconds = TIMEOUT_SECONDS, signal } = call;
    const target = this.#target(timeoutSeconds);
    const response = await within(
      this.#parts.clock,
      timeoutSeconds * 1000,
      (late) => this.#send(target, body, signal === undefined ? late : AbortSignal.any([signal, late]), call),
      () => new Error('context deadline exceeded'),
    ).catch((error: unknown) => {
      // The response does not fit into the memory budget of this server.
      if (error instanceof ApiError) throw error;
      throw new WebhookUnreachable(target.name, error);
    });
    const failure = serverErrorText(response);
    if (failure !== undefined) throw new Error(failure);
    return response;
  }

  async #send(
    target: Target,
    body: string,
    signal: AbortSignal,
    { span, maxBytes = this.#parts.maxBytes, reserve }: WebhookCall,
  ): Promise<OutboundResponse> {
    const { http, clock } = this.#parts;
    const request = {
      ...this.#request(target, await target.resolve(), body, signal, await this.#credentials(target)),
      maxBytes,
      onChunk: reserve && ((bytes: number) => reserve(bytes * ANSWER_COPIES)),
    };
    for (let attempt = 1; ; attempt += 1) {
      const response = await (span === undefined ? http(request) : tracedRequest(http, request, span));
      const pauseSeconds = attempt === MAX_ATTEMPTS ? undefined : retryAfterSeconds(response);
      if (pauseSeconds === undefined) return response;
      await delay(clock, pauseSeconds * 1000, signal);
      signal.throwIfAborted();
    }
  }

  async #credentials({ name, serverName }: Target): Promise<WebhookCredentials> {
    const url = new URL(name);
    const host = serverName === '' ? url.host : serverName;
    return (await this.#parts.credentials?.(host, portOf(url))) ?? {};
  }

  #request(
    target: Target,
    url: string,
    body: string,
    signal: AbortSignal,
    { token, certificate, key, headers: more }: WebhookCredentials,
  ): Omit<OutboundRequest, 'maxBytes'> {
    const { userAgent } = this.#parts;
    const direct = new URL(url).host === new URL(target.name).host;
    const headers = {
      accept: 'application/json, */*',
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...more,
    };
    return {
      url,
      method: 'POST',
      headers: direct ? headers : { ...headers, host: target.host },
      body,
      tls: { ...this.#tls(direct ? undefined : target.serverName), certificate, key },
      signal,
    };
  }

  #tls(serverName: string | undefined): OutboundTls {
    const { caBundle = '' } = this.#config;
    const certificateAuthority = decodeBase64Text(caBundle);
    if (certificateAuthority === undefined) throw new Error('unable to load root certificates: the bundle is not PEM');
    return { certificateAuthority, serverName };
  }

  #target(timeoutSeconds: number): Target {
    const { url, service } = this.#config;
    if (service !== undefined) return this.#serviceTarget(service, timeoutSeconds);
    if (url === undefined || url === '') throw new Error('webhook configuration must have either service or URL');
    const [, origin = '', path = ''] = /^([^/]*\/\/[^/?#]*)([^?#]*)/.exec(url) ?? [];
    const name = `${origin}${cleanPath(path)}?timeout=${timeoutSeconds}s`;
    return { name, resolve: () => name, host: '', serverName: '' };
  }

  #serviceTarget(
    { namespace, name, path = '', port = DEFAULT_PORT }: NonNullable<WebhookClientConfig['service']>,
    timeoutSeconds: number,
  ): Target {
    const serverName = `${name}.${namespace}.svc`;
    const host = `${serverName}:${port}`;
    const request = `${cleanPath(path)}?timeout=${timeoutSeconds}s`;
    const shown = `https://${host}${request}`;
    const resolve = async (): Promise<string> => {
      const { origin, pathname } = await this.#parts.findService({ namespace, name, port });
      return `${origin}${pathname.replace(/\/$/, '')}${request}`;
    };
    return { name: shown, resolve, host, serverName };
  }
}

/** Sends a request as a step of a trace, whose origin its header fields name. */
async function tracedRequest(http: HttpClient, request: OutboundRequest, call: TraceSpan): Promise<OutboundResponse> {
  const { method = 'GET' } = request;
  const attributes = { 'http.method': method, 'http.url': request.url };
  const span = call.child(`HTTP ${method}`, attributes, 'client');
  try {
    const response = await http({ ...request, headers: { ...request.headers, ...span.headers } });
    span.set({ 'http.status_code': response.status });
    span.end();
    return response;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Returns an absolute path without empty and dotted segments, as Go's `path.Join` does. */
function cleanPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** Returns the pause that the webhook asks for before another attempt, in seconds; undefined when it asks for none. */
function retryAfterSeconds({ status, header }: OutboundResponse): number | undefined {
  if (status !== 429 && (status < 500 || status > 599)) return undefined;
  const value = header('retry-after') ?? '';
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
