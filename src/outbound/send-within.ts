import type { Clock } from '../meta/clock.js';
import { onAbort } from '../meta/on-abort.js';
import type { HttpClient, OutboundRequest, OutboundResponse } from './http-client.js';

/** How long a request may take. */
export interface SendWithinOptions {
  readonly clock: Clock;
  /** Milliseconds until the whole answer must be there. */
  readonly timeoutMs: number;
}

/**
 * Sends a request that must be answered in time. The request's own signal ends it as well.
 *
 * @throws Error `… no answer within 30000 ms` when the time is over; else what the client throws
 */
export async function sendWithin(
  http: HttpClient,
  request: OutboundRequest,
  { clock, timeoutMs }: SendWithinOptions,
): Promise<OutboundResponse> {
  const controller = new AbortController();
  const timer = clock.after(timeoutMs, () => controller.abort(new Error(`no answer within ${timeoutMs} ms`)));
  const follow = (): void => controller.abort(request.signal?.reason);
  if (request.signal?.aborted === true) follow();
  const stop = onAbort(request.signal, follow);
  try {
    return await http({ ...request, signal: controller.signal });
  } finally {
    timer.cancel();
    stop();
  }
}
