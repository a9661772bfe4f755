/**
 * The Node edge: request and response conversions shared by node:http, node:https, node:http2, Express and Fastify.
 *
 * @module
 */

import { readyValue } from '../../foundation/index.js';
import type { ApiRequest, ApiResponse } from '../../server/index.js';
import { Cohort } from '../cohort.js';
import { targetOf, type Servable, type TransportTarget } from '../target.js';
import { isGone } from './gone.js';
import { clientOf, type NodeRequest, type NodeResponse } from './peer.js';
import { apiRequestOf, type RequestOptions, type ToApiRequestOptions } from './request.js';
import { reset } from './responses/response-stream.js';
import { writePaced } from './responses/response.js';
import type { WritePace } from './responses/write-pace.js';

export type { NodeRequest, NodeResponse } from './peer.js';
export { toApiRequest, type ToApiRequestOptions } from './request.js';
export { writeApiResponse } from './responses/response.js';

/**
 * Serves one Node request with a server. Resolves when the response has been passed to the socket. Only the timeouts of
 * the enclosing HTTP server apply.
 *
 * @throws TypeError for an invalid server; the promise never rejects
 */
export function serveNode(
  server: Servable,
  request: NodeRequest,
  response: NodeResponse,
  options?: ToApiRequestOptions,
): Promise<void> {
  return send(handled(targetOf('serveNode', server), accepted(request, response, options)), response, undefined);
}

/** Serves one Node request. */
export type ServeNode = (
  request: NodeRequest,
  response: NodeResponse,
  options?: RequestOptions,
  pace?: WritePace,
  /** Called when the response has been passed to the socket; must not throw. */
  done?: () => void,
) => void;

/** Returns a function that serves requests as {@link serveNode} does, and starts those of one turn together. */
export function servingCohorts(target: TransportTarget, cohort = new Cohort()): ServeNode {
  return (request, response, options, pace, done) => {
    const asked = accepted(request, response, options);
    let answer: ApiResponse | undefined;
    const start = (): void => {
      // The client has reset the request already: nobody waits for the response.
      if ('stream' in response && isGone(response)) {
        done?.();
        return;
      }
      const answering = handled(target, asked);
      answer = readyValue(answering);
      if (answer === undefined) void send(answering, response, pace, done);
    };
    const finish = (): void => {
      if (answer !== undefined) void write(response, answer, pace, done);
    };
    cohort.join(start, finish, () => clientOf(request));
  };
}

/** Converts a request, and prepares for what may happen before it is answered. */
function accepted(request: NodeRequest, response: NodeResponse, options: RequestOptions | undefined): ApiRequest {
  // Without a listener, a connection error would end the process.
  response.on('error', ignore);
  // An HTTP/2 request that is not read to its end does not close when the client resets it without an error code.
  if ('stream' in request && request.stream.endAfterHeaders) request.resume();
  return apiRequestOf(request, response, options);
}

/** Lets the target answer. Never throws. */
function handled(target: TransportTarget, request: ApiRequest): Promise<ApiResponse> {
  try {
    return target.handle(request);
  } catch {
    return Promise.resolve(HANDLER_FAILED);
  }
}

/** Waits for an answer, and sends it. */
async function send(
  answering: Promise<ApiResponse>,
  response: NodeResponse,
  pace: WritePace | undefined,
  done?: () => void,
): Promise<void> {
  let answer: ApiResponse;
  try {
    answer = await answering;
  } catch {
    answer = HANDLER_FAILED;
  }
  await write(response, answer, pace, done);
}

/** Returns undefined when the whole response was passed to the socket at once. */
function write(
  response: NodeResponse,
  answer: ApiResponse,
  pace: WritePace | undefined,
  done: (() => void) | undefined,
): Promise<void> | undefined {
  let writing: Promise<void> | undefined;
  try {
    writing = writePaced(response, answer, pace);
  } catch {
    reset(response);
  }
  if (writing !== undefined) return writing.catch(() => reset(response)).then(done);
  done?.();
  return undefined;
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
