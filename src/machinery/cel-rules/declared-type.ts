/**
 * The CEL types of schemas: what expressions can see of a value, and how large it can be.
 *
 * Source: `SchemaDeclType` and `DeclType` of Kubernetes 1.31.
 *
 * @module
 */
import { greatest, utf8Length } from '../../foundation/index.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  type CelType,
} from '../cel/index.js';
import type { StructuralSchema } from '../schema/define/structural.js';
import { escapedFieldName } from './field-names.js';
import { MAX_REQUEST_BYTES } from './limits.js';

/** The type of a schema's values in expressions. */
export interface DeclaredType {
  readonly type: CelType;
  /** Upper bound of the characters of a text, the items of a list, or the entries of a map; 0 for other values. */
  readonly maxElements: number;
  /** Size in bytes of the smallest value in JSON. */
  readonly minSize: number;
  /** Types of an object's fields, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, DeclaredType> | undefined;
  /** Type of a map's keys. */
  readonly key?: DeclaredType | undefined;
  /** Type of a list's items or a map's values. */
  readonly element?: DeclaredType | undefined;
}

/** Sizes in JSON, with quotes. */
const MIN_STRING_BYTES = 2;
const MIN_BOOLEAN_BYTES = 4;
const MIN_NUMBER_BYTES = 1;
const DATE_BYTES = 12;
const MIN_DATE_TIME_BYTES = 21;
const MAX_DATE_TIME_BYTES = 32;
const MIN_DURATION_BYTES = 3;
const MAX_DURATION_BYTES = 32;
/** Brackets of an empty list or object. */
const BRACKET_BYTES = 2;
/** Maximum bytes of a character in UTF-8: `maxLength` counts characters, sizes are bytes. */
const MAX_CHARACTER_BYTES = 4;
const LONGEST_TEXT = MAX_REQUEST_BYTES - 2;

const plain = (type: CelType, minSize: number, maxElements = 0): DeclaredType => ({ type, minSize, maxElements });

const stringDeclaration = plain(stringType, MIN_STRING_BYTES);

/** The formats of texts that are other types in expressions. */
const formats: ReadonlyMap<string, (schema: StructuralSchema) => DeclaredType> = new Map([
  ['byte', ({ maxLength }) => plain(bytesType, MIN_STRING_BYTES, notNegative(maxLength ?? LONGEST_TEXT))],
  ['duration', () => plain(durationType, MIN_DURATION_BYTES, MAX_DURATION_BYTES)],
  ['date', () => plain(timestampType, DATE_BYTES, DATE_BYTES)],
  ['date-time', () => plain(timestampType, MIN_DATE_TIME_BYTES, MAX_DATE_TIME_BYTES)],
]);

const notNegative = (value: number): number => Math.max(0, value);

/**
 * Returns the type of a schema's values; undefined when expressions cannot see them: values without a known type, lists
 * and maps of such values.
 *
 * @param name the name of objects in messages; the names of nested objects extend it
 * @param isResource true for the root of a resource, and for embedded resources: they always have `apiVersion`, `kind`,
 * `metadata.name` and `metadata.generateName`
 */
export function declaredType(schema: StructuralSchema, name: string, isResource: boolean): DeclaredType | undefined {
  return new Declarations().declare(schema, name, isResource);
}

class Declarations {
  /** The schemas around the current one. A recursive type is not visible inside itself. */
  readonly #enclosing = new Set<StructuralSchema>();

  declare(schema: StructuralSchema, name: string, isResource: boolean): DeclaredType | undefined {
    if (this.#enclosing.has(schema)) return undefined;
    this.#enclosing.add(schema);
    const declared = this.#declare(isResource ? withResourceFields(schema) : schema, name);
    this.#enclosing.delete(schema);
    return declared;
  }

  #declare(schema: StructuralSchema, name: string): DeclaredType | undefined {
    switch (schema.type) {
      case 'int-or-string':
        return plain(dynType, MIN_NUMBER_BYTES, maxTextLength(schema));
      case 'array':
        return this.#declareList(schema, name);
      case 'object':
        return mapValuesOf(schema) === undefined ? this.#declareObject(schema, name) : this.#declareMap(schema, name);
      case 'string':
        return formats.get(schema.format ?? '')?.(schema) ?? plain(stringType, MIN_STRING_BYTES, maxTextLength(schema));
      case 'boolean':
        return plain(boolType, MIN_BOOLEAN_BYTES);
      case 'number':
        return plain(doubleType, MIN_NUMBER_BYTES);
      case 'integer':
        return plain(intType, MIN_NUMBER_BYTES);
      case 'any':
        return undefined;
    }
  }

