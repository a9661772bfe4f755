import { ApiError, stringOrEmpty, type JsonObject } from '../../../foundation/index.js';
import { asMap } from '../typed/value.js';

/** Returns a failure that Kubernetes answers with a bare 500: message and code, no reason. */
export function failure(message: string, cause?: unknown): ApiError {
  return new ApiError({ message, code: 500 }, { cause });
}

/** Throws an error again that refuses a request for lack of memory, whatever else its caller does about failures. */
export function rethrowRefusal(error: unknown): void {
  if (error instanceof ApiError && error.status.code === 429) throw error;
}

/**
 * Formats a group, version and kind for messages: `group/version, Kind=kind`; for the empty group
 * `/version, Kind=kind`.
 */
export function kindText(object: JsonObject): string {
  const apiVersion = stringOrEmpty(object['apiVersion']);
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${stringOrEmpty(object['kind'])}`;
}

/** Formats an object for messages: `namespace/name; group/version, Kind=kind`. */
export function objectText(object: JsonObject): string {
  const metadata = asMap(object['metadata']);
  return `${stringOrEmpty(metadata?.['namespace'])}/${stringOrEmpty(metadata?.['name'])}; ${kindText(object)}`;
}
