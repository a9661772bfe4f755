import type { AuditRecord } from '../audit-record.js';

/**
 * Where events go. The mode of a backend decides how it takes one: `batch` keeps it in memory and writes it later;
 * `blocking` lets the request wait until it is written, or has failed to be; `blocking-strict` also refuses a request
 * whose event of the stage RequestReceived cannot be written.
 */
export interface AuditBackend {
  /** Name in messages and metrics: `log`, `webhook`, `sink`. */
  readonly name: string;
  /** Length of the longest event that it takes with its bodies, in bytes; absent without a limit. */
  readonly maxEventBytes?: number | undefined;
  /**
   * Takes an event. Never throws.
   *
   * @returns false when the request must not go on without it; a promise while the event is being written
   */
  take(record: AuditRecord): boolean | Promise<boolean>;
  /** Writes what is buffered, and releases what the backend holds. */
  close(): Promise<void>;
}

/** How a backend takes events. */
export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const satisfies readonly AuditMode[];

/** How a backend takes events. */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict';

/**
 * Writes events.
 *
 * @param signal aborts when the server no longer waits
 * @throws Error when some are not written; the message contains nothing of the events
 */
export type DeliverEvents = (records: readonly AuditRecord[], signal?: AbortSignal) => void | Promise<void>;
