/**
 * The server as connect-style middleware, for Express 4 and 5 and for connect.
 *
 * @module
 */

import { aFunction } from '../../foundation/index.js';
import type { Peer } from '../../server/index.js';
import { servingCohorts, type NodeRequest, type NodeResponse } from '../node/edge.js';
import { checkMount, normalizePrefix, stripPrefix, type MountOptions } from '../prefix.js';
import { splitTarget, type Servable } from '../target.js';

/** Options of {@link toExpress}. */
export interface ExpressOptions extends MountOptions {
  /**
   * Returns whether the server handles a path (without the prefix); other requests go to the next middleware. By
   * default the server handles all requests.
   */
  readonly claims?: ((path: string) => boolean) | undefined;
  /** Returns the peer of a request behind a proxy that terminates TLS. Undefined means the peer of the socket. */
  readonly peer?: ((request: ExpressRequestLike) => Peer | undefined) | undefined;
}

/** A request of Express: `url` is relative to the mount path, `originalUrl` is complete. */
export type ExpressRequestLike = NodeRequest & { readonly originalUrl?: string | undefined };

/** Connect-style middleware. */
export type ExpressMiddlewareLike = (
  request: ExpressRequestLike,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Returns middleware that serves a server. `app.use('/k8s', toExpress(server))` needs no prefix, because Express
 * removes the mount path from `url`; `app.all('/k8s/*splat', …)` keeps it and needs `prefix`.
 *
 * Use it before `express.json()`: a parsed body is accepted, but duplicate keys and long numbers are lost.
 *
 * @throws TypeError for an invalid server or option
 */
export function toExpress(server: Servable, options: ExpressOptions = {}): ExpressMiddlewareLike {
  const target = checkMount('toExpress', server, options, { claims: aFunction });
  const prefix = normalizePrefix(options.prefix);
  const serve = servingCohorts(target);
  const { claims } = options;
  return (request, response, next) => {
    if (claims !== undefined && !claims(stripPrefix(splitTarget(request.url ?? '/').path, prefix))) return next();
    const peer = options.peer?.(request);
    serve(request, response, { prefix, ...(peer && { peer }) });
  };
}
