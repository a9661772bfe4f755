import type { Dependant } from '../../answers.js';

/** An object in the graph of owners and dependants. */
export interface GraphObject extends Dependant {
  /** Its dependants; undefined before they are read. */
  readonly below: GraphBranch | undefined;
}

/** The dependants of an object. */
export interface GraphBranch {
  readonly members: readonly GraphObject[];
  /** How many more there are that the user may not see. */
  readonly hidden: number;
  /** Whether there are still others, which the server has not sent. */
  readonly complete: boolean;
}

/** A node that is drawn: an object, or several of one kind that are folded into one node. */
export interface GraphNode {
  /** The uid of the object, or a key of the fold. */
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** The object; undefined for a fold or a remark. */
  readonly object: GraphObject | undefined;
  /** Whether pressing it shows more: the members of a fold, or the dependants of an object. */
  readonly opens: boolean;
  readonly children: readonly GraphNode[];
  /** Whether it is beside the object by a reference, instead of being its owner or dependant. */
  readonly isReference?: boolean | undefined;
  /** The path of the field that refers. */
  readonly field?: string | undefined;
}

/** Objects of one kind below one owner are folded beyond this number. */
const MOST_UNFOLDED = 8;
/** The most nodes that are drawn. */
export const MOST_NODES = 200;

/** The part of a graph that is drawn. */
export interface DrawnGraph {
  readonly root: GraphNode;
  /** Nodes that are left out, since the graph is too large to be drawn. */
  readonly leftOut: number;
}

/**
 * Returns what is drawn of a graph: equal kinds are folded, and at most 200 nodes remain, those near the root first.
 *
 * @param opened the keys of the folds that are open
 */
export function drawnGraph(root: GraphObject, opened: ReadonlySet<string>): DrawnGraph {
  let room = MOST_NODES - 1;
  let leftOut = 0;
  const children = new Map<GraphNode, GraphNode[]>();
  const whole = nodeOf(root, opened);
  const queue = [whole];
  for (const node of queue) {
    const kept = node.children.slice(0, room);
    room -= kept.length;
    leftOut += node.children.length - kept.length;
    children.set(node, kept);
    for (const child of kept) queue.push(child);
  }
  const drawn = (node: GraphNode): GraphNode => ({ ...node, children: (children.get(node) ?? []).map(drawn) });
  return { root: drawn(whole), leftOut };
}

function nodeOf(object: GraphObject, opened: ReadonlySet<string>): GraphNode {
  const { uid, kind, name, namespace, below } = object;
  return {
    ...{ id: uid, title: name, detail: namespace === '' ? kind : `${kind} · ${namespace}`, object },
    opens: below === undefined,
    children: below === undefined ? [] : branchNodes(uid, below, opened),
  };
}

function branchNodes(
  owner: string,
  { members, hidden, complete }: GraphBranch,
  opened: ReadonlySet<string>,
): GraphNode[] {
  const nodes: GraphNode[] = [];
  for (const [kind, alike] of byKind(members)) {
    const id = `${owner} ${kind}`;
    const isFolded = alike.length > MOST_UNFOLDED && !opened.has(id);
    if (isFolded) nodes.push({ ...remark(id, `${kind} × ${alike.length}`, 'press to unfold'), opens: true });
    else for (const object of alike) nodes.push(nodeOf(object, opened));
  }
  if (hidden > 0) nodes.push(remark(`${owner} hidden`, `${hidden} more`, 'you may not see them'));
  if (!complete) nodes.push(remark(`${owner} more`, 'and others', 'too many to be sent'));
  return nodes;
}

const remark = (id: string, title: string, detail: string): GraphNode => ({
  ...{ id, title, detail, object: undefined, opens: false, children: [] },
});

function byKind(members: readonly GraphObject[]): Map<string, GraphObject[]> {
  const kinds = new Map<string, GraphObject[]>();
  for (const object of members) {
    const alike = kinds.get(object.kind);
    if (alike === undefined) kinds.set(object.kind, [object]);
    else alike.push(object);
  }
  return kinds;
}

/** Returns a graph with the dependants of one of its objects. */
export function withBranch(root: GraphObject, uid: string, branch: GraphBranch): GraphObject {
  if (root.uid === uid) return { ...root, below: branch };
  const { below } = root;
  if (below === undefined) return root;
  return { ...root, below: { ...below, members: below.members.map((member) => withBranch(member, uid, branch)) } };
}

/**
 * Returns the objects whose dependants are read before the user asks: near the root, and few of a kind, since the server
 * looks through all objects for each.
 */
export function wanted(root: GraphObject, levels: number): readonly GraphObject[] {
  if (root.below === undefined) return [root];
  if (levels <= 1) return [];
  return [...byKind(root.below.members).values()]
    .filter((alike) => alike.length <= MOST_UNFOLDED)
    .flatMap((alike) => alike.flatMap((member) => wanted(member, levels - 1)));
}
