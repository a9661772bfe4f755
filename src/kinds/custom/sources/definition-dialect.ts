/**
 * Definitions in the names of any included dialect: a definition that was written for one dialect works in the others.
 *
 * @module
 */
import {
  apiVersionOf,
  dialects,
  groupName,
  isArray,
  isJsonObject,
  setOwnMember,
  type Dialect,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from '../../../foundation/index.js';
import { CustomResourceDefinition } from '../../builtin/apiextensions/custom-resource-definition.js';

/** Kind of the objects that define kinds. */
export const DEFINITION_KIND = CustomResourceDefinition.kind;

/** Returns the apiVersion of definitions in a dialect. */
export const definitionApiVersion = (dialect: Dialect): string =>
  apiVersionOf(groupName(CustomResourceDefinition.group, dialect), CustomResourceDefinition.version);

/** Returns the dialect of a definition by its apiVersion; undefined for an apiVersion of no included dialect. */
export function dialectOfDefinition({ apiVersion }: JsonObject): Dialect | undefined {
  return [...dialects.values()].find((dialect) => definitionApiVersion(dialect) === apiVersion);
}

/** Returns a definition in the names of a dialect: its apiVersion and the vendor extensions of its schemas. */
export function inDialect(definition: JsonObject, dialect: Dialect): JsonObject {
  const { spec } = definition;
  return {
    ...definition,
    apiVersion: definitionApiVersion(dialect),
    spec: isJsonObject(spec)
      ? { ...spec, versions: mapList(spec['versions'], (item) => versionIn(item, dialect)) }
      : spec,
  };
}

function versionIn(version: JsonValue, dialect: Dialect): JsonValue {
  if (!isJsonObject(version) || !isJsonObject(version['schema'])) return version;
  const { schema } = version;
  const { openAPIV3Schema: props } = schema;
  if (props === undefined) return version;
  return { ...version, schema: { ...schema, openAPIV3Schema: withExtensionsOf(props, dialect) } };
}

/** Members of a schema that are schemas or lists of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
]);
/** Members of a schema that are maps of schemas. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);

/** Returns a JSON schema in which the vendor extensions of all included dialects have the prefix of one. */
export function withExtensionsOf(schema: JsonValue, dialect: Dialect): JsonValue {
  if (isArray(schema)) return schema.map((item) => withExtensionsOf(item, dialect));
  if (!isJsonObject(schema)) return schema;
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const own = extensionIn(name, dialect);
    // The dialect's own extension takes precedence.
    if (own !== name && Object.hasOwn(schema, own)) continue;
    setOwnMember(result, own, memberIn(name, value, dialect) as MutableJsonObject);
  }
  return result;
}

function memberIn(name: string, value: JsonValue, dialect: Dialect): JsonValue {
  if (SCHEMAS.has(name)) return withExtensionsOf(value, dialect);
  if (!SCHEMA_MAPS.has(name) || !isJsonObject(value)) return value;
  const result: MutableJsonObject = {};
  for (const [key, schema] of Object.entries(value))
    if (schema !== undefined) setOwnMember(result, key, withExtensionsOf(schema, dialect) as MutableJsonObject);
  return result;
}

function extensionIn(name: string, dialect: Dialect): string {
  for (const { openApi } of dialects.values())
    if (name.startsWith(openApi.extensionPrefix))
      return dialect.openApi.extensionPrefix + name.slice(openApi.extensionPrefix.length);
  return name;
}

const mapList = (value: JsonValue | undefined, map: (item: JsonValue) => JsonValue): JsonValue | undefined =>
  isArray(value) ? value.map(map) : value;
