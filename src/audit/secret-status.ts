import { statusReasons, type Status } from '../meta/api-error.js';

/**
 * Returns what the events of a request whose body is secret show of its Status: not the message, nor its details.
 * Validation, patches, policies and webhooks write values into them, and a webhook may choose any reason for that.
 */
export function withoutContent({ kind, apiVersion, metadata, status, reason, code }: Status): Status {
  return {
    ...{ kind, apiVersion, metadata, status },
    ...(reason !== undefined && Object.hasOwn(statusReasons, reason) ? { reason } : {}),
    ...(code === undefined ? {} : { code }),
  };
}
