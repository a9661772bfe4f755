/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importAggregation = () => import('./aggregation/index.js');
export const importCreateFairness = () => import('./limits/create-fairness.js');
export const importTokenCacheMetrics = () => import('./metrics/token-cache-metrics.js');
export const importPodBinding = () => import('./performers/pod-binding.js');
export const importPodEviction = () => import('./performers/pod-eviction.js');
export const importNodeAccess = () => import('./policy/node-access.js');
export const importOpenTelemetry = () => import('./tracing/open-telemetry.js');
export const importRequestTracer = () => import('./tracing/request-tracer.js');
