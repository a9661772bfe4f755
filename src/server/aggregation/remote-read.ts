import {
  sendWithin,
  type Clock,
  type Dialect,
  type OutboundRequest,
  type OutboundResponse,
} from '../../foundation/index.js';
import { MASTERS_GROUP } from '../../security/index.js';
import { tlsWith, type ForwardParts } from './forward.js';
import { userFields } from './forwarded-fields.js';
import type { RemoteService } from './remote-services.js';

/** The parts that a read from another server uses. */
export interface RemoteReadParts extends Pick<ForwardParts, 'http' | 'findService' | 'identity'> {
  readonly clock: Clock;
  readonly dialect: Dialect;
}

/** A document of another server that this one reads for itself. */
export interface RemoteRead extends Pick<OutboundRequest, 'maxBytes' | 'onChunk'> {
  readonly path: string;
  /** Header fields besides those that name the user. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum time until all of it has arrived, in milliseconds. */
  readonly timeoutMs: number;
}

/** Reads a document of another server, as the user of the aggregator. @throws Error without a response */
export async function readRemote(
  parts: RemoteReadParts,
  { service, tls }: RemoteService,
  { path, headers, timeoutMs, ...limits }: RemoteRead,
): Promise<OutboundResponse> {
  const { http, findService, clock, dialect } = parts;
  if (tls instanceof Error) throw tls;
  const { origin } = await findService(service);
  const user = userFields({ username: `system:${dialect.aggregatorName}`, groups: [MASTERS_GROUP] });
  return sendWithin(
    http,
    { url: origin + path, headers: { ...user, ...headers }, tls: await tlsWith(parts, tls), ...limits },
    { clock, timeoutMs },
  );
}
