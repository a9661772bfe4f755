import { useMemo } from 'preact/hooks';
import type { TableColumn } from '../data/columns.js';
import type { Row } from '../data/rows.js';

interface GridRowProps {
  readonly row: Row;
  readonly columns: readonly TableColumn[];
  /** The place of the row, from 0. */
  readonly index: number;
  /** Distance from the first row, in pixels. */
  readonly start: number;
  /** In pixels. */
  readonly height: number;
  /** The widths of its cells; empty for a card. */
  readonly template: string;
  /** The time of which ages are told. */
  readonly now: number;
  readonly state: 'changed' | 'gone' | '';
  readonly isAt: boolean;
  readonly isPicked: boolean;
}

/** A row of a grid. It is made again only when what it shows has changed, not when others come into sight. */
export function GridRow({ row, columns, index, start, height, template, now, state, isAt, isPicked }: GridRowProps) {
  return useMemo(
    () => (
      <div
        id={`row-${index}`}
        class={state === '' ? 'row' : `row ${state}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isAt}
        data-index={index}
        style={{ height: `${height}px`, gridTemplateColumns: template, transform: `translateY(${start}px)` }}
      >
        <div class="pick" role="gridcell">
          <input type="checkbox" tabIndex={-1} aria-label={`Select ${row.name}`} checked={isPicked} />
        </div>
        {columns.map(({ key, title, text, hint }) => (
          <div class="cell" role="gridcell" key={key} data-title={title} title={hint?.(row)}>
            {text(row, now)}
          </div>
        ))}
      </div>
    ),
    [row, columns, index, start, height, template, now, state, isAt, isPicked],
  );
}
