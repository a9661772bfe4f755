/**
 * The server as a Fastify plugin: `app.register(toFastify(server), { prefix: '/k8s' })`.
 *
 * @module
 */

import { aFunction, checkOptions, type OptionChecks } from '../../foundation/index.js';
import type { Peer } from '../../server/index.js';
import { aPage, withPage, type PageOptions } from '../../ui/index.js';
import { servingCohorts, type NodeRequest, type NodeResponse } from '../node/edge.js';
import { normalizePrefix } from '../prefix.js';
import { targetOf, type Servable } from '../target.js';

/** The used part of a Fastify request. */
export interface FastifyRequestLike {
  readonly raw: NodeRequest;
}

/** The used part of a Fastify reply. */
export interface FastifyReplyLike {
  readonly raw: NodeResponse;
  hijack(): unknown;
}

/** The used part of a Fastify instance. */
export interface FastifyInstanceLike {
  /** The prefix that the plugin was registered with; empty for the root. */
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
  /** Whether the page for people is served at `/ui` below the prefix, and how. Default false. */
  readonly ui?: boolean | PageOptions | undefined;
  /** Returns the peer of a request behind a proxy that terminates TLS. Undefined means the peer of the socket. */
  readonly peer?: ((request: FastifyRequestLike) => Peer | undefined) | undefined;
}

/**
 * Returns a plugin that serves all requests below its prefix, with any method and content type. The server reads the
 * bodies, so `bodyLimit` does not apply. The application's hooks up to `preHandler` run before the server, which sends
 * the reply itself. Only a malformed Content-Type is refused by Fastify, with 415.
 *
 * @throws TypeError for an invalid server or option
 */
export function toFastify(server: Servable, options: FastifyOptions = {}): FastifyPluginLike {
  const served = targetOf('toFastify', server);
  checkOptions('toFastify', options, { peer: aFunction, ui: aPage } satisfies OptionChecks<FastifyOptions>);
  const target = withPage(served, options.ui ?? false);
  const serve = servingCohorts(target);
  const { peer: peerOf } = options;
  return (instance, _options, done) => {
    const prefix = normalizePrefix(instance.prefix);
    const handler = (request: FastifyRequestLike, reply: FastifyReplyLike): void => {
      reply.hijack();
      const peer = peerOf?.(request);
      serve(request.raw, reply.raw, { prefix, ...(peer && { peer }) });
    };
    // Removes the parsers in the context of this plugin only, not those of the application.
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    const method = [...instance.supportedMethods];
    instance.route({ method, url: '/', exposeHeadRoute: false, handler });
    instance.route({ method, url: '/*', exposeHeadRoute: false, handler });
    done();
  };
}
