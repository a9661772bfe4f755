import { ApiError } from '../../foundation/index.js';
import type { ApiResponse } from '../../server/index.js';

/** Returns the response to a request that cannot be passed on or replayed: a Status with the reason. */
export function problemResponse(code: number, message: string): ApiResponse {
  const { status } = new ApiError({ code, reason: code === 501 ? 'MethodNotAllowed' : 'InternalError', message });
  return { status: code, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
}
