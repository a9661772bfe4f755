import { COMPILED_BYTES, type ArtefactSource, type CompiledArtefact } from '../../foundation/index.js';
import { compileJsonPath, type JsonPath } from '../../machinery/index.js';
import { jsonPathCell, type Column } from '../../registry/index.js';
import type { CustomColumn } from './source.js';

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated.',
  cell: ({ metadata }) => metadata.name ?? '',
};

const CREATION: CustomColumn = {
  name: 'Age',
  type: 'date',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is represented in RFC3339 form and is in UTC.',
  jsonPath: '.metadata.creationTimestamp',
};

/** The columns of a version of a custom kind: made when a Table needs them, and again after they were given up. */
export class CustomColumns {
  readonly #declared: readonly CustomColumn[];
  readonly #compiled: CompiledArtefact<readonly Column[]>;

  constructor(declared: readonly CustomColumn[], compiled: ArtefactSource) {
    this.#declared = declared;
    this.#compiled = compiled.artefact();
  }

  /** The columns. */
  get current(): readonly Column[] {
    return this.#compiled.value ?? this.#compiled.keep(customColumns(this.#declared), bytesOf(this.#declared));
  }
}

/** Returns the estimated memory of compiled columns. */
function bytesOf(declared: readonly CustomColumn[]): number {
  let bytes = COMPILED_BYTES.column;
  for (const { jsonPath } of declared)
    bytes += COMPILED_BYTES.column + jsonPath.length * COMPILED_BYTES.columnCharacter;
  return bytes;
}

/**
 * Returns the columns of a custom kind: the name, then the declared columns, by default the age. As in Kubernetes
 * (`tableconvertor`), an invalid path ends the columns: the Table has those before it.
 */
function customColumns(declared: readonly CustomColumn[]): Column[] {
  const columns = [nameColumn];
  for (const column of declared.length === 0 ? [CREATION] : declared) {
    const path = compiled(column.jsonPath);
    if (path === undefined) break;
    columns.push(columnOf(column, path));
  }
  return columns;
}

function compiled(text: string): JsonPath | undefined {
  try {
    return compileJsonPath(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function columnOf({ name, type, format, description, priority, jsonPath }: CustomColumn, path: JsonPath): Column {
  return {
    name,
    type,
    format: format ?? '',
    description:
      description === undefined || description === ''
        ? `Custom resource definition column (in JSONPath format): ${jsonPath}`
        : description,
    priority: priority ?? 0,
    cell: jsonPathCell(type, path),
  };
}
