import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import type { Dialect } from '../../names/dialect.js';
import type { EventRecorder } from '../event-recorder.js';
import type { SharedInformers } from '../shared-informers.js';

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
