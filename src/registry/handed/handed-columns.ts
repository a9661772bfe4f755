import type { Column } from '../definition/definition.js';
import { readsPath } from '../definition/json-path-column.js';
import type { NamedObject } from '../definition/object-types.js';
import { handed, type Handing } from './handed.js';

/** Returns columns whose functions get copies of the objects: one for each row. */
export function handedColumns(columns: readonly Column[], handing: Handing): readonly Column[] {
  const own = columns.filter((column) => !readsPath(column));
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined) return columns;
  let row: { readonly object: NamedObject; readonly copy: NamedObject } | undefined;
  /** Returns the copy for a column. The first one begins a row; after the last one nothing is kept. */
  const copyFor = (column: Column, object: NamedObject): NamedObject => {
    const copy = column !== first && row?.object === object ? row.copy : handed(object, handing);
    row = column === last ? undefined : { object, copy };
    return copy;
  };
  return columns.map((column) =>
    readsPath(column) ? column : { ...column, cell: (object) => column.cell(copyFor(column, object)) },
  );
}
