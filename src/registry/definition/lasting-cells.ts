import type { Cell, Column, TimedCell } from './definition.js';

/** Returns the functions of a column whose cells depend on nothing but the object and the time. */
export function lastingCells<Item>(
  lasting: (object: Item) => Cell | TimedCell,
): Required<Pick<Column<Item>, 'cell' | 'lasting'>> {
  return {
    cell: (object, nowMs) => {
      const cell = lasting(object);
      return typeof cell === 'function' ? cell(nowMs) : cell;
    },
    lasting,
  };
}
