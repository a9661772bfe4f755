import type { OutboundSocket, OutboundStream } from '../../foundation/index.js';
import type { ConnectionSocketRequest, ConnectionStreamRequest } from './http-connection.js';

/**
 * When a request may be sent again: `always`, since a second one has no effect beside the first; when the server has
 * `refused` it for the moment; or only when it was `unsent`.
 */
export type Repeats = 'always' | 'refused' | 'unsent';

/** A request of a client. */
export interface WireRequest extends ConnectionStreamRequest {
  readonly path: string;
  readonly repeats: Repeats;
}

/** Sends a request, and resolves with the head of the response. @throws Error when none arrives */
export type Sender = (request: WireRequest) => Promise<OutboundStream>;

/** Opens a WebSocket, and resolves with it or with the response that refuses it. @throws Error when none arrives */
export type SocketOpener = (request: ConnectionSocketRequest) => Promise<OutboundSocket | OutboundStream>;
