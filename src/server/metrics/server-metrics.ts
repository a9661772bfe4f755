/**
 * Metrics of the server as a whole, by the names and labels of Kubernetes 1.31.
 *
 * @module
 */
import type { Dialect } from '../../foundation/index.js';
import type { Catalogue } from '../../registry/index.js';
import type { InFlightLimiter } from '../limits/in-flight.js';
import { featureGates as knownGates, type FeatureGates, type FeatureStage } from '../settings/feature-gates.js';
import { versionInfo, type VersionOptions } from '../settings/version.js';
import { measureMemory } from './memory-metrics.js';
import type { Metrics, NumberSeries } from './metrics.js';
import { measureProcess } from './process-metrics.js';
import { measureStorageSize } from './storage-metrics.js';
import { countObjects } from './watch-metrics.js';
import { requestMetrics } from './table/request-metrics.js';
import { productMetrics, serverMetrics } from './table/server-metrics.js';

/** The parts that describe a server. */
interface ServerDescription {
  readonly dialect: Dialect;
  readonly version: VersionOptions;
  readonly featureGates: FeatureGates;
}

/** The parts of a server that {@link collectServerMetrics} reads. */
export interface MeasuredServer extends ServerDescription {
  /** Counts the requests in flight; undefined where the flow control does. */
  readonly limiter: InFlightLimiter | undefined;
  readonly catalogue: Catalogue;
}

/** Describes a server, and collects the metrics whose values are known only when they are read. */
export function collectServerMetrics(metrics: Metrics, { limiter, catalogue, ...description }: MeasuredServer): void {
  const { clock, memory } = catalogue.environment;
  describeServer(metrics, description);
  handshakeErrors(metrics);
  if (limiter !== undefined) collectInFlight(metrics, limiter);
  metrics.onCollect(countObjects(metrics, catalogue, clock));
  metrics.onCollect(measureStorageSize(metrics, memory));
  metrics.onCollect(measureMemory(metrics, memory));
  metrics.onCollect(measureProcess(metrics, clock));
}

/** Returns the number of clients that failed to establish TLS. */
export function handshakeErrors(metrics: Metrics): NumberSeries {
  const errors = metrics.counter(serverMetrics.apiserver_tls_handshake_errors_total);
  return errors.series();
}

function collectInFlight(metrics: Metrics, limiter: InFlightLimiter): void {
  const requests = metrics.gauge(requestMetrics.apiserver_current_inflight_requests);
  metrics.onCollect(() => {
    const { readOnly, mutating } = limiter.current;
    requests.set(readOnly, { request_kind: 'readOnly' });
    requests.set(mutating, { request_kind: 'mutating' });
  });
}

/** Stages as metrics show them: a feature that is generally available has none. */
const STAGES: Readonly<Record<FeatureStage, string>> = {
  Alpha: 'ALPHA',
  Beta: 'BETA',
  GA: '',
  Deprecated: 'DEPRECATED',
};

/** Sets the metrics of the build and of the feature gates. Their names have the name of the product. */
function describeServer(metrics: Metrics, { dialect, version, featureGates }: ServerDescription): void {
  const { build, features: enabled } = productMetrics(dialect);
  const info = versionInfo(dialect, version);
  metrics.gauge(build).set(1, {
    ...{ major: info.major, minor: info.minor, git_version: info.gitVersion, git_commit: info.gitCommit },
    ...{ git_tree_state: info.gitTreeState, build_date: info.buildDate, go_version: info.goVersion },
    ...{ compiler: info.compiler, platform: info.platform },
  });
  const features = metrics.gauge(enabled);
  for (const { name, stage } of knownGates)
    features.set(featureGates.enabled(name) ? 1 : 0, { name, stage: STAGES[stage] });
}
