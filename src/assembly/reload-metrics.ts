import type { ReloadMetrics } from '../meta/reloaded-file.js';
import type { Metrics } from '../server/metrics.js';

/**
 * Counts reloads of a configuration file with the metric names of Kubernetes
 * (`apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds`).
 *
 * @param subsystem prefix of the names: `apiserver_authentication_config_controller`
 * @param what name of the configuration in the help texts: `authentication configuration`
 * @param serverId identifies the server: the digest of a value unique to it
 */
export function reloadMetrics(
  metrics: Metrics,
  subsystem: string,
  what: string,
  serverId: () => string,
): ReloadMetrics {
  return {
    reloaded(success, atSeconds) {
      const labels = { status: success ? 'success' : 'failure', apiserver_id_hash: serverId() };
      metrics
        .counter({
          name: `${subsystem}_automatic_reloads_total`,
          help: `Total number of automatic reloads of ${what} split by status and apiserver identity.`,
        })
        .add(1, labels);
      metrics
        .gauge({
          name: `${subsystem}_automatic_reload_last_timestamp_seconds`,
          help: `Timestamp of the last automatic reload of ${what} split by status and apiserver identity.`,
        })
        .set(atSeconds, labels);
    },
  };
}
