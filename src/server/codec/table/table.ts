import {
  atOnce,
  errors,
  goQuote,
  isJsonObject,
  resultOf,
  UNBOUNDED_WORK,
  type JsonObject,
  type JsonValue,
  type Steps,
  type StoredObject,
  type Work,
} from '../../../foundation/index.js';
import { PathVisits } from '../../../machinery/index.js';
import { countedCell, stepsOfCell, type Cell, type Column } from '../../../registry/index.js';
import type { ListFrame } from '../codec.js';
import {
  itemsOf,
  metaApiVersion,
  partialObjectMetadata,
  type MetaGroup,
  type MetaVersion,
} from '../partial-object-metadata.js';

/** The object that a row includes in addition to its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Options of a Table. */
export interface TableOptions {
  /** Columns of the kind; {@link defaultColumns} if it has none. */
  readonly columns: readonly Column[];
  readonly dialect: MetaGroup;
  readonly version: MetaVersion;
  readonly includeObject: IncludeObject;
  /** Time of the server in milliseconds since the epoch, for ages. */
  readonly nowMs: number;
}

/** Default columns: name and creation time. */
export const defaultColumns: readonly Column[] = Object.freeze([
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description:
      'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated.',
    cell: ({ metadata }) => metadata.name ?? '',
  },
  {
    name: 'Created At',
    type: 'date',
    description:
      'CreationTimestamp is a timestamp representing the server time when this object was created. It is represented in RFC3339 form and is in UTC.',
    cell: ({ metadata }) => metadata.creationTimestamp ?? '',
  },
]);

const INCLUDE: ReadonlyMap<string, IncludeObject> = new Map([
  ['', 'Metadata'],
  ['Metadata', 'Metadata'],
  ['None', 'None'],
  ['Object', 'Object'],
]);

/**
 * Parses the query parameter `includeObject`.
 *
 * @throws ApiError 400 for an invalid value
 */
export function parseIncludeObject(text: string | undefined): IncludeObject {
  const include = INCLUDE.get(text ?? '');
  if (include !== undefined) return include;
  throw errors.badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuote(text ?? '')}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Returns the Table of one object: one row. */
export function tableOfObject(object: StoredObject, options: TableOptions): JsonObject {
  return table(object, [object], columnDefinitions(options.columns), options);
}

/** Does the same as {@link tableOfObject}, in steps. */
export function* tableOfObjectSteps(object: StoredObject, options: TableOptions, work: Work): Steps<JsonObject> {
  const without = tableWithoutRows(object, columnDefinitions(options.columns), options);
  return { ...without, rows: [yield* tableRowSteps(object, options, work)] };
}

/** Returns the Table of a list: a row for each item, and the list's metadata. */
export function tableOfList(list: JsonObject, options: TableOptions): JsonObject {
  return table(list, itemsOf(list).filter(isStored), columnDefinitions(options.columns), options);
}

/**
 * Returns the Table of a list without its rows, which {@link tableRow} makes.
 *
 * @param list the list; only its metadata is used
 */
export function tableFrame(list: JsonObject, options: TableOptions): ListFrame {
  return { members: tableWithoutRows(list, columnDefinitions(options.columns), options), items: 'rows' };
}

/**
 * Returns a function that creates the Tables of a watch's events, in steps. Only the first one contains the columns; the
 * others contain null.
 *
 * @param options options without `nowMs`, which each event sets
 */
export function tableEvents(
  options: Omit<TableOptions, 'nowMs'>,
): (object: StoredObject, nowMs: number, work: Work) => Steps<JsonObject> {
  let columns: JsonValue = columnDefinitions(options.columns);
  return function* (object, nowMs, work) {
    const timed = { ...options, nowMs };
    const without = tableWithoutRows(object, columns, timed);
    columns = null;
    return { ...without, rows: [yield* tableRowSteps(object, timed, work)] };
  };
}

function table(
  source: JsonObject,
  objects: readonly StoredObject[],
  columns: JsonValue,
  options: TableOptions,
): JsonObject {
  return {
    ...tableWithoutRows(source, columns, options),
    rows: objects.map((object) => tableRow(object, options)),
  };
}

function tableWithoutRows(source: JsonObject, columns: JsonValue, { dialect, version }: TableOptions): JsonObject {
  return {
    kind: 'Table',
    apiVersion: metaApiVersion(dialect, version),
    metadata: listMetadata(source),
    columnDefinitions: columns,
  };
}

/** Units of work of a cell, and characters of a cell that take a unit. A visit of a path takes about one. */
const CELL_UNITS = 10;
const CHARACTERS_PER_UNIT = 8;

/** Returns the row of an object. */
export const tableRow = (object: StoredObject, options: TableOptions): JsonObject =>
  atOnce(tableRowSteps(object, options, UNBOUNDED_WORK));

/** Does the same as {@link tableRow}, in steps. A path may visit thousands of values. */
export function* tableRowSteps(object: StoredObject, options: TableOptions, work: Work): Steps<JsonObject> {
  const { columns, nowMs } = options;
  const visits = new PathVisits();
  const cells: Cell[] = [];
  for (const column of columns) {
    const before = visits.count;
    const steps = stepsOfCell(column);
    const made = steps === undefined ? countedCell(column, object, visits) : yield* resultOf(steps(object, work));
    const cell = typeof made === 'function' ? made(nowMs) : made;
    cells.push(cell);
    const characters = typeof cell === 'string' ? cell.length : 0;
    if (work.spend(CELL_UNITS + visits.count - before + characters / CHARACTERS_PER_UNIT)) yield;
  }
  return { cells, object: included(object, options) };
}

function included(object: StoredObject, { includeObject, dialect, version }: TableOptions): JsonValue {
  if (includeObject === 'None') return null;
  return includeObject === 'Object' ? object : partialObjectMetadata(object, dialect, version);
}

/** Returns the metadata of the Table: that of the collection, or the resource version of an object. */
function listMetadata(source: JsonObject): JsonObject {
  const { metadata } = source;
  if (!isJsonObject(metadata)) return {};
  const copy: Record<string, JsonValue> = {};
  for (const name of ['resourceVersion', 'continue', 'remainingItemCount']) {
    const value = metadata[name];
    if (value !== undefined && value !== '') copy[name] = value;
  }
  return copy;
}

/** Column definitions, cached for each set of columns. */
const heads = new WeakMap<readonly Column[], readonly JsonObject[]>();

function columnDefinitions(columns: readonly Column[]): readonly JsonObject[] {
  let head = heads.get(columns);
  if (head === undefined) {
    head = columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({
      name,
      type,
      format,
      description,
      priority,
    }));
    heads.set(columns, head);
  }
  return head;
}

function isStored(object: JsonObject): object is StoredObject {
  return isJsonObject(object['metadata']);
}
