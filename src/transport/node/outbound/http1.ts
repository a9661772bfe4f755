import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import {
  noAnswer,
  onAbort,
  type CheckedRequest,
  type OutboundStream,
  type StreamedRequest,
} from '../../../foundation/index.js';
import type { AgentLease } from './agent-pool.js';
import { fieldsOf, sentFields } from './fields.js';
import { identityOf } from './identity.js';
import { INCOMPLETE, piecesOf } from './pieces.js';
import { proxyAuthorization } from './proxy.js';
import type { ResponseCount, ResponseTurns } from './response-turns.js';

/** The server closed a pooled connection when it was reused. A read-only request may be repeated. */
export class StaleConnection extends Error {}

const isStale = (error: Error, sent: ClientRequest, checked: CheckedRequest): boolean =>
  checked.method === 'GET' &&
  sent.reusedSocket &&
  'code' in error &&
  (error.code === 'ECONNRESET' || error.code === 'EPIPE');

/**
 * Sends a request in HTTP/1.1. Resolves with the head of the response.
 *
 * @param turns bounds what the response makes the host parse in a turn
 * @throws StaleConnection when the request may be sent again; Error when there is no response
 */
export function sendHttp1(
  request: StreamedRequest,
  checked: CheckedRequest,
  { agent, forwarder, hold }: AgentLease,
  turns: ResponseTurns,
): Promise<OutboundStream> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    if (signal?.aborted === true) return reject(noAnswer(checked, signal.reason));
    const secure = checked.url.protocol === 'https:';
    const sent = (secure ? httpsRequest : httpRequest)(checked.url, {
      agent,
      method: checked.method,
      headers: headersOf(request, checked.url, forwarder),
      ...(secure ? identityOf(checked.url, request.tls) : {}),
      ...(forwarder === undefined ? {} : forwardedOptions(checked.url, forwarder)),
    });
    const release = hold();
    const abort = (): void => {
      reject(noAnswer(checked, signal?.reason));
      sent.destroy();
    };
    const stop = onAbort(signal, abort);
    let count: ResponseCount | undefined;
    sent.on('socket', (socket) => {
      if (request.background === true) socket.unref();
      count = turns.begin(socket);
    });
    sent.on('response', (incoming) => {
      count?.head(incoming);
      resolve(streamOf(incoming, checked, signal, count));
    });
    sent.on('error', (error) =>
      reject(isStale(error, sent, checked) ? new StaleConnection('', { cause: error }) : noAnswer(checked, error)),
    );
    sent.on('close', () => {
      stop();
      release();
      count?.end();
      // More specific reasons have been reported before.
      reject(noAnswer(checked, new Error(INCOMPLETE)));
    });
    // Node would encode the head together with a string, as UTF-8.
    sent.end(typeof request.body === 'string' ? Buffer.from(request.body) : request.body);
  });
}

function headersOf({ headers, body }: StreamedRequest, { host }: URL, forwarder: URL | undefined): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = { ...(forwarder === undefined ? {} : { host }), ...sentFields(headers) };
  // Node sends the body of a deletion without a length.
  if (body !== undefined) sent['content-length'] = Buffer.byteLength(body);
  const authorization = forwarder === undefined ? undefined : proxyAuthorization(forwarder);
  if (authorization !== undefined) sent['proxy-authorization'] = authorization;
  return sent;
}

/** Returns the options of a request that a proxy passes on: it gets the URL as a whole. */
const forwardedOptions = ({ href }: URL, proxy: URL): RequestOptions => ({
  host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
  port: proxy.port === '' ? 80 : Number(proxy.port),
  path: href,
});

/** Returns the response of a request. @param count counts its pieces; default: nobody does */
export function streamOf(
  incoming: IncomingMessage,
  checked: CheckedRequest,
  signal: AbortSignal | undefined,
  count?: ResponseCount,
): OutboundStream {
  return {
    status: incoming.statusCode ?? 0,
    header: (name) => headerOf(incoming, name),
    fields: () => fieldsOf(incoming.headersDistinct),
    body: piecesOf(
      incoming,
      (error) =>
        noAnswer(checked, signal?.aborted === true ? signal.reason : incoming.complete ? error : new Error(INCOMPLETE)),
      count,
    ),
    cancel: () => void incoming.destroy(),
  };
}

function headerOf(incoming: IncomingMessage, name: string): string | undefined {
  const value = Object.hasOwn(incoming.headers, name) ? incoming.headers[name] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}
