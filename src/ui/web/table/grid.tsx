import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Tab } from '../data/address.js';
import { browserClock } from '../data/clock.js';
import type { TableColumn } from '../data/columns.js';
import type { Row } from '../data/rows.js';
import { useGridKeys } from './grid-keys.js';
import { staleClass } from '../parts/not-live.js';
import { useMedia } from '../parts/use-media.js';
import { GridRow } from './grid-row.js';
import { useWindow } from './use-window.js';

const ROW_HEIGHT = 28;
/** That of a row which a finger hits. */
const TOUCH_HEIGHT = 44;
/** That of a line of a card, and of what is around the lines. */
const CARD_LINE = 22;
const CARD_EDGE = 17;
/** A screen on which rows are cards, with a line for each column; and one that is used by fingers. See base.css. */
const NARROW = '(max-width: 480px)';
const TOUCH = '(pointer: coarse)';
/** How long a change is shown. */
const FLASH_MS = 3000;

interface GridProps {
  readonly label: string;
  /** Whether the first rows are still to come. */
  readonly isLoading: boolean;
  /** Whether the rows may be old, since the connection is lost. */
  readonly isStale: boolean;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly Row[];
  /** The filter: when it or the order changes, the first rows are shown. */
  readonly filter: string;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** @param tab the part of the object that is opened */
  readonly onOpen: (row: Row, tab: Tab) => void;
  /** The uids of the rows that are picked. */
  readonly picked: ReadonlySet<string>;
  readonly onPick: (rows: readonly Row[], on: boolean) => void;
  readonly onPickNone: () => void;
  /** Told whether somebody is about to use a row, which must not move then: by the pointer, or by the keys. */
  readonly onHold: (by: 'pointer' | 'keys', on: boolean) => void;
}

/** Rows of objects, of which only those that can be seen are drawn. */
export function Grid({
  label,
  isLoading,
  isStale,
  columns,
  rows,
  filter,
  sort,
  onSort,
  onOpen,
  picked,
  onPick,
  onPickNone,
  onHold,
}: GridProps) {
  const place = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const isNarrow = useMedia(NARROW);
  const isTouch = useMedia(TOUCH);
  const rowHeight = isNarrow ? cardHeight(columns) : isTouch ? TOUCH_HEIGHT : ROW_HEIGHT;
  const { items, height, show } = useWindow(place, rows.length, rowHeight);
  useEffect(() => place.current?.scrollTo({ top: 0 }), [filter, sort]);
  const at = useMemo(
    () => (selected === undefined ? -1 : rows.findIndex(({ uid }) => uid === selected)),
    [rows, selected],
  );
  const move = (uid: string | undefined): void => {
    setSelected(uid);
    onHold('keys', uid !== undefined);
  };
  const select = (index: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row === undefined) return;
    move(row.uid);
    show(rows.indexOf(row));
  };
  const chosen = rows[at];
  const leave = (): boolean => {
    if (selected === undefined && picked.size === 0) return false;
    move(undefined);
    onPickNone();
    return true;
  };
  useGridKeys({
    ...{ at, count: rows.length, select, leave },
    open: (tab) => void (chosen !== undefined && onOpen(chosen, tab)),
    // A browser may refuse it to a page.
    copy: () => void (chosen !== undefined && navigator.clipboard.writeText(chosen.name).catch(() => undefined)),
    pick: () => void (chosen !== undefined && onPick([chosen], !picked.has(chosen.uid))),
    pickAll: () => onPick(rows, picked.size < rows.length),
  });
  const template = isNarrow ? '' : [PICK_WIDTH, ...columns.map(widthOf)].join(' ');
  const width = isNarrow ? {} : { minWidth: `${leastWidth(columns)}px` };
  const now = browserClock.now();
  const slots = useSlots(items.length);
  return (
    <div
      ref={place}
      class={staleClass(isStale, isNarrow ? 'grid cards' : 'grid')}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-busy={isLoading}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={items.some(({ index }) => index === at) ? `row-${at}` : undefined}
      onClick={(event) => clicked(event, rows, { onOpen, onPick })}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && onHold('pointer', true)}
      onPointerLeave={() => onHold('pointer', false)}
      onMouseOver={tellWhole}
    >
      <div class="head row" role="row" aria-rowindex={1} style={{ ...width, gridTemplateColumns: template }}>
        <div class="pick" role="columnheader">
          <input
            type="checkbox"
            aria-label="Select all rows"
            checked={rows.length > 0 && picked.size >= rows.length}
            disabled={rows.length === 0}
            onChange={(event) => onPick(rows, event.currentTarget.checked)}
          />
        </div>
        {columns.map((column) => (
          <Head key={column.key} column={column} sort={sort} onSort={onSort} />
        ))}
      </div>
      {isLoading && <Skeleton height={rowHeight} />}
      <div class="body" role="rowgroup" style={{ ...width, height: `${height}px` }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const state = stateOf(row, now);
          return (
            <GridRow
              // A slot is used for another row when the table scrolls; the animation of a change needs one of its own.
              key={state === 'changed' ? `${row.uid} ${row.changedAt}` : index % slots}
              {...{ row, columns, index, start, template, state }}
              height={rowHeight}
              // Ages have no smaller unit.
              now={Math.floor(now / 1000) * 1000}
              isAt={index === at}
              isPicked={picked.has(row.uid)}
            />
          );
        })}
      </div>
    </div>
  );
}

