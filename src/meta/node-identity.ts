import type { UserInfo } from './object.js';

/** What the user name of a node agent begins with; the rest is the name of its node. */
export const NODE_USER_PREFIX = 'system:node:';
/** Group of all node agents. */
export const NODES_GROUP = 'system:nodes';

/**
 * The name of the node that a user is the agent of, which may be empty; undefined for everybody else. A node agent is known by
 * its name (`system:node:<node>`) and its group (`system:nodes`) together.
 */
export function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(NODE_USER_PREFIX) || !groups.includes(NODES_GROUP)) return undefined;
  return username.slice(NODE_USER_PREFIX.length);
}
