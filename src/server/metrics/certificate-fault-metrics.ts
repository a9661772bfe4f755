/**
 * The metrics of webhooks whose certificates are not accepted, by the names and labels of Kubernetes 1.31.
 *
 * Source: `apiserver/pkg/util/webhook/metrics.go` of Kubernetes 1.31.
 *
 * @module
 */
import { certificateFault, type CertificateFault } from '../../foundation/index.js';
import type { MetricOptions, Metrics } from './metrics.js';

const counterOf = (name: string, fault: string, failure: string): MetricOptions => ({
  name: `apiserver_webhooks_x509_${name}_total`,
  help: `Counts the number of requests to servers ${fault} in their serving certificate OR the number of connection failures due to the ${failure} (either/or, based on the runtime environment)`,
  stability: 'ALPHA',
});

const COUNTERS: Readonly<Record<CertificateFault, MetricOptions>> = {
  'missing-san': counterOf('missing_san', 'missing SAN extension', 'lack of x509 certificate SAN extension missing'),
  'insecure-sha1': counterOf('insecure_sha1', 'with insecure SHA1 signatures', 'insecure SHA1 signatures'),
};

/**
 * Returns a function that sends requests to webhooks as the given one does, and counts the certificates for which they
 * fail.
 */
export function countingCertificateFaults<Arguments extends readonly unknown[], Response>(
  send: (...given: Arguments) => Promise<Response>,
  metrics: Metrics,
): (...given: Arguments) => Promise<Response> {
  const series = {
    'missing-san': metrics.counter(COUNTERS['missing-san']).series(),
    'insecure-sha1': metrics.counter(COUNTERS['insecure-sha1']).series(),
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
