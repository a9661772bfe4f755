import { ApiError, errors } from '../../foundation/index.js';
import { ConnectionLostError } from '../../server/index.js';

/** Wraps the failure of the server's start. */
export class StartFailure {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/**
 * Rethrows a failure as an ApiError. Errors of hooks, plugins and authorizers become the cause of an ApiError 500; a
 * signal's reason, a lost connection and the failure of the server's start are rethrown unchanged.
 *
 * @throws always
 */
export function rethrow(error: unknown, signal: AbortSignal | undefined): never {
  if (error instanceof StartFailure) throw error.reason;
  if (error instanceof ConnectionLostError) throw error;
  if (error instanceof ApiError || (signal?.aborted === true && error === signal.reason)) throw error;
  throw errors.unexpected(error);
}
