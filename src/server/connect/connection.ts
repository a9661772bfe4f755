import { untilAborted, type Logger, type RoomMemory } from '../../foundation/index.js';
import type { Catalogue } from '../../registry/index.js';
import type { ConnectHandlers } from './handlers.js';

/** One request to a subresource that connects. */
export interface Connection {
  readonly handlers: ConnectHandlers;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** The memory of what the client sends and nobody has read; undefined for a client in the process. */
  readonly memory?: RoomMemory | undefined;
  /** Where the objects are that an endpoint reads besides that in the path. */
  readonly catalogue: Pick<Catalogue, 'find' | 'serves'>;
}

/**
 * Waits for a handler, which is the owner's code and may never answer, until the connection ends.
 *
 * @throws what the handler throws; the reason of the signal when the connection ends first
 */
export const answerOf = <Value>({ signal }: Connection, call: () => Value | Promise<Value>): Promise<Value> =>
  untilAborted(
    Promise.resolve().then(() => call()),
    signal,
  );
