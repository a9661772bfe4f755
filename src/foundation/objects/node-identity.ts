import type { UserInfo } from './object.js';

/** Prefix of the user name of a node agent; the rest is the name of its node. */
export const NODE_USER_PREFIX = 'system:node:';
/** Group of all node agents. */
export const NODES_GROUP = 'system:nodes';

/**
 * Returns the name of a node agent's node, which may be empty; undefined for other users. A node agent has both the
 * user name `system:node:<node>` and the group `system:nodes`.
 */
export function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(NODE_USER_PREFIX) || !groups.includes(NODES_GROUP)) return undefined;
  return username.slice(NODE_USER_PREFIX.length);
}
