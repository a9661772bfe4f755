import type { ComponentChildren, RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { Route } from '../data/address.js';
import type { GraphNode, GraphObject } from '../data/graph.js';
import { inPage } from '../parts/keys.js';
import { go, hrefOf } from '../state.js';
import { NODE_HEIGHT, NODE_WIDTH, type Layout, type PlacedNode } from './layout.js';

interface DrawingProps {
  /** The element that scrolls. */
  readonly place: RefObject<HTMLDivElement | null>;
  readonly layout: Layout;
  readonly scale: number;
  /** The id of the node of the object itself. */
  readonly rootId: string;
  readonly onOpen: (node: GraphNode) => void;
}

/** A graph as a drawing: its nodes are links and buttons, which the arrow keys go through, too. */
export function Drawing({ place, layout: { nodes, width, height }, scale, rootId, onOpen }: DrawingProps) {
  const drawing = useRef<SVGSVGElement>(null);
  const move = (event: KeyboardEvent): void => {
    const from = nodes.find(
      ({ node }) => node.id === (event.target as Element).closest('[data-id]')?.getAttribute('data-id'),
    );
    const to = from === undefined ? undefined : neighbour(nodes, from, event.key);
    if (to === undefined) return;
    event.preventDefault();
    drawing.current?.querySelector<SVGElement>(`[data-id="${CSS.escape(to.node.id)}"] [data-focus]`)?.focus();
  };
  return (
    <div class="graph" ref={place} tabIndex={0} role="group" aria-label="Drawing of owners and dependants">
      <svg
        ref={drawing}
        role="group"
        aria-label="Owners, the object, and its dependants"
        width={width * scale}
        height={height * scale}
        viewBox={`0 0 ${width} ${height}`}
        onKeyDown={move}
      >
        {nodes.map(
          (placed) =>
            placed.parent !== undefined && (
              <path
                key={placed.node.id}
                class={placed.node.isReference === true ? 'edge reference' : 'edge'}
                d={edgeOf(placed)}
              />
            ),
        )}
        {nodes.map(({ node, x, y }) => (
          <g key={node.id} data-id={node.id} transform={`translate(${x} ${y})`}>
            <Node node={node} isRoot={node.id === rootId} onOpen={onOpen} />
          </g>
        ))}
      </svg>
    </div>
  );
}

function Node({
  node,
  isRoot,
  onOpen,
}: { readonly node: GraphNode; readonly isRoot: boolean } & Pick<DrawingProps, 'onOpen'>) {
  const { title, detail, object, opens, field } = node;
  const box = (
    <>
      <title>{`${title} ${detail}${field === undefined ? '' : ` (${field})`}`}</title>
      <rect width={NODE_WIDTH} height={NODE_HEIGHT} rx="4" />
      <text x="10" y="18" class="title">
        {cut(title)}
      </text>{' '}
      <text x="10" y="35" class="detail">
        {cut(detail)}
      </text>
    </>
  );
  if (object === undefined && !opens) return <g class="node remark">{box}</g>;
  if (object === undefined)
    return (
      <Pressed class="node fold" onPress={() => onOpen(node)}>
        {box}
      </Pressed>
    );
  const to = routeTo(object);
  return (
    <>
      <a
        class={`node ${isRoot ? 'root' : ''}`}
        data-focus
        href={hrefOf(to)}
        onClick={inPage(() => go(to))}
        aria-current={isRoot ? 'true' : undefined}
      >
        {box}
      </a>
      {opens && (
        <Pressed class="opener" label={`Show the dependants of ${title}`} onPress={() => onOpen(node)}>
          <circle cx={NODE_WIDTH} cy={NODE_HEIGHT / 2} r="12" />
          <text x={NODE_WIDTH} y={NODE_HEIGHT / 2 + 5} class="sign">
            +
          </text>
        </Pressed>
      )}
    </>
  );
}

interface PressedProps {
  readonly class: string;
  /** Its name; undefined for the text in it. */
  readonly label?: string;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

/** A button in a drawing, which has no buttons of its own. */
function Pressed({ class: name, label, onPress, children }: PressedProps) {
  return (
    <g
      class={name}
      role="button"
      tabIndex={0}
      data-focus={name.includes('node') ? '' : undefined}
      aria-label={label}
      onClick={onPress}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        event.stopPropagation();
        onPress();
      }}
    >
      {children}
    </g>
  );
}

/** The longest text of a node. */
const LONGEST = 26;

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

const routeTo = ({ group, version, resource, namespace, name }: GraphObject): Route => ({
  at: 'object',
  ...{ group, version, plural: resource, name },
  namespace: namespace === '' ? undefined : namespace,
  tab: 'graph',
});

function edgeOf({ x, y, parent }: PlacedNode): string {
  if (parent === undefined) return '';
  const [left, right] = x < parent.x ? [{ x, y }, parent] : [parent, { x, y }];
  const [fromX, fromY] = [left.x + NODE_WIDTH, left.y + NODE_HEIGHT / 2];
  const middle = (fromX + right.x) / 2;
  const toY = right.y + NODE_HEIGHT / 2;
  return `M${fromX} ${fromY}C${middle} ${fromY} ${middle} ${toY} ${right.x} ${toY}`;
}

/** Returns the node that an arrow key leads to: left and right along the edges, up and down in a column. */
function neighbour(nodes: readonly PlacedNode[], from: PlacedNode, key: string): PlacedNode | undefined {
  const column = nodes.filter(({ x }) => x === from.x).sort((a, b) => a.y - b.y);
  const at = column.indexOf(from);
  if (key === 'ArrowDown') return column[at + 1];
  if (key === 'ArrowUp') return column[at - 1];
  const beside = nodes.filter((other) => other.parent === from || from.parent === other);
  if (key === 'ArrowRight') return beside.find(({ x }) => x > from.x);
  return key === 'ArrowLeft' ? beside.find(({ x }) => x < from.x) : undefined;
}
