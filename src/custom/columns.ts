import type { Column } from '../registry/definition.js';
import { jsonPathCells } from '../registry/json-path-column.js';
import { lastingCells } from '../registry/lasting-cells.js';
import type { NamedObject } from '../registry/object-types.js';
import type { JsonPath } from '../selectors/json-path.js';
import type { CustomColumn } from './source.js';

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated.',
  ...lastingCells<NamedObject>((object) => object.metadata.name ?? ''),
};

const CREATION: CustomColumn = {
  name: 'Age',
  type: 'date',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is represented in RFC3339 form and is in UTC.',
  jsonPath: '.metadata.creationTimestamp',
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
    ...jsonPathCells(type, () => (path ??= pathOf(jsonPath))),
  };
}
