/**
 * The server as a Hono handler: `app.all('/k8s/*', toHono(server, { prefix: '/k8s' }))`.
 *
 * @module
 */

import type { Peer } from '../../server/index.js';
import { unknownPeer } from '../fetch/fetch-request.js';
import { toFetchHandler, type FetchOptions } from '../fetch/fetch.js';
import { checkMount } from '../prefix.js';
import type { Servable } from '../target.js';

/** The used part of Hono's `Context`. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request };
  /** Bindings of the runtime; on `@hono/node-server` they contain the Node request as `incoming`. */
  readonly env?: unknown;
}

/**
 * Returns a Hono handler that serves a server. WHATWG requests do not contain the peer; on `@hono/node-server` it
 * comes from `env`.
 *
 * @throws TypeError for an invalid server or option
 */
export function toHono(server: Servable, options: FetchOptions = {}): (context: HonoContextLike) => Promise<Response> {
  const target = checkMount('toHono', server, options);
  const peers = new WeakMap<Request, Peer>();
  const peer = (request: Request): Peer => peers.get(request) ?? unknownPeer(request);
  const handler = toFetchHandler(target, { peer, ...options });
  return (context) => {
    const { raw } = context.req;
    const known = peerOf(context.env);
    if (known !== undefined) peers.set(raw, known);
    return handler(raw);
  };
}

/** Returns the peer on a Node runtime; undefined on any other runtime. */
function peerOf(env: unknown): Peer | undefined {
  const socket = field(field(env, 'incoming'), 'socket');
  if (socket === undefined) return undefined;
  const address = field(socket, 'remoteAddress');
  return { address: typeof address === 'string' ? address : undefined, tls: field(socket, 'encrypted') === true };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (Reflect.get(value, name) as unknown) : undefined;
}
