import type { Client } from '../../client/index.js';
import type { Clock, Dialect } from '../../foundation/index.js';
import type { EventRecorder } from '../runtime/event-recorder.js';
import type { SharedInformers } from '../runtime/shared-informers.js';

/** Options of the controllers of endpoints. */
export interface EndpointControllerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly informers: SharedInformers;
  readonly recorder: EventRecorder;
  /** When the controllers of the server started, in milliseconds since the epoch. */
  readonly startedMs: number;
  readonly onError: (error: unknown) => void;
}
