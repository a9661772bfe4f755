import { humanDuration } from '../meta/human-duration.js';
import { isJsonObject, type JsonValue } from '../meta/json.js';
import { parseTime } from '../meta/time.js';
import type { Column } from '../registry/definition.js';
import type { JsonPath } from './json-path.js';
import type { CustomColumn } from './source.js';

type Cell = ReturnType<Column['cell']>;

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated.',
  cell: (object) => object.metadata.name ?? '',
};

const CREATION: CustomColumn = {
  name: 'Age',
  type: 'date',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is represented in RFC3339 form and is in UTC.',
  jsonPath: '.metadata.creationTimestamp',
};

/** Returns the text of a value in a text column: compact JSON for objects and lists. */
const textOf = (value: JsonValue): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Returns the cell of a value; null for a value that does not fit the type of the column. */
const CELLS: Readonly<Record<string, (value: JsonValue, nowMs: number) => Cell>> = {
  string: (value) => textOf(value),
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : null),
  number: (value) => (typeof value === 'number' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, nowMs) => {
    if (typeof value !== 'string') return null;
    const time = parseTime(value);
    return time === undefined ? '<invalid>' : humanDuration(nowMs - time);
  },
};

/**
 * Returns the columns of a custom kind: the name, then the declared columns, by default the age (Kubernetes:
 * `tableconvertor`).
 *
 * @param pathOf returns the compiled JSONPath of a column
 */
export function customColumns(declared: readonly CustomColumn[], pathOf: (text: string) => JsonPath): Column[] {
  return [nameColumn, ...(declared.length === 0 ? [CREATION] : declared).map((column) => columnOf(column, pathOf))];
}

function columnOf(
  { name, type, format, description, priority, jsonPath }: CustomColumn,
  pathOf: (text: string) => JsonPath,
): Column {
  let path: JsonPath | undefined;
  return {
    name,
    type,
    format: format ?? '',
    description:
      description === undefined || description === ''
        ? `Custom resource definition column (in JSONPath format): ${jsonPath}`
        : description,
    priority: priority ?? 0,
    cell: (object, nowMs) => {
      path ??= pathOf(jsonPath);
      const value = isJsonObject(object) ? path.first(object) : undefined;
      return value === undefined || value === null ? null : (CELLS[type]?.(value, nowMs) ?? null);
    },
  };
}
