import { goQuote, nodeNameOf, type Dialect, type UserInfo } from '../../../foundation/index.js';
import { ALLOW, NO_OPINION, type Authorizer } from '../authorizer.js';
import type { SynchronousAuthorizer } from '../rbac/authorizer.js';
import { CompiledRules } from '../rbac/policy/compiled-rules.js';
import { NO_RULES, unlistable, type UserRules } from '../rules.js';
import { checksOf } from './checks.js';
import type { NodeGraph } from './graph.js';
import { nodeRules } from './node-rules.js';

/** Options of {@link createNodeAuthorizer}. */
export interface NodeAuthorizerOptions {
  /** The objects that each node needs. It must receive every change while the authorizer is in use. */
  readonly graph: NodeGraph;
  readonly dialect: Dialect;
  /**
   * Restrict reads to the node's own Node, its own pods and its own resource slices, where lists have a matching field
   * selector (feature gate `AuthorizeNodeWithSelectors` of Kubernetes, off in release 1.31). Default false: a node can
   * read all of these.
   */
  readonly requireSelectors?: boolean | undefined;
  /** Whether the server serves trust bundles, which nodes read (feature gate `ClusterTrustBundle`). Default false. */
  readonly clusterTrustBundles?: boolean | undefined;
}

const UNLISTABLE: UserRules = Object.freeze(unlistable('node authorizer'));

/**
 * Creates the Node authorizer. It allows a node agent to read the objects that pods on its node refer to, to request
 * tokens of their service accounts, to maintain its own objects, and to use the rules of every node agent (see
 * `nodeRules`). It never denies, and has no opinion about other users.
 */
export function createNodeAuthorizer(options: NodeAuthorizerOptions): SynchronousAuthorizer & Authorizer {
  const { graph, dialect, requireSelectors = false, clusterTrustBundles = false } = options;
  const checks = checksOf({ graph, dialect, requireSelectors });
  const rules = new CompiledRules(nodeRules(dialect, { clusterTrustBundles }));
  const decide: SynchronousAuthorizer = (attributes) => {
    const { user, isResource, apiGroup, resource } = attributes;
    const nodeName = nodeNameOf(user);
    if (nodeName === undefined) return NO_OPINION;
    if (nodeName === '') return { decision: 'NoOpinion', reason: `unknown node for user ${goQuote(user.username)}` };
    const check = isResource ? checks.get(apiGroup)?.get(resource) : undefined;
    if (check !== undefined) return check(nodeName, attributes);
    return rules.allow(attributes) ? ALLOW : NO_OPINION;
  };
  return Object.assign(decide, {
    rulesFor: (user: UserInfo) => (nodeNameOf(user) === undefined ? NO_RULES : UNLISTABLE),
  });
}
