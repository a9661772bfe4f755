import type { TraceSpan } from '../../foundation/index.js';
import type { RequestContext } from '../../registry/index.js';
import type { RequestAudit } from '../../security/index.js';

/** The parts that follow a request. */
export interface RequestFollowers {
  /** The audit events of the request. */
  readonly audit?: RequestAudit | undefined;
  /** The step of the trace in which the request is handled. */
  readonly span?: TraceSpan | undefined;
  /** Gets every record that the request writes. */
  readonly written?: RequestContext['written'] | undefined;
  /** Runs a wait outside the limit of requests in flight. */
  readonly whileWaiting?: RequestContext['whileWaiting'] | undefined;
  /** Sums up the time of webhooks. */
  readonly webhookTimes?: RequestContext['webhookTimes'] | undefined;
  /** Its work; by default that of an in-process client. */
  readonly work?: RequestContext['work'] | undefined;
}