const cardHeight = (columns: readonly TableColumn[]): number =>
  Math.max(TOUCH_HEIGHT, CARD_EDGE + CARD_LINE * columns.length);

/** Rows that are still to come. Rows that come at once come before it is seen. */
const Skeleton = ({ height }: { readonly height: number }) => (
  <div class="skeleton" aria-hidden="true">
    {[60, 40, 75, 50, 65, 45, 70, 55].map((width) => (
      <div key={width} style={{ height: `${height}px` }}>
        <span style={{ width: `${width}%` }} />
      </div>
    ))}
  </div>
);

/** Returns how many rows are made: the most that were in sight at a time. */
function useSlots(count: number): number {
  const most = useRef(1);
  most.current = Math.max(most.current, count);
  return most.current;
}

/** Opens the row that was clicked, or picks it by its box. */
function clicked(
  event: MouseEvent,
  rows: readonly Row[],
  { onOpen, onPick }: Pick<GridProps, 'onOpen' | 'onPick'>,
): void {
  const { target } = event;
  if (!(target instanceof Element)) return;
  const place = target.closest<HTMLElement>('.body .row')?.dataset['index'];
  const row = place === undefined ? undefined : rows[Number(place)];
  if (row === undefined) return;
  const cell = target.closest('.pick');
  if (cell === null) return onOpen(row, 'yaml');
  const box = cell.querySelector('input');
  if (box !== null) onPick([row], target === box ? box.checked : !box.checked);
}

/** Shows the whole text of a cell under the pointer, which may be cut. */
function tellWhole({ target }: MouseEvent): void {
  if (!(target instanceof HTMLElement) || !target.classList.contains('cell')) return;
  // A cell with a hint has one of its own; those of others are from here, perhaps of the row that was there before.
  if (target.title === '' || target.dataset['whole'] !== undefined) {
    target.dataset['whole'] = '';
    target.title = target.textContent;
  }
}

function stateOf({ goneAt, changedAt }: Row, now: number): 'gone' | 'changed' | '' {
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

/** The widths of columns that have none of their own, in pixels: of the first, and of the others. */
const LEAST_FIRST = 220;
const LEAST = 110;
/** The width of the column of boxes. */
const PICK = 32;
const PICK_WIDTH = `${PICK}px`;

function widthOf({ width }: TableColumn, index: number): string {
  if (width !== undefined) return `${width}px`;
  return index === 0 ? `minmax(${LEAST_FIRST}px, 2fr)` : `minmax(${LEAST}px, 1fr)`;
}

/** Returns the width below which the table scrolls sideways, so that no row has to be measured for it. */
const leastWidth = (columns: readonly TableColumn[]): number =>
  columns.reduce((sum, { width }, index) => sum + (width ?? (index === 0 ? LEAST_FIRST : LEAST)), PICK);
