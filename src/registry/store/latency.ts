import type { RequestContext } from './context.js';

/**
 * A part of the work of a request whose time the audit log records, by its name in Kubernetes: calls of the storage,
 * calls of admission webhooks, and the making of the response.
 */
export type LatencyLayer =
  'etcd' | 'mutating-webhook' | 'validating-webhook' | 'serialize-response-object' | 'apf-queue-wait';

/** Runs a part of a request, and reports how long it took. Costs nothing where nobody asks. */
export function timed<Result>(
  { took, clock }: Pick<RequestContext, 'took' | 'clock'>,
  layer: LatencyLayer,
  work: () => Promise<Result>,
): Promise<Result> {
  if (took === undefined) return work();
  const beganMs = clock.now();
  return work().finally(() => took(layer, clock.now() - beganMs));
}
