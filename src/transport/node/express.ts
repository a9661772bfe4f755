/**
 * The server as connect-style middleware, for Express 4 and 5 and for connect.
 *
 * @module
 */

import type { Peer } from '../../server/http.js';
import { aFunction } from '../../meta/options.js';
import { checkMount, normalizePrefix, stripPrefix, type MountOptions } from '../prefix.js';
import { splitTarget, type TransportTarget } from '../target.js';
import { serveNode, type NodeRequest, type NodeResponse } from './edge.js';

/** Options of {@link toExpress}. */
export interface ExpressOptions extends MountOptions {
  /**
   * Says which paths the server answers, prefix taken off; the others go on to the next middleware. By default the server
   * answers everything that reaches it.
   */
  readonly claims?: (path: string) => boolean;
  /** Who sent a request, where the socket does not tell: behind something that ends TLS. Undefined leaves it to the socket. */
  readonly peer?: (request: ExpressRequestLike) => Peer | undefined;
}

/** A request as Express hands it on: `url` is below the mount path, `originalUrl` is the whole. */
export type ExpressRequestLike = NodeRequest & { readonly originalUrl?: string };

/** Connect-style middleware. */
export type ExpressMiddlewareLike = (
  request: ExpressRequestLike,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Serves the target as middleware. `app.use('/k8s', toExpress(server))` needs no prefix, since Express takes the mount
 * path off `url` by itself; `app.all('/k8s/*splat', …)` leaves it on and needs `prefix`.
 *
 * Use it before `express.json()`: a parsed body is accepted, but it has lost repeated keys and long numbers.
 *
 * @throws TypeError for what is no server, and for an option that is not what it must be
 */
export function toExpress(target: TransportTarget, options: ExpressOptions = {}): ExpressMiddlewareLike {
  checkMount('toExpress', target, options, { claims: aFunction });
  const prefix = normalizePrefix(options.prefix);
  const { claims } = options;
  return (request, response, next) => {
    if (claims !== undefined && !claims(stripPrefix(splitTarget(request.url ?? '/').path, prefix))) return next();
    const peer = options.peer?.(request);
    void serveNode(target, request, response, { prefix, ...(peer && { peer }) });
  };
}
