import type { RecordingHost } from '../runtime/controller-host.js';

/** The part of a server that the controllers of endpoints use. */
export interface EndpointHost extends RecordingHost {
  /** When the controllers of the server started, in milliseconds since the epoch. */
  readonly startedMs: number;
}

/** Number of services that are processed concurrently, and of retries in a row, as in Kubernetes. */
export const SERVICE_LIMITS = { concurrency: 5, maxRetries: 15 } as const;
