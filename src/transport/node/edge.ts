/**
 * The Node edge: one pair of conversions that node:http, node:https, node:http2, Express and Fastify share.
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
 * Answers one Node request with the target. Resolves when the answer has been handed to the socket; never rejects.
 *
 * @param pace told when the client makes the answer wait. Without it a client may take as long as the HTTP server around lets it
 */
export async function serveNode(
  target: TransportTarget,
  request: NodeRequest,
  response: NodeResponse,
  options?: ToApiRequestOptions,
  pace?: WritePace,
): Promise<void> {
  // Without a listener an error of the connection would end the process.
  response.on('error', ignore);
  // An HTTP/2 request that nobody reads to its end does not close when the client resets it without an error code.
  if ('stream' in request && request.stream.endAfterHeaders) request.resume();
  let answer: ApiResponse;
  try {
    answer = await target.handle(toApiRequest(request, response, options));
  } catch {
    answer = BROKEN;
  }
  try {
    await writeApiResponse(response, answer, pace);
  } catch {
    response.destroy();
  }
}

/** A handler never rejects; one that does anyway has left no answer to write. */
const BROKEN: ApiResponse = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'Internal Server Error\n',
};

function ignore(): void {
  // The client is gone; its signal has aborted.
}
