import { ApiError } from '../../foundation/index.js';
import type { ApiResponse } from '../../server/index.js';

/** Returns a response that says why there is no other one. */
export function problemResponse(code: number, message: string): ApiResponse {
  const { status } = new ApiError({ code, reason: code === 501 ? 'MethodNotAllowed' : 'InternalError', message });
  return { status: code, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
}
