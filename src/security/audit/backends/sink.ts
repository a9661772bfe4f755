import { durationMs, inSlices, SharedWork, within, type Clock, type Duration } from '../../../foundation/index.js';
import type { AuditRecord } from '../audit-record.js';
import type { AuditEvent } from '../event.js';
import type { DeliverEvents } from './backend.js';
import type { AuditDeliveryDefaults, AuditDeliveryOptions } from './delivery.js';

/**
 * A function that gets the events. It may keep and change them. It may throw, reject or never end: its events are then
 * lost, and nothing else is affected, except in the mode `blocking-strict`.
 *
 * @param signal aborts when the server no longer waits for the function
 */
export type AuditSink = (events: readonly AuditEvent[], signal: AbortSignal) => void | Promise<void>;

/** A sink with its delivery. */
export interface AuditSinkOptions extends AuditDeliveryOptions {
  readonly write: AuditSink;
  /** Maximum time of a call; the events of a longer one count as lost. Default `10s`. */
  readonly timeout?: Duration | undefined;
}

/** Calls in the mode `batch`, with all events of a step together. */
export const sinkDefaults: AuditDeliveryDefaults = { mode: 'batch', maxSize: 400, maxWaitMs: 0, throttled: false };

const TIMEOUT_MS = 10_000;

/** Returns the delivery to a function. */
export function sinkDelivery({ write, timeout = TIMEOUT_MS }: AuditSinkOptions, clock: Clock): DeliverEvents {
  const timeoutMs = durationMs(timeout);
  const late = (): Error => new Error(`the sink of audit events did not return within ${timeoutMs} ms`);
  const send = (events: readonly AuditEvent[]): void | Promise<void> => {
    const controller = new AbortController();
    const written = write(events, controller.signal);
    if (!(written instanceof Promise)) return;
    return within(clock, timeoutMs, () => written, late).catch((error: unknown) => {
      controller.abort(error);
      throw error;
    });
  };
  return (records) =>
    records.some(({ isLong }) => isLong) ? eventsOf(records).then(send) : send(records.map((record) => record.event()));
}

/** Returns the events, of which long ones are decoded in slices. */
async function eventsOf(records: readonly AuditRecord[]): Promise<AuditEvent[]> {
  const work = new SharedWork();
  const events: AuditEvent[] = [];
  for (const record of records)
    events.push(record.isLong ? await inSlices(work, record.eventSteps(work)) : record.event());
  return events;
}
