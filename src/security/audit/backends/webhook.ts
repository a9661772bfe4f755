import { postAccepted, type Clock, type Duration, type Entropy, type WebhookPost } from '../../../foundation/index.js';
import type { AuditRecord } from '../audit-record.js';
import type { DeliverEvents } from './backend.js';
import type { AuditDeliveryDefaults, AuditDeliveryOptions } from './delivery.js';

/** A webhook that gets the events as an `EventList`. */
export interface AuditWebhookOptions extends AuditDeliveryOptions {
  /** Posts to the webhook, such as `webhookPost()` returns. */
  readonly post: WebhookPost;
  /** Pause before the first retry; each further one is half as long again. Default `10s`. */
  readonly initialBackoff?: Duration | undefined;
  /** Maximum time of an attempt. Default `30s`. */
  readonly timeout?: Duration | undefined;
}

/** As in Kubernetes: batches of up to 400 events, after at most 30 seconds, and a bounded rate. */
export const webhookDefaults: AuditDeliveryDefaults = {
  ...{ mode: 'batch', maxSize: 400, maxWaitMs: 30_000, throttled: true },
};

const INITIAL_BACKOFF_MS = 10_000;

/** The parts that {@link webhookDelivery} works with. */
export interface WebhookDeliveryParts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** `audit.<suffix>/v1`. */
  readonly apiVersion: string;
}

/** Returns the delivery to a webhook, with up to five attempts. */
export function webhookDelivery(
  { post, initialBackoff = INITIAL_BACKOFF_MS, timeout }: AuditWebhookOptions,
  { clock, entropy, apiVersion }: WebhookDeliveryParts,
): DeliverEvents {
  const options = { post, clock, entropy, timeout, retry: { initial: initialBackoff } };
  return (records, signal) => postAccepted(listText(apiVersion, records), options, signal);
}

function listText(apiVersion: string, records: readonly AuditRecord[]): string {
  const head = `{"kind":"EventList","apiVersion":${JSON.stringify(apiVersion)},"metadata":{},"items":[`;
  // One copy of all pieces: a text that is made of texts would be copied again when it is sent.
  const pieces = records.flatMap((record, index) => (index === 0 ? record.pieces() : [',', ...record.pieces()]));
  return [head, ...pieces, ']}'].join('');
}
