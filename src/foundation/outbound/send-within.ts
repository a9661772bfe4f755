import { onAbort } from '../async/on-abort.js';
import type { Clock } from '../time/clock.js';
import type { HttpClient, OutboundRequest, OutboundResponse } from './http-client.js';

/** The timeout of a request. */
export interface SendWithinOptions {
  readonly clock: Clock;
  /** Maximum time until the whole response has arrived, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Sends a request with a timeout. The request's own signal aborts it too.
 *
 * @throws Error `… no answer within 30000 ms` on timeout; otherwise the error of the client
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
