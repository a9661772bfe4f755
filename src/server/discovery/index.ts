export { aggregatedContentType, wantsAggregated, type AggregatedVersion } from './aggregated.js';
export * from './discovery.js';
export { notModified, type CachedDocument } from './documents.js';
export { isCustom } from './resources.js';
export type { ApiResource, DiscoveredResource, DiscoveredSubresource } from './resources.js';
export { compareVersions } from '../../foundation/index.js';
