import type { ApiResponse } from '../../server/http.js';
import { acceptsHost, hostsOf } from './accepted-hosts.js';
import type { ResolvedOptions } from './listen-options.js';
import type { NodeRequest } from './peer.js';

/** What a listener answers by itself, by the head of a request: undefined when it is for the server. */
export function refusalOf(
  request: NodeRequest,
  { limits, acceptedHosts }: Pick<ResolvedOptions, 'limits' | 'acceptedHosts'>,
): ApiResponse | undefined {
  if ((request.url ?? '').length > limits.urlBytes) return plainAnswer('414 URI Too Long');
  // That of HTTP/1.1 was measured by the parser.
  if ('stream' in request && fieldBytes(request) > limits.headerBytes)
    return plainAnswer('431 Request Header Fields Too Large');
  const hosts = hostsOf(request);
  // As Go answers. Two names would let a proxy in front and the server take a request for different ones (RFC 9112 section 3.2).
  if (hosts.length > 1) return plainAnswer('400 Bad Request: too many Host headers');
  if (acceptedHosts === undefined || hosts.every((host) => acceptsHost(acceptedHosts, host))) return undefined;
  return plainAnswer(
    '403 Forbidden: the Host header names neither this machine nor a host that the listener was told to accept',
  );
}

function fieldBytes({ rawHeaders }: NodeRequest): number {
  let length = 0;
  for (const text of rawHeaders) length += text.length;
  return length;
}

function plainAnswer(status: string): ApiResponse {
  return {
    status: Number.parseInt(status, 10),
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: status,
  };
}
