import type { ReloadMetrics } from '../../foundation/index.js';
import { tokenDigest } from '../../security/index.js';
import { reloadMetrics, type ReloadedSubsystem } from '../../server/index.js';
import type { ServerParts } from './server-parts.js';

/** Counts the reloads of a configuration file with the metric names of Kubernetes. */
export function reloadMeter({ metrics, owner }: ServerParts, subsystem: ReloadedSubsystem): ReloadMetrics {
  const { total, lastSeconds } = reloadMetrics(subsystem);
  return {
    reloaded(success, atSeconds) {
      const serverId = `sha256:${tokenDigest(`server ${owner.token}`)}`;
      const labels = { status: success ? 'success' : 'failure', apiserver_id_hash: serverId };
      metrics.counter(total).add(1, labels);
      metrics.gauge(lastSeconds).set(atSeconds, labels);
    },
  };
}
