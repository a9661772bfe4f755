import { statusReasons } from '../../foundation/index.js';
import type { AuditResponseStatus } from './event.js';

/** The statements of a response about its outcome, besides the code. */
export type RecordedStatus = Pick<AuditResponseStatus, 'status' | 'message' | 'reason' | 'details'>;

/**
 * Returns what the events of a request whose body is secret show of its Status: not the message, nor its details.
 * Validation, patches, policies and webhooks write values into them, and a webhook may choose any reason for that.
 */
export function withoutContent({ status, reason }: RecordedStatus): RecordedStatus {
  return { status, reason: reason !== undefined && Object.hasOwn(statusReasons, reason) ? reason : undefined };
}
