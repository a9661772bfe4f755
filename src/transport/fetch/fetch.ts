/**
 * The WHATWG transport: `Request` in, `Response` out. For Deno, Bun, workers, Hono, and for tests without a socket.
 *
 * @module
 */

import type { Peer } from '../../server/index.js';
import { checkMount, normalizePrefix, type MountOptions } from '../prefix.js';
import type { Servable } from '../target.js';
import { FetchApiRequest, unknownPeer } from './fetch-request.js';
import { toResponse } from './fetch-response.js';

export type { MountOptions } from '../prefix.js';
export type { Servable, ServerTarget, TransportTarget } from '../target.js';

/** Options of {@link toFetchHandler}. */
export interface FetchOptions extends MountOptions {
  /**
   * Returns the peer of a request, which a `Request` does not contain. By default the address is unknown, and TLS
   * follows from the URL.
   */
  readonly peer?: ((request: Request) => Peer) | undefined;
}

/** Answers a `Request` with a `Response`. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Returns a handler of `Request` that serves a server. The handler rejects only if the server's target does, and when the
 * connection of a request is lost (`ApiResponse.lost`), as `fetch` does.
 *
 * @throws TypeError for an invalid server or option
 */
export function toFetchHandler(server: Servable, options: FetchOptions = {}): FetchHandler {
  const target = checkMount('toFetchHandler', server, options);
  const prefix = normalizePrefix(options.prefix);
  const peerOf = options.peer ?? unknownPeer;
  return async (request) => {
    const apiRequest = new FetchApiRequest(request, prefix, peerOf);
    return toResponse(await target.handle(apiRequest), apiRequest);
  };
}
