/**
 * The server as a Fastify plugin: `app.register(toFastify(server), { prefix: '/k8s' })`.
 *
 * @module
 */

import { aFunction, checkOptions, type OptionChecks } from '../../meta/options.js';
import type { Peer } from '../../server/http.js';
import { normalizePrefix } from '../prefix.js';
import { checkTarget, type TransportTarget } from '../target.js';
import { serveNode, type NodeRequest, type NodeResponse } from './edge.js';

/** The part of a Fastify request that is used. */
export interface FastifyRequestLike {
  readonly raw: NodeRequest;
}

/** The part of a Fastify reply that is used. */
export interface FastifyReplyLike {
  readonly raw: NodeResponse;
  hijack(): unknown;
}

/** The part of a Fastify instance that is used. */
export interface FastifyInstanceLike {
  /** The prefix under which the plugin was registered; empty for the root. */
  readonly prefix: string;
  readonly supportedMethods: readonly string[];
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  route(options: {
    method: string[];
    url: string;
    exposeHeadRoute: boolean;
    handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => void;
  }): unknown;
}

/** A plugin. */
export type FastifyPluginLike = (
  instance: FastifyInstanceLike,
  options: unknown,
  done: (error?: Error) => void,
) => void;

/** Options of {@link toFastify}. */
export interface FastifyOptions {
  /** Who sent a request, where the socket does not tell: behind something that ends TLS. Undefined leaves it to the socket. */
  readonly peer?: (request: FastifyRequestLike) => Peer | undefined;
}

/**
 * Serves the target as a plugin that answers everything below its prefix, every method and every content type. Bodies are
 * left unread for the server, so `bodyLimit` does not apply; hooks of the application up to `preHandler` run before it,
 * and the reply is the server's own. Only a
 * Content-Type that is no media type at all is refused by Fastify itself, with 415.
 *
 * @throws TypeError for what is no server, and for an option that is not what it must be
 */
export function toFastify(target: TransportTarget, options: FastifyOptions = {}): FastifyPluginLike {
  checkTarget('toFastify', target);
  checkOptions('toFastify', options, { peer: aFunction } satisfies OptionChecks<FastifyOptions>);
  const { peer: peerOf } = options;
  return (instance, _options, done) => {
    const prefix = normalizePrefix(instance.prefix);
    const handler = (request: FastifyRequestLike, reply: FastifyReplyLike): void => {
      reply.hijack();
      const peer = peerOf?.(request);
      void serveNode(target, request.raw, reply.raw, { prefix, ...(peer && { peer }) });
    };
    // Parsers belong to this plugin's own context; those of the application stay.
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    const method = [...instance.supportedMethods];
    instance.route({ method, url: '/', exposeHeadRoute: false, handler });
    instance.route({ method, url: '/*', exposeHeadRoute: false, handler });
    done();
  };
}
