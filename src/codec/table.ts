import { errors } from '../meta/api-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import type { StoredObject } from '../meta/object.js';
import type { Column } from '../registry/definition.js';
import { goQuote } from '../meta/go-text.js';
import {
  itemsOf,
  metaApiVersion,
  partialObjectMetadata,
  type MetaGroup,
  type MetaVersion,
} from './partial-object-metadata.js';

/** What a row holds besides its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** What a Table is made from. */
export interface TableOptions {
  /** Columns of the kind; {@link defaultColumns} where it has none. */
  readonly columns: readonly Column[];
  readonly dialect: MetaGroup;
  readonly version: MetaVersion;
  readonly includeObject: IncludeObject;
  /** The server's time in milliseconds, for ages. */
  readonly nowMs: number;
}

/** The columns of a kind that names none: its name and its time of creation. */
export const defaultColumns: readonly Column[] = Object.freeze([
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description:
      'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated.',
    cell: (object: StoredObject) => object.metadata.name ?? '',
  },
  {
    name: 'Created At',
    type: 'date',
    description:
      'CreationTimestamp is a timestamp representing the server time when this object was created. It is represented in RFC3339 form and is in UTC.',
    cell: (object: StoredObject) => object.metadata.creationTimestamp ?? '',
  },
]);

const INCLUDE: ReadonlyMap<string, IncludeObject> = new Map([
  ['', 'Metadata'],
  ['Metadata', 'Metadata'],
  ['None', 'None'],
  ['Object', 'Object'],
]);

/**
 * Reads the query parameter `includeObject`.
 *
 * @throws ApiError 400 for a value that is none of the three
 */
export function parseIncludeObject(text: string | undefined): IncludeObject {
  const include = INCLUDE.get(text ?? '');
  if (include !== undefined) return include;
  throw errors.badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuote(text ?? '')}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** The Table of one object: one row. */
export function tableOfObject(object: StoredObject, options: TableOptions): JsonObject {
  return table(object, [object], columnDefinitions(options.columns), options);
}

/** The Table of a list: a row for each item. The list's metadata stays. */
export function tableOfList(list: JsonObject, options: TableOptions): JsonObject {
  return table(list, itemsOf(list).filter(isStored), columnDefinitions(options.columns), options);
}

/**
 * Makes the Tables of a watch's events. The columns come with the first one only; null stands in the others.
 *
 * @param options `nowMs` is given with each event instead
 */
export function tableEvents(options: Omit<TableOptions, 'nowMs'>): (object: StoredObject, nowMs: number) => JsonObject {
  let columns: JsonValue = columnDefinitions(options.columns);
  return (object, nowMs) => {
    const event = table(object, [object], columns, { ...options, nowMs });
    columns = null;
    return event;
  };
}

function table(
  source: JsonObject,
  objects: readonly StoredObject[],
  columns: JsonValue,
  options: TableOptions,
): JsonObject {
  return {
    kind: 'Table',
    apiVersion: metaApiVersion(options.dialect, options.version),
    metadata: listMetadata(source),
    columnDefinitions: columns,
    rows: objects.map((object) => row(object, options)),
  };
}

function row(object: StoredObject, options: TableOptions): JsonObject {
  const { columns, nowMs } = options;
  return { cells: columns.map((column) => column.cell(object, nowMs)), object: included(object, options) };
}

function included(object: StoredObject, { includeObject, dialect, version }: TableOptions): JsonValue {
  if (includeObject === 'None') return null;
  return includeObject === 'Object' ? object : partialObjectMetadata(object, dialect, version);
}

/** What a collection's metadata has; of an object only its resource version. */
function listMetadata(source: JsonObject): JsonObject {
  const { metadata } = source;
  if (!isJsonObject(metadata)) return {};
  const kept: Record<string, JsonValue> = {};
  for (const name of ['resourceVersion', 'continue', 'remainingItemCount']) {
    const value = metadata[name];
    if (value !== undefined && value !== '') kept[name] = value;
  }
  return kept;
}

/** The head of a Table, made once for each set of columns. */
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
