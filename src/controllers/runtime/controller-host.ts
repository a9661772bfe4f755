import type { Client } from '../../client/index.js';
import type { Dialect } from '../../foundation/index.js';
import type { EventRecorder } from './event-recorder.js';
import type { ReconcilerHost } from './keyed-reconciler.js';

/** The part of a server that its controllers use. */
export interface ControllerHost extends ReconcilerHost {
  readonly client: Client;
  readonly dialect: Dialect;
}

/** {@link ControllerHost}, for controllers that record events. */
export interface RecordingHost extends ControllerHost {
  readonly recorder: EventRecorder;
}