  #declareList({ items, maxItems }: StructuralSchema, name: string): DeclaredType | undefined {
    const element = items && this.declare(items, `${name}.@idx`, items.embeddedResource === true);
    if (element === undefined) return undefined;
    // A comma follows each item.
    const most = Math.floor((MAX_REQUEST_BYTES - BRACKET_BYTES) / (element.minSize + 1));
    return {
      type: listType(element.type),
      minSize: BRACKET_BYTES,
      maxElements: notNegative(maxItems ?? most),
      element,
    };
  }

  #declareMap({ additionalProperties, maxProperties }: StructuralSchema, name: string): DeclaredType | undefined {
    const element =
      additionalProperties &&
      this.declare(additionalProperties, `${name}.@elem`, additionalProperties.embeddedResource === true);
    if (element === undefined) return undefined;
    // An entry is at least a key of two characters with its quotes, a colon and a comma.
    const most = Math.floor((MAX_REQUEST_BYTES - BRACKET_BYTES) / (element.minSize + 6));
    return {
      type: mapType(stringType, element.type),
      minSize: BRACKET_BYTES,
      maxElements: notNegative(maxProperties ?? most),
      key: stringDeclaration,
      element,
    };
  }

  #declareObject({ properties, required = [] }: StructuralSchema, name: string): DeclaredType {
    const fields = new Map<string, DeclaredType>();
    let minSize = BRACKET_BYTES;
    for (const [property, schema] of properties ?? []) {
      const field = escapedFieldName(property);
      const declared = this.declare(schema, `${name}.${field ?? ''}`, schema.embeddedResource === true);
      if (declared === undefined) continue;
      if (field !== undefined) fields.set(field, declared);
      // A required field without a default, with its quotes, colon and comma.
      if (required.includes(property) && schema.default === undefined)
        minSize += utf8Length(property) + declared.minSize + 4;
    }
    const types = Object.fromEntries([...fields].map(([field, { type }]) => [field, type]));
    return { type: objectType(name, types), minSize, maxElements: 0, fields };
  }
}

function maxTextLength({ type, maxLength, enum: values }: StructuralSchema): number {
  if (maxLength !== undefined) return notNegative(maxLength) * MAX_CHARACTER_BYTES;
  if (type !== 'string' || values === undefined || values.length === 0) return LONGEST_TEXT;
  return greatest(values.map((value) => (typeof value === 'string' ? utf8Length(value) : 0)));
}

const text: StructuralSchema = { type: 'string', presence: 'keep' };
const names: StructuralSchema = {
  type: 'object',
  presence: 'keep',
  properties: new Map([
    ['name', text],
    ['generateName', text],
  ]),
};

/** Returns the schema of a map's values; undefined for an object, also when it allows any further field. */
export function mapValuesOf({ additionalProperties: values }: StructuralSchema): StructuralSchema | undefined {
  return values?.type === 'any' && values.preserveUnknownFields !== true ? undefined : values;
}

/**
 * Returns a resource's schema with the fields that every resource has. Unless the schema declares all of them with
 * their types, the declaration of metadata is replaced: other fields of metadata are not visible.
 */
export function withResourceFields(schema: StructuralSchema): StructuralSchema {
  const { properties } = schema;
  const metadata = properties?.get('metadata');
  const declaresAll =
    properties?.get('kind')?.type === 'string' &&
    properties.get('apiVersion')?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties?.get('name')?.type === 'string' &&
    metadata.properties.get('generateName')?.type === 'string';
  if (declaresAll) return schema;
  return {
    ...schema,
    properties: new Map([...(properties ?? []), ['kind', text], ['apiVersion', text], ['metadata', names]]),
  };
}
