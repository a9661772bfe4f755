import { messageOf } from '../meta/error-message.js';
import { humanDuration } from '../meta/human-duration.js';
import { isJsonObject, type JsonValue } from '../meta/json.js';
import { parseTime } from '../meta/time.js';
import { isSimplePath, loadJsonPath, simplePath, type JsonPath } from '../selectors/json-path.js';
import type { Cell, Column, JsonPathColumn, TimedCell } from './definition.js';
import { lastingCells } from './lasting-cells.js';

/** Returns the text of a value in a text column: compact JSON for objects and lists. */
const textOf = (value: JsonValue): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Returns the cell of a value; null for a value that does not fit the type of the column. */
const CELLS: Readonly<Record<string, (value: JsonValue) => Cell | TimedCell>> = {
  string: (value) => textOf(value),
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : null),
  number: (value) => (typeof value === 'number' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value) => {
    if (typeof value !== 'string') return null;
    const time = parseTime(value);
    return time === undefined ? '<invalid>' : (nowMs) => humanDuration(nowMs - time);
  },
};

/**
 * Returns the functions that read the cells of a column with a JSONPath.
 *
 * @param type OpenAPI type of the cells
 * @param pathOf returns the compiled path; called at each use
 */
export function jsonPathCells(
  type: string,
  pathOf: () => JsonPath,
): Required<Pick<Column<unknown>, 'cell' | 'lasting'>> {
  return lastingCells((object) => {
    const value = isJsonObject(object) ? pathOf().first(object) : undefined;
    return value === undefined || value === null ? null : (CELLS[type]?.(value) ?? null);
  });
}

/** Columns of which each has a function for its cells. */
export interface ReadableColumns<Item> {
  readonly columns: readonly Column<Item>[];
  /** Loads what the columns need before their first use; undefined when they need nothing. */
  readonly prepare: (() => Promise<void> | undefined) | undefined;
}

/** Gives each column with a JSONPath its function. A path with more than field names needs a library. */
export function readableColumns<Item>(declared: readonly (Column<Item> | JsonPathColumn)[]): ReadableColumns<Item> {
  let compile: ((text: string) => JsonPath) | undefined;
  const columns = declared.map((column): Column<Item> => {
    if (!('jsonPath' in column)) return column;
    const { jsonPath, ...rest } = column;
    let path: JsonPath | undefined = isSimplePath(jsonPath) ? simplePath(jsonPath) : undefined;
    const pathOf = (): JsonPath => {
      if (path !== undefined) return path;
      if (compile === undefined) throw new Error('JSONPath is not loaded');
      return (path = compile(jsonPath));
    };
    return { ...rest, ...jsonPathCells(column.type, pathOf) };
  });
  const paths = declared.flatMap((column) => ('jsonPath' in column ? [column.jsonPath] : []));
  if (paths.every(isSimplePath)) return { columns, prepare: undefined };
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    try {
      const loaded = await loadJsonPath();
      for (const path of paths) checkPath(path, loaded);
      compile = loaded;
    } finally {
      loading = undefined;
    }
  };
  return { columns, prepare: () => (compile === undefined ? (loading ??= load()) : undefined) };
}

/** @throws TypeError for an invalid path */
function checkPath(path: string, compile: (text: string) => JsonPath): void {
  try {
    compile(path);
  } catch (cause) {
    throw new TypeError(`the jsonPath ${path} of a column is invalid: ${messageOf(cause)}`, { cause });
  }
}
