import type { Clock } from '../../foundation/index.js';

/**
 * A part of the work of a request whose time the audit log records, by its name in Kubernetes: calls of the storage,
 * calls of admission webhooks, and the making of the response.
 */
export type LatencyLayer =
  'etcd' | 'mutating-webhook' | 'validating-webhook' | 'serialize-response-object' | 'apf-queue-wait';

/** The part of the context of a request that times its parts. */
export interface Timing {
  readonly clock: Clock;
  /** Adds time to a part; undefined where nothing is audited. */
  readonly took?: ((layer: LatencyLayer, ms: number) => void) | undefined;
}

/** Runs a part of a request, and reports how long it took. Costs nothing where nobody asks. */
export function timed<Result>(
  { took, clock }: Timing,
  layer: LatencyLayer,
  work: () => Promise<Result>,
): Promise<Result> {
  if (took === undefined) return work();
  const beganMs = clock.now();
  return work().finally(() => took(layer, clock.now() - beganMs));
}
