import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { wordsOf } from '../data/api.js';
import { drawnGraph, wanted, withBranch, type GraphBranch, type GraphNode, type GraphObject } from '../data/graph.js';
import type { PageKind } from '../data/kinds.js';
import { ownersOf, placeOfOwner, readRelated } from '../data/related.js';
import { AsOf, useReading } from '../parts/as-of.js';
import { Failure } from '../parts/failure.js';
import { api, kinds } from '../state.js';
import { Drawing } from './drawing.js';
import { layoutOf } from './layout.js';
import { NO_REFERENCES, useReferences } from './references.js';

interface GraphProps {
  readonly kind: PageKind;
  readonly object: UntypedObject;
}

/** Levels of dependants that are read before the user asks. */
const LEVELS = 3;
const ZOOMS = [0.25, 0.35, 0.5, 0.7, 1, 1.4, 2] as const;
const NO_ZOOM = ZOOMS.indexOf(1);

/** The owners and dependants of an object, and what it refers to and is referred to by, drawn. */
export function GraphView({ kind, object }: GraphProps) {
  const reading = useReading(object);
  const { root, failure, read, failed } = useGraph(kind, object, reading.turn);
  const found = useReferences(kind, object, reading.turn, failed);
  const [hasReferences, setHasReferences] = useState(true);
  const { refersTo, referredBy } = hasReferences ? found : NO_REFERENCES;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<number>(NO_ZOOM);
  const place = useRef<HTMLDivElement>(null);
  const drawn = useMemo(() => drawnGraph(root, opened), [root, opened]);
  const owners = useMemo(() => ownerNodes(object), [object]);
  const layout = useMemo(
    () => layoutOf({ ...drawn.root, children: [...drawn.root.children, ...refersTo] }, [...owners, ...referredBy]),
    [drawn, owners, refersTo, referredBy],
  );
  const zoomTo = (to: number): void => setZoom(Math.min(ZOOMS.length - 1, Math.max(0, to)));
  const fit = (): void => {
    const { clientWidth = layout.width, clientHeight = layout.height } = place.current ?? {};
    const fits = (scale: number): boolean =>
      layout.width * scale <= clientWidth && layout.height * scale <= clientHeight;
    zoomTo(ZOOMS.findLastIndex((scale) => scale <= 1 && fits(scale)));
  };
  const open = ({ id, object: opening }: GraphNode): void => {
    if (opening === undefined) setOpened((before) => new Set(before).add(id));
    else read(opening.uid);
  };
  const onKey = (event: KeyboardEvent): void => {
    const action = new Map([
      ['+', () => zoomTo(zoom + 1)],
      ['-', () => zoomTo(zoom - 1)],
      ['0', fit],
    ]).get(event.key);
    if (action === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action();
  };
  return (
    <section aria-label="Owners and dependants" onKeyDown={onKey}>
      <div class="tools">
        <button type="button" onClick={() => zoomTo(zoom - 1)} disabled={zoom === 0} aria-label="Zoom out">
          −
        </button>
        <button
          type="button"
          onClick={() => zoomTo(zoom + 1)}
          disabled={zoom === ZOOMS.length - 1}
          aria-label="Zoom in"
        >
          +
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
        <label>
          <input
            type="checkbox"
            checked={hasReferences}
            onChange={(event) => setHasReferences(event.currentTarget.checked)}
          />{' '}
          References
        </label>
        <span role="status" class="muted">
          {layout.nodes.length} shown{drawn.leftOut > 0 ? `, ${drawn.leftOut} left out` : ''} ·{' '}
          {(ZOOMS[zoom] ?? 1) * 100} %
        </span>
      </div>
      <AsOf reading={reading} />
      {failure !== undefined && <Failure text={failure} />}
      <Drawing place={place} layout={layout} scale={ZOOMS[zoom] ?? 1} rootId={root.uid} onOpen={open} />
    </section>
  );
}

/**
 * Reads the graph below an object: some levels at once, the others when they are asked for.
 *
 * @param turn another one reads it again
 */
function useGraph(kind: PageKind, { metadata }: UntypedObject, turn: number) {
  const { uid = '', name, namespace = '' } = metadata;
  const bare: GraphObject = {
    ...{ group: kind.group, version: kind.version, kind: kind.kind, resource: kind.plural },
    ...{ namespace, name: name ?? '', uid, below: undefined },
  };
  const [root, setRoot] = useState(bare);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const leaving = useRef(new AbortController());
  const branchOf = async (of: string, signal = leaving.current.signal): Promise<GraphBranch | undefined> => {
    const opened = api.value;
    if (opened === undefined) return undefined;
    const { dependants, hidden, complete } = await readRelated(opened, of, signal);
    return { members: dependants.map((dependant) => ({ ...dependant, below: undefined })), hidden, complete };
  };
  const failed = (error: unknown): void => {
    if (!leaving.current.signal.aborted) setFailure(wordsOf(error));
  };
  const read = (of: string): void => {
    branchOf(of).then((branch) => branch !== undefined && setRoot((before) => withBranch(before, of, branch)), failed);
  };
  /** Reads level by level, one object at a time: the server looks through everything for each. */
  const readAll = async (signal: AbortSignal): Promise<void> => {
    let current = bare;
    for (let next = wanted(current, LEVELS)[0]; next !== undefined; next = wanted(current, LEVELS)[0]) {
      const branch = await branchOf(next.uid, signal);
      if (branch === undefined || signal.aborted) return;
      current = withBranch(current, next.uid, branch);
      setRoot(current);
    }
  };
  useEffect(() => {
    const { signal } = (leaving.current = new AbortController());
    setFailure(undefined);
    readAll(signal).catch((error: unknown) => signal.aborted || failed(error));
    return () => leaving.current.abort();
  }, [uid, turn]);
  return { root, failure, read, failed };
}

/** Returns the owners that an object names, as nodes. */
function ownerNodes(object: UntypedObject): GraphNode[] {
  return ownersOf(object).map((owner) => {
    const place = placeOfOwner(owner, object.metadata.namespace, kinds.value);
    return {
      ...{ id: owner.uid, title: owner.name, detail: `${owner.kind} · owner`, opens: false, children: [] },
      object: { ...place, uid: owner.uid, below: undefined },
    };
  });
}
