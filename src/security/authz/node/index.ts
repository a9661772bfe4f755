/**
 * The Node authorizer: it allows a node agent the access that the pods on its node require.
 *
 * @module
 */
export { createNodeAuthorizer, type NodeAuthorizerOptions } from './authorizer.js';
export { NODE_GRAPH_SOURCES, type NodeGraphSource } from './graph-sources.js';
export { NodeGraph } from './graph.js';
export { nodeNameOf } from '../../../foundation/index.js';
export { nodeRules } from './node-rules.js';
export type { ObjectKey, RelatedResource } from './object-index.js';
