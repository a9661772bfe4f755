/**
 * The Node edge: request and response conversions shared by node:http, node:https, node:http2, Express and Fastify.
 *
 * @module
 */

import type { ApiResponse } from '../../server/http.js';
import type { TransportTarget } from '../target.js';
import type { NodeRequest, NodeResponse } from './peer.js';
import { toApiRequest, type ToApiRequestOptions } from './request.js';
import { writeApiResponse } from './response.js';
import type { WritePace } from './write-pace.js';

export type { NodeRequest, NodeResponse } from './peer.js';
export { toApiRequest, type ToApiRequestOptions } from './request.js';
export { writeApiResponse } from './response.js';

/**
 * Serves one Node request. Resolves when the response has been passed to the socket; never rejects.
 *
 * @param pace notified when the client blocks the response. Without it only the timeouts of the enclosing HTTP server
 *   apply
 */
export async function serveNode(
  target: TransportTarget,
  request: NodeRequest,
  response: NodeResponse,
  options?: ToApiRequestOptions,
  pace?: WritePace,
): Promise<void> {
  // Without a listener, a connection error would end the process.
  response.on('error', ignore);
  // An HTTP/2 request that is not read to its end does not close when the client resets it without an error code.
  if ('stream' in request && request.stream.endAfterHeaders) request.resume();
  let answer: ApiResponse;
  try {
    answer = await target.handle(toApiRequest(request, response, options));
  } catch {
    answer = HANDLER_FAILED;
  }
  try {
    await writeApiResponse(response, answer, pace);
  } catch {
    response.destroy();
  }
}

/** Response when a handler rejects, which it must not do. */
export const HANDLER_FAILED: ApiResponse = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'Internal Server Error\n',
};

function ignore(): void {
  // The client has disconnected; its signal has aborted.
}
