import type { ApiResponse } from '../../server/http.js';
import { acceptsHost, hostsOf } from './accepted-hosts.js';
import type { ResolvedOptions } from './listen-options.js';
import type { NodeRequest } from './peer.js';

/**
 * Returns the response of a listener that refuses a request by its head; undefined when the server handles the request.
 */
export function refusalOf(
  request: NodeRequest,
  { limits, acceptedHosts }: Pick<ResolvedOptions, 'limits' | 'acceptedHosts'>,
): ApiResponse | undefined {
  if ((request.url ?? '').length > limits.urlBytes) return plainResponse('414 URI Too Long');
  // For HTTP/1.1 the parser checks the size.
  if ('stream' in request && fieldBytes(request) > limits.headerBytes)
    return plainResponse('431 Request Header Fields Too Large');
  const hosts = hostsOf(request);
  // As in Go. With two names, a proxy and the server could assume different hosts (RFC 9112 section 3.2).
  if (hosts.length > 1) return plainResponse('400 Bad Request: too many Host headers');
  if (acceptedHosts === undefined || hosts.every((host) => acceptsHost(acceptedHosts, host))) return undefined;
  return plainResponse('403 Forbidden: the Host header is neither a loopback name nor one of the accepted hosts');
}

function fieldBytes({ rawHeaders }: NodeRequest): number {
  let length = 0;
  for (const text of rawHeaders) length += text.length;
  return length;
}

function plainResponse(status: string): ApiResponse {
  return {
    status: Number.parseInt(status, 10),
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: status,
  };
}
