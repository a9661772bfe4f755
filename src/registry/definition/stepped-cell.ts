import { atOnce, isSteps, UNBOUNDED_WORK, type MaybeSteps, type Work } from '../../foundation/index.js';
import type { Cell, Column, TimedCell } from './definition.js';

/**
 * Returns the cell of an object, or steps to it: the text of a cell may be as long as a list of the object. Declared as a
 * method, so that the parameter is bivariant.
 */
export type CellSteps<Item> = { steps(object: Item, work: Work): MaybeSteps<Cell | TimedCell> }['steps'];

/** The member of the functions whose cells are made in steps. */
const STEPPED = Symbol('makes its cells in steps');

/** Returns the function of a column whose cells are made in steps for long objects. */
export function steppedCell<Item>(steps: CellSteps<Item>): Column<Item>['cell'] {
  const cell: Column<Item>['cell'] = (object) => {
    const made = steps(object, UNBOUNDED_WORK);
    return isSteps(made) ? atOnce(made) : made;
  };
  return Object.assign(cell, { [STEPPED]: steps });
}

/** Returns the steps to the cells of a column; undefined when a cell is made in one piece. */
export const stepsOfCell = <Item>({ cell }: Column<Item>): CellSteps<Item> | undefined =>
  STEPPED in cell ? (cell[STEPPED] as CellSteps<Item>) : undefined;
