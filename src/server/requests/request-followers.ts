import type { TraceSpan, Work } from '../../foundation/index.js';
import type { WebhookTimes, WhileWaiting } from '../../registry/index.js';
import type { RequestAudit } from '../../security/index.js';
import type { StorageCondition, StorageRecord } from '../../storage/index.js';

/** The parts that follow a request. */
export interface RequestFollowers {
  /** The audit events of the request. */
  readonly audit?: RequestAudit | undefined;
  /** The step of the trace in which the request is handled. */
  readonly span?: TraceSpan | undefined;
  /** Gets every record that the request writes. */
  readonly written?: ((record: StorageRecord) => void) | undefined;
  /** Runs a wait outside the limit of requests in flight. */
  readonly whileWaiting?: WhileWaiting | undefined;
  /** Sums up the time of webhooks. */
  readonly webhookTimes?: WebhookTimes | undefined;
  /** Condition of the storage under which the request writes. */
  readonly while?: StorageCondition | undefined;
  /** Its work; by default that of an in-process client. */
  readonly work?: Work | undefined;
}
