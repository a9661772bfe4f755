/**
 * The metrics of the cache of tokens, by the names and labels of Kubernetes 1.31. Kubernetes gives them no help texts.
 *
 * Source: `apiserver/pkg/authentication/token/cache/stats.go` of Kubernetes 1.31.
 *
 * @module
 */
import type { Clock } from '../../foundation/index.js';
import type { TokenCacheMeter } from '../../security/index.js';
import type { Metrics } from './metrics.js';
import { tokenCacheMetrics } from './table/access-metrics.js';

/** Returns what measures the caches of a server. */
export function tokenCacheMeter(metrics: Metrics, clock: Clock): TokenCacheMeter {
  const durations = metrics.histogram(tokenCacheMetrics.authentication_token_cache_request_duration_seconds);
  const requests = metrics.counter(tokenCacheMetrics.authentication_token_cache_request_total);
  const fetches = metrics.counter(tokenCacheMetrics.authentication_token_cache_fetch_total);
  const active = metrics.gauge(tokenCacheMetrics.authentication_token_cache_active_fetch_count);
  return {
    answered(status, beganMs) {
      requests.add(1, { status });
      durations.series({ status }).observe((clock.now() - beganMs) / 1000);
    },
    waiting() {
      active.add(1, { status: 'blocked' });
      return () => active.add(-1, { status: 'blocked' });
    },
    fetching() {
      active.add(1, { status: 'in_flight' });
      return (status) => {
        active.add(-1, { status: 'in_flight' });
        fetches.add(1, { status });
      };
    },
  };
}
