import { request as httpRequest, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import {
  aCount,
  answerTooLong,
  aPositiveDuration,
  checkOptions,
  checkRequest,
  durationMs,
  NO_ALTERNATIVE_NAME,
  noAnswer,
  onAbort,
  type CheckedRequest,
  type Duration,
  type HttpClient,
  type OptionChecks,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundTls,
} from '../../foundation/index.js';
import { AgentPool } from './agent-pool.js';

/** Limits of {@link nodeHttpClient}. */
export interface NodeHttpClientOptions {
  /** Maximum number of connections to a host with the same TLS options; further requests wait. Default 16. */
  readonly maxSockets?: number | undefined;
  /** Maximum number of agents, one for each set of TLS options; the least recently used one is dropped. Default 64. */
  readonly maxAgents?: number | undefined;
  /** How long an idle connection is kept. Default `60s`. */
  readonly idle?: Duration | undefined;
}

const checks: OptionChecks<NodeHttpClientOptions> = {
  maxSockets: aCount('connections', 1),
  maxAgents: aCount('agents', 1),
  idle: aPositiveDuration,
};

/** An HTTP client with a connection pool. */
export interface NodeHttpClient extends HttpClient {
  /** Closes all connections; requests in flight fail. Idle connections also close after their timeout. */
  close(): void;
}

/**
 * Creates a client over Node's http and https, with features that `fetch` lacks: custom certificate authorities, client
 * certificates, and server names. Connections are pooled per set of TLS options. Idle connections do not keep the
 * process alive. Proxy settings of the environment are ignored.
 *
 * @throws TypeError that names an invalid option
 */
export function nodeHttpClient(options: NodeHttpClientOptions = {}): NodeHttpClient {
  checkOptions('nodeHttpClient', options, checks);
  const pool = new AgentPool({
    maxSockets: options.maxSockets ?? 16,
    maxAgents: options.maxAgents ?? 64,
    idleMs: Math.ceil(durationMs(options.idle ?? '60s')),
  });
  const client: HttpClient = async (request) => {
    const checked = checkRequest(request);
    const lease = pool.lease(checked.url.protocol, request.tls ?? {}, checked.name);
    try {
      return await sendWithRetry(request, checked, lease.agent);
    } finally {
      lease.release();
    }
  };
  return Object.assign(client, { close: () => pool.close() });
}

async function sendWithRetry(
  request: OutboundRequest,
  checked: CheckedRequest,
  agent: Agent,
): Promise<OutboundResponse> {
  try {
    return await exchange(request, checked, agent);
  } catch (error) {
    if (error instanceof StaleConnection) return exchange(request, checked, agent);
    throw error;
  }
}

/** The server closed a pooled connection when it was reused. A read-only request may be repeated. */
class StaleConnection extends Error {}

const isStale = (error: Error, sent: ClientRequest, checked: CheckedRequest): boolean =>
  checked.method === 'GET' &&
  sent.reusedSocket &&
  'code' in error &&
  (error.code === 'ECONNRESET' || error.code === 'EPIPE');

function exchange(request: OutboundRequest, checked: CheckedRequest, agent: Agent): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    if (signal?.aborted === true) return reject(noAnswer(checked, signal.reason));
    const secure = checked.url.protocol === 'https:';
    const sent = (secure ? httpsRequest : httpRequest)(checked.url, {
      agent,
      method: checked.method,
      headers: Object.fromEntries(
        Object.entries(request.headers ?? {}).map(([name, values]) => [
          name,
          typeof values === 'string' ? values : [...values],
        ]),
      ),
      ...(secure ? identityOptions(checked.url, request.tls) : {}),
    });
    const abort = (): void => {
      reject(noAnswer(checked, signal?.reason));
      sent.destroy();
    };
    const stop = onAbort(signal, abort);
    sent.on('response', (incoming) => readResponse(incoming, checked, request, resolve, reject));
    sent.on('error', (error) =>
      reject(isStale(error, sent, checked) ? new StaleConnection('', { cause: error }) : noAnswer(checked, error)),
    );
    sent.on('close', () => {
      stop();
      // More specific reasons have been reported before.
      reject(noAnswer(checked, new Error('the connection was closed before the response was complete')));
    });
    sent.end(request.body);
  });
}

function readResponse(
  incoming: IncomingMessage,
  checked: CheckedRequest,
  { maxBytes, onChunk }: OutboundRequest,
  resolve: (response: OutboundResponse) => void,
  reject: (error: unknown) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  incoming.on('data', (chunk: Buffer) => {
    length += chunk.length;
    try {
      if (length > maxBytes) throw answerTooLong(checked, maxBytes);
      onChunk?.(chunk.length);
      chunks.push(chunk);
    } catch (error) {
      reject(error);
      incoming.destroy();
    }
  });
  incoming.on('end', () =>
    resolve({
      status: incoming.statusCode ?? 0,
      header: (name) => headerOf(incoming, name),
      body: Uint8Array.from(Buffer.concat(chunks)),
    }),
  );
  incoming.on('error', (error) => reject(noAnswer(checked, error)));
}

function headerOf(incoming: IncomingMessage, name: string): string | undefined {
  const value = Object.hasOwn(incoming.headers, name) ? incoming.headers[name] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Returns the options for the expected name of the certificate. The name is explicit, because Node would prefer a
 * `host` header. An IP address must not be sent as server name (RFC 6066 section 3).
 */
function identityOptions(url: URL, tls: OutboundTls = {}): RequestOptions {
  const name =
    tls.serverName === undefined || tls.serverName === '' ? url.hostname.replace(/^\[(.*)\]$/, '$1') : tls.serverName;
  return {
    servername: isIP(name) === 0 ? name : '',
    checkServerIdentity: (_host, certificate) =>
      namesOnlySubject(certificate) ?? checkServerIdentity(name, certificate),
  };
}

/** Refuses a certificate that names its host only as the subject, as Go's client does; Node's accepts it. */
function namesOnlySubject({ subjectaltname, subject }: PeerCertificate): Error | undefined {
  if (subjectaltname !== undefined && subjectaltname !== '') return undefined;
  if (subject?.CN === undefined) return undefined;
  return Object.assign(new Error('the certificate has no subject alternative name'), { code: NO_ALTERNATIVE_NAME });
}
