import { isArray, isJsonObject, type JsonValue } from '../../../foundation/index.js';
import type { JsonSchemaProps, SchemaExtensions, ValidationRule } from '../../../machinery/index.js';

/** The vendor extensions of a schema, by their names in code. */
export interface ExtensionValues {
  /** Undefined when the extension is absent. */
  readonly preserveUnknownFields: boolean | undefined;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listMapKeys: readonly string[];
  readonly listType: string | undefined;
  readonly mapType: string | undefined;
  readonly validations: readonly ValidationRule[];
}

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
const isRule = (value: JsonValue): value is JsonValue & ValidationRule =>
  isJsonObject(value) && typeof value['rule'] === 'string';

/** Reads the vendor extensions of a decoded schema. */
export function extensionsOf(schema: JsonSchemaProps, names: SchemaExtensions): ExtensionValues {
  const preserve = schema[names.preserveUnknownFields];
  const keys = schema[names.listMapKeys];
  const rules = schema[names.validations];
  return {
    preserveUnknownFields: typeof preserve === 'boolean' ? preserve : undefined,
    embeddedResource: schema[names.embeddedResource] === true,
    intOrString: schema[names.intOrString] === true,
    listMapKeys: isArray(keys) ? keys.filter((key) => typeof key === 'string') : [],
    listType: textOf(schema[names.listType]),
    mapType: textOf(schema[names.mapType]),
    validations: isArray(rules) ? rules.filter(isRule) : [],
  };
}
