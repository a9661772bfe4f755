import {
  goJson,
  goNumber,
  humanDuration,
  isJsonObject,
  leastLength,
  messageOf,
  ownMember,
  parseTime,
  type JsonValue,
} from '../../foundation/index.js';
import { compileJsonPath, PathVisits, type JsonPath } from '../../machinery/index.js';
import type { Cell, Column, JsonPathColumn, TimedCell } from './definition.js';

/**
 * Longest text of a cell, in characters; a longer one is left out. A column can show a whole object, and a row has a
 * copy for each of its columns.
 */
const MAX_CELL_TEXT = 64 * 1024;

/** Returns the text of a value in a text column, as Go prints it: JSON for objects and lists. */
function textOf(value: JsonValue): string | null {
  if (typeof value === 'number') return goNumber(value);
  if (typeof value !== 'object')
    return typeof value === 'string' && value.length > MAX_CELL_TEXT ? null : String(value);
  return leastLength(value, MAX_CELL_TEXT) > MAX_CELL_TEXT ? null : goJson(value);
}

/** The zero of Go's times. */
const ZERO_TIME = parseTime('0001-01-01T00:00:00Z');

/** Returns the age of a time. As in Kubernetes, an empty text and `null` are the zero time, whose age is not known. */
function ageOf(text: string): Cell | TimedCell {
  const time = text === '' || text === 'null' ? ZERO_TIME : parseTime(text);
  if (time === undefined) return '<invalid>';
  return time === ZERO_TIME ? '<unknown>' : (nowMs) => humanDuration(nowMs - time);
}

/** Returns the cell of a value; null for a value that does not fit the type of the column. */
const CELLS: Readonly<Record<string, (value: JsonValue) => Cell | TimedCell>> = {
  string: (value) => textOf(value),
  integer: (value) => (typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : null),
  number: (value) => (typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value) => (typeof value === 'string' ? ageOf(value) : null),
};

/** Reads a cell, and counts what its path visits. */
type CountedCell = (object: unknown, visits: PathVisits) => Cell | TimedCell;

/** The member of the functions that read a JSONPath. */
const COUNTED = Symbol('reads a JSONPath');

/**
 * Returns the function that reads the cells of a column with a JSONPath.
 *
 * @param type OpenAPI type of the cells
 */
export function jsonPathCell(type: string, path: JsonPath): Column<unknown>['cell'] {
  const counted: CountedCell = (object, visits) => {
    const value = isJsonObject(object) ? path.first(object, visits) : undefined;
    return value === undefined || value === null ? null : (ownMember(CELLS, type)?.(value) ?? null);
  };
  const cell: Column<unknown>['cell'] = (object) => counted(object, new PathVisits());
  return Object.assign(cell, { [COUNTED]: counted });
}

/** Returns whether the function of a column reads a JSONPath, and so is the server's own. */
export const readsPath = <Item>({ cell }: Column<Item>): boolean => COUNTED in cell;

/** Returns the cell of an object, and counts what its path visits, if it has one. */
export function countedCell<Item>({ cell }: Column<Item>, object: Item, visits: PathVisits): Cell | TimedCell {
  return COUNTED in cell ? (cell[COUNTED] as CountedCell)(object, visits) : cell(object);
}

/**
 * Gives each column with a JSONPath its function.
 *
 * @throws TypeError for an invalid path
 */
export function readableColumns<Item>(declared: readonly (Column<Item> | JsonPathColumn)[]): readonly Column<Item>[] {
  return declared.map((column): Column<Item> => {
    if (!('jsonPath' in column)) return column;
    const { jsonPath, ...rest } = column;
    return { ...rest, cell: jsonPathCell(column.type, compiled(jsonPath)) };
  });
}

function compiled(text: string): JsonPath {
  try {
    return compileJsonPath(text);
  } catch (cause) {
    throw new TypeError(`the jsonPath ${text} of a column is invalid: ${messageOf(cause)}`, { cause });
  }
}
