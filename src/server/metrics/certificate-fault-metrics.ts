/**
 * The metrics of webhooks whose certificates are not accepted, by the names and labels of Kubernetes 1.31.
 *
 * Source: `apiserver/pkg/util/webhook/metrics.go` of Kubernetes 1.31.
 *
 * @module
 */
import { certificateFault } from '../../foundation/index.js';
import type { Metrics } from './metrics.js';
import { certificateFaultMetrics } from './table/access-metrics.js';

/**
 * Returns a function that sends requests to webhooks as the given one does, and counts the certificates for which they
 * fail.
 */
export function countingCertificateFaults<Arguments extends readonly unknown[], Response>(
  send: (...given: Arguments) => Promise<Response>,
  metrics: Metrics,
): (...given: Arguments) => Promise<Response> {
  const series = {
    'missing-san': metrics.counter(certificateFaultMetrics.apiserver_webhooks_x509_missing_san_total).series(),
    'insecure-sha1': metrics.counter(certificateFaultMetrics.apiserver_webhooks_x509_insecure_sha1_total).series(),
  };
  return async (...given) => {
    try {
      return await send(...given);
    } catch (error) {
      const fault = certificateFault(error);
      if (fault !== undefined) series[fault].add();
      throw error;
    }
  };
}
