import type { Status } from '../meta/api-error.js';

/** Reasons whose messages contain only names. Those of all others may quote the body of the request. */
const WITHOUT_CONTENT: ReadonlySet<string | undefined> = new Set([
  'AlreadyExists',
  'Conflict',
  'Expired',
  'Gone',
  'MethodNotAllowed',
  'NotFound',
  'RequestEntityTooLarge',
  'ServiceUnavailable',
  'Timeout',
  'TooManyRequests',
  'Unauthorized',
  undefined,
]);

/**
 * Returns the Status of a request whose body is secret, without anything that may quote the body: validation, admission
 * and patches write values into messages and causes.
 */
export function withoutContent(status: Status): Status {
  const { message, details, ...rest } = status;
  const { causes: _quoted, ...names } = details ?? {};
  return {
    ...rest,
    ...(message !== undefined && (status.status === 'Success' || WITHOUT_CONTENT.has(status.reason))
      ? { message }
      : {}),
    ...(details === undefined ? {} : { details: names }),
  };
}
