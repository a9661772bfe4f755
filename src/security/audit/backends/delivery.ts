import { durationMs, type Clock, type Defined, type Duration } from '../../../foundation/index.js';
import type { AuditMode } from './backend.js';

/** Maximum rate of batches. */
export interface AuditThrottle {
  /** Average number of batches per second. Default 10. */
  readonly qps?: number | undefined;
  /** Number of batches that may be written at once after a pause. Default 15. */
  readonly burst?: number | undefined;
}

/** Buffering of the mode `batch`. */
export interface AuditBatchOptions {
  /** Maximum number of events in the buffer; further ones are lost. Default 10,000. */
  readonly bufferSize?: number | undefined;
  /** Maximum memory of the buffer, in bytes; further events are lost. Default 64 MiB. */
  readonly bufferBytes?: number | undefined;
  /** Maximum number of events that are written together. */
  readonly maxSize?: number | undefined;
  /** Maximum time that an event waits for others: `30s`, or milliseconds. 0 writes it in the next turn. */
  readonly maxWait?: Duration | undefined;
  /** Maximum rate of batches; false for any. */
  readonly throttle?: AuditThrottle | false | undefined;
}

/** Maximum sizes. An event that is too large loses its bodies, and is lost if it is too large even then. */
export interface AuditTruncateOptions {
  /** Maximum size of an event, in bytes. Default 102,400. */
  readonly maxEventBytes?: number | undefined;
  /** Maximum size of the events that are written together, in bytes. Default 10 MiB. */
  readonly maxBatchBytes?: number | undefined;
}

/** How a backend gets its events. */
export interface AuditDeliveryOptions {
  readonly mode?: AuditMode | undefined;
  /** Only for the mode `batch`. */
  readonly batch?: AuditBatchOptions | undefined;
  /** Default false: sizes have no limit. */
  readonly truncate?: AuditTruncateOptions | false | undefined;
}

/** {@link AuditDeliveryOptions} with the defaults of a backend. */
export interface AuditDelivery {
  readonly mode: AuditMode;
  readonly batch: Required<Defined<Omit<AuditBatchOptions, 'throttle' | 'maxWait'>>> & {
    readonly maxWaitMs: number;
    readonly throttle: Required<Defined<AuditThrottle>> | false;
  };
  readonly truncate: Required<Defined<AuditTruncateOptions>> | false;
}

/** The defaults that a backend decides for itself. */
export type AuditDeliveryDefaults = Pick<AuditDelivery, 'mode'> &
  Pick<AuditDelivery['batch'], 'maxSize' | 'maxWaitMs'> & { readonly throttled: boolean };

const BUFFER_SIZE = 10_000;
const BUFFER_BYTES = 64 * 1024 * 1024;
const QPS = 10;
const BURST = 15;
const MAX_EVENT_BYTES = 100 * 1024;
const MAX_BATCH_BYTES = 10 * 1024 * 1024;

/** Returns the delivery of a backend. */
export function deliveryOf(
  { mode, batch = {}, truncate = false }: AuditDeliveryOptions,
  defaults: AuditDeliveryDefaults,
): AuditDelivery {
  const throttle = batch.throttle ?? (defaults.throttled ? {} : false);
  return {
    mode: mode ?? defaults.mode,
    batch: {
      bufferSize: batch.bufferSize ?? BUFFER_SIZE,
      bufferBytes: batch.bufferBytes ?? BUFFER_BYTES,
      maxSize: batch.maxSize ?? defaults.maxSize,
      maxWaitMs: batch.maxWait === undefined ? defaults.maxWaitMs : durationMs(batch.maxWait),
      throttle: throttle === false ? false : { qps: throttle.qps ?? QPS, burst: throttle.burst ?? BURST },
    },
    truncate:
      truncate === false
        ? false
        : {
            maxEventBytes: truncate.maxEventBytes ?? MAX_EVENT_BYTES,
            maxBatchBytes: truncate.maxBatchBytes ?? MAX_BATCH_BYTES,
          },
  };
}

/** The parts that a backend needs besides its options. */
export interface AuditBackendParts {
  readonly name: string;
  readonly clock: Clock;
  /** Called with the number of events that are lost, and why. */
  readonly lost: (events: number, reason: string) => void;
}
