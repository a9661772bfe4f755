import { useEffect, useRef, useState } from 'preact/hooks';
import type { Tab } from '../data/address.js';
import { browserClock } from '../data/clock.js';
import type { TableColumn } from '../data/columns.js';
import type { Row } from '../data/rows.js';
import { isTyping } from '../parts/keys.js';
import { useWindow } from './use-window.js';

const ROW_HEIGHT = 28;
/** How long a change is shown. */
const FLASH_MS = 3000;

interface GridProps {
  readonly label: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly Row[];
  /** The filter: when it or the order changes, the first rows are shown. */
  readonly filter: string;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** @param tab the part of the object that is opened */
  readonly onOpen: (row: Row, tab: Tab) => void;
}

/** Rows of objects, of which only those that can be seen are drawn. */
export function Grid({ label, columns, rows, filter, sort, onSort, onOpen }: GridProps) {
  const place = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const { items, height, show } = useWindow(place, rows.length, ROW_HEIGHT);
  useEffect(() => place.current?.scrollTo({ top: 0 }), [filter, sort]);
  const at = selected === undefined ? -1 : rows.findIndex(({ uid }) => uid === selected);
  const select = (index: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row === undefined) return;
    setSelected(row.uid);
    show(rows.indexOf(row));
  };
  const chosen = rows[at];
  const open = (tab: Tab): void => void (chosen !== undefined && onOpen(chosen, tab));
  const copy = (): void => {
    // A browser may refuse it to a page.
    if (chosen !== undefined) navigator.clipboard.writeText(chosen.name).catch(() => undefined);
  };
  useGridKeys({ at, count: rows.length, select, open, copy });
  const template = { gridTemplateColumns: columns.map(widthOf).join(' ') };
  const now = browserClock.now();
  return (
    <div
      ref={place}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={items.some(({ index }) => index === at) ? `row-${at}` : undefined}
    >
      <div class="head row" role="row" aria-rowindex={1} style={template}>
        {columns.map((column) => (
          <Head key={column.key} column={column} sort={sort} onSort={onSort} />
        ))}
      </div>
      <div class="body" role="rowgroup" style={{ height: `${height}px` }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              id={`row-${index}`}
              key={row.changedAt === undefined ? row.uid : `${row.uid} ${row.changedAt}`}
              class={`row ${stateOf(row, now)}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={index === at}
              style={{ ...template, transform: `translateY(${start}px)` }}
              onClick={() => onOpen(row, 'yaml')}
            >
              {columns.map(({ key, text, hint }) => (
                <div class="cell" role="gridcell" key={key} title={hint?.(row) ?? text(row, now)}>
                  {text(row, now)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function stateOf({ goneAt, changedAt }: Row, now: number): string {
  if (goneAt !== undefined) return 'gone';
  return changedAt !== undefined && now - changedAt < FLASH_MS ? 'changed' : '';
}

type HeadProps = { readonly column: TableColumn } & Pick<GridProps, 'sort' | 'onSort'>;

function Head({ column: { key: name, title, help }, sort, onSort }: HeadProps) {
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';
  // Ascending, descending, then the order of the server.
  const next = order === 'none' ? name : order === 'ascending' ? `-${name}` : '';
  return (
    <div class="cell" role="columnheader" aria-sort={order} title={help}>
      <button type="button" onClick={() => onSort(next)}>
        {title}
        {order === 'ascending' ? ' ▴' : order === 'descending' ? ' ▾' : ''}
      </button>
    </div>
  );
}

function widthOf({ width }: TableColumn, index: number): string {
  if (width !== undefined) return `${width}px`;
  return index === 0 ? 'minmax(220px, 2fr)' : 'minmax(110px, 1fr)';
}

/** The keys that open a part of the object of a row. Those of the object's own view are the same. */
const TAB_KEYS: ReadonlyMap<string, Tab> = new Map([
  ['y', 'yaml'],
  ['e', 'edit'],
  ['f', 'form'],
  ['h', 'history'],
  ['o', 'related'],
]);

/** The keys of a table, wherever the focus is but in a field. */
function useGridKeys(keys: {
  readonly at: number;
  readonly count: number;
  readonly select: (index: number) => void;
  readonly open: (tab: Tab) => void;
  readonly copy: () => void;
}): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const [target] = event.composedPath();
      if (isTyping(event)) return;
      const { at, count, select, open, copy } = current.current;
      const moves = new Map([
        ['j', at + 1],
        ['ArrowDown', at + 1],
        ['k', at - 1],
        ['ArrowUp', at - 1],
        ['g', 0],
        ['Home', 0],
        ['G', count - 1],
        ['End', count - 1],
      ]);
      const to = moves.get(event.key);
      const tab = TAB_KEYS.get(event.key);
      if (to !== undefined) select(to);
      else if (tab !== undefined && at >= 0) open(tab);
      else if (event.key === 'c' && at >= 0) copy();
      else if (event.key === 'Enter' && !(target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement))
        open('yaml');
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
