import type { Client } from '../../../client/index.js';
import type { Clock, Dialect } from '../../../foundation/index.js';
import type { EventRecorder } from '../../runtime/event-recorder.js';
import type { SharedInformers } from '../../runtime/shared-informers.js';

/** Options of the controllers of workloads. */
export interface WorkloadOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly informers: SharedInformers;
  readonly recorder: EventRecorder;
  readonly onError: (error: unknown) => void;
}
