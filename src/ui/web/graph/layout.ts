import { hierarchy, tree } from 'd3-hierarchy';
import { greatest, least } from '../../../foundation/index.js';
import type { GraphNode } from '../data/graph.js';

/** The size of a node, in units of the drawing. */
export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 44;
const GAP_X = 50;
const GAP_Y = 12;

/** A node at its place. */
export interface PlacedNode {
  readonly node: GraphNode;
  readonly parent: PlacedNode | undefined;
  /** Its left upper corner. */
  readonly x: number;
  readonly y: number;
}

/** A graph at its place. */
export interface Layout {
  /** Each node comes after its parent. */
  readonly nodes: readonly PlacedNode[];
  readonly width: number;
  readonly height: number;
}

/** Lays out a graph from left to right, with the owners of its root before it. */
export function layoutOf(root: GraphNode, owners: readonly GraphNode[]): Layout {
  const laid = tree<GraphNode>()
    .nodeSize([NODE_HEIGHT + GAP_Y, NODE_WIDTH + GAP_X])
    .separation(() => 1)(hierarchy(root, ({ children }) => children));
  const points = laid.descendants();
  // The owners are centred on the root, which is at 0.
  const heights = points.map(({ x }) => x);
  const ownerAt = owners.map((_owner, index) => (index - (owners.length - 1) / 2) * (NODE_HEIGHT + GAP_Y));
  const top = least([...heights, ...ownerAt]);
  const bottom = greatest([...heights, ...ownerAt]);
  const left = owners.length === 0 ? GAP_Y : GAP_Y + NODE_WIDTH + GAP_X;
  const placed = new Map<unknown, PlacedNode>();
  for (const point of points)
    placed.set(point, {
      node: point.data,
      parent: point.parent === null ? undefined : placed.get(point.parent),
      x: left + point.y,
      y: point.x - top + GAP_Y,
    });
  const first = placed.get(laid);
  const before = owners.map((node, index): PlacedNode => ({
    node,
    parent: first,
    x: GAP_Y,
    y: (ownerAt[index] ?? 0) - top + GAP_Y,
  }));
  const nodes = [...before, ...placed.values()];
  return {
    nodes,
    width: greatest(nodes.map(({ x }) => x)) + NODE_WIDTH + GAP_Y,
    height: bottom - top + NODE_HEIGHT + 2 * GAP_Y,
  };
}
