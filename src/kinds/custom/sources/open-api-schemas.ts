import {
  isArray,
  isJsonObject,
  orch,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from '../../../foundation/index.js';
import { schemaExtensions, VALUE_FACTS, type JsonSchemaProps } from '../../../machinery/index.js';
import { withExtensionsOf } from './definition-dialect.js';

/** The dialect whose vendor extensions the schemas have after reading. Any included one does. */
export const DIALECT = orch;
const EXTENSIONS = schemaExtensions(DIALECT.openApi.extensionPrefix);
const GROUP_VERSION_KIND = `${DIALECT.openApi.extensionPrefix}group-version-kind`;

/** Members of a schema that are taken over unchanged. */
const PLAIN = [
  'description',
  'type',
  'format',
  ...VALUE_FACTS,
  'nullable',
  'required',
  'default',
  EXTENSIONS.preserveUnknownFields,
  EXTENSIONS.embeddedResource,
  EXTENSIONS.intOrString,
  EXTENSIONS.listType,
  EXTENSIONS.listMapKeys,
  EXTENSIONS.mapType,
  EXTENSIONS.validations,
] as const;

/** Fields that every object has. Their schema is the server's own. */
const COMMON: ReadonlySet<JsonValue> = new Set(['apiVersion', 'kind', 'metadata']);

/** The names of a kind. */
export interface OpenApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Returns the kind that an operation or component is marked with; undefined without a mark. */
export function markedKinds(marked: JsonObject): readonly OpenApiKind[] {
  const read = withExtensionsOf(marked, DIALECT);
  const mark = isJsonObject(read) ? read[GROUP_VERSION_KIND] : undefined;
  return (isArray(mark) ? mark : [mark]).filter(isOpenApiKind);
}

const isOpenApiKind = (value: JsonValue | undefined): value is JsonObject & OpenApiKind =>
  isJsonObject(value) &&
  typeof value['group'] === 'string' &&
  typeof value['version'] === 'string' &&
  typeof value['kind'] === 'string';

/** The schemas of an OpenAPI document, with all references resolved. */
export class OpenApiSchemas {
  readonly #components: JsonObject;
  readonly #note: (note: string) => void;
  readonly #converted = new Map<string, JsonObject>();
  /** Components that are being converted, to detect recursion. */
  readonly #open = new Set<string>();
  /** Number of recursive references so far. Components with one depend on the place where they are used. */
  #recursions = 0;
  /** Whether the document publishes the types of a program, in which an empty default means nothing. */
  #fromTypes = false;

  /**
   * @param components `components.schemas` of version 3, `definitions` of version 2
   * @param note called with each fact that the schemas do not express
   */
  constructor(components: JsonObject, note: (note: string) => void) {
    this.#components = components;
    this.#note = note;
  }

  /** Returns the schema of a kind without apiVersion, kind and metadata; undefined when no component has it. */
  schemaOf({ group, version, kind }: OpenApiKind): JsonSchemaProps | undefined {
    const found = Object.values(this.#components).find(
      (component) =>
        isJsonObject(component) &&
        markedKinds(component).some((mark) => mark.group === group && mark.version === version && mark.kind === kind),
    );
    if (!isJsonObject(found)) return undefined;
    this.#fromTypes = refersToTypes(found);
    this.#converted.clear();
    const root = this.#convert(found, kind);
    const properties = objectIn(root['properties']);
    const required = isArray(root['required']) ? root['required'] : [];
    return {
      ...root,
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !COMMON.has(name))),
      required: required.filter((name) => !COMMON.has(name)),
    } as JsonSchemaProps;
  }

  #convert(written: JsonObject, path: string): JsonObject {
    const reference = referenceIn(written);
    if (reference !== undefined) return this.#resolve(reference, written, path);
    const read = withExtensionsOf(written, DIALECT);
    const schema = isJsonObject(read) ? read : {};
    if (isIntOrString(schema)) return { ...described(schema), [EXTENSIONS.intOrString]: true };
    const result: MutableJsonObject = {};
    for (const name of PLAIN) if (schema[name] !== undefined) Object.assign(result, { [name]: schema[name] });
    if (this.#fromTypes && isEmpty(result['default'])) delete result['default'];
    if (isJsonObject(schema['properties']))
      Object.assign(result, { properties: this.#properties(schema['properties'], path) });
    const { items, additionalProperties } = schema;
    if (isJsonObject(items)) Object.assign(result, { items: this.#convert(items, `${path}[*]`) });
    if (isJsonObject(additionalProperties))
      Object.assign(result, { additionalProperties: this.#convert(additionalProperties, `${path}[*]`) });
    else if (additionalProperties === true) result['additionalProperties'] = true;
    if (this.#isAnything(result)) result[EXTENSIONS.preserveUnknownFields] = true;
    return result;
  }

  #properties(properties: JsonObject, path: string): JsonObject {
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([, property]) => isJsonObject(property))
        .map(([name, property]) => [name, this.#convert(objectIn(property), `${path}.${name}`)]),
    );
  }

  /** Returns whether a schema accepts any value: one without a type, or an object type whose fields are not published. */
  #isAnything({ type, properties, additionalProperties }: JsonObject): boolean {
    if (type === undefined) return properties === undefined;
    return this.#fromTypes && type === 'object' && properties === undefined && additionalProperties === undefined;
  }

  /** Returns the schema of a component. Facts beside the reference take precedence. */
  #resolve(name: string, beside: JsonObject, path: string): JsonObject {
    const component = this.#components[name];
    if (!isJsonObject(component)) {
      this.#note(`${path}: the component ${name} does not exist; any value is accepted`);
      return anything(beside);
    }
    if (this.#open.has(name)) {
      this.#recursions += 1;
      this.#note(`${path}: ${name} contains itself; any value is accepted here`);
      return anything(beside);
    }
    const known = this.#converted.get(name);
    if (known !== undefined) return this.#withFacts(known, beside);
    const recursions = this.#recursions;
    this.#open.add(name);
    const converted = this.#convert(component, path);
    this.#open.delete(name);
    if (this.#recursions === recursions) this.#converted.set(name, converted);
    return this.#withFacts(converted, beside);
  }

  #withFacts(schema: JsonObject, beside: JsonObject): JsonObject {
    const facts = withExtensionsOf(beside, DIALECT);
    const result: MutableJsonObject = {};
    for (const name of PLAIN)
      if (isJsonObject(facts) && facts[name] !== undefined) Object.assign(result, { [name]: facts[name] });
    if (isEmpty(result['default'])) delete result['default'];
    return { ...schema, ...result };
  }
}

/** Returns the name of the component that a schema refers to, also in the form `allOf: [{ $ref }]`. */
function referenceIn({ $ref, allOf }: JsonObject): string | undefined {
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  const [only] = isArray(allOf) && allOf.length === 1 ? allOf : [];
  return isJsonObject(only) ? referenceIn(only) : undefined;
}

/**
 * Returns whether a component refers to others besides the metadata. Kinds of a program do; those of custom resource
 * definitions are published in one piece.
 */
function refersToTypes(schema: JsonValue | undefined): boolean {
  if (isArray(schema)) return schema.some(refersToTypes);
  if (!isJsonObject(schema)) return false;
  const { $ref } = schema;
  if (typeof $ref === 'string') return !$ref.endsWith('.ObjectMeta');
  return Object.values(schema).some(refersToTypes);
}

/** Returns whether a schema is a number or a string, in one of the forms in which documents publish that. */
function isIntOrString({ format, oneOf, anyOf, ...schema }: JsonObject): boolean {
  if (format === 'int-or-string' || schema[EXTENSIONS.intOrString] === true) return true;
  const forms = isArray(oneOf) ? oneOf : isArray(anyOf) ? anyOf : [];
  const types = forms.map((form) => (isJsonObject(form) ? form['type'] : undefined));
  return types.length === 2 && types.includes('string') && (types.includes('integer') || types.includes('number'));
}

const described = ({ description }: JsonObject): JsonObject => (description === undefined ? {} : { description });
const anything = (schema: JsonObject): JsonObject => ({
  ...described(schema),
  [EXTENSIONS.preserveUnknownFields]: true,
});
const isEmpty = (value: JsonValue | undefined): boolean =>
  value === '' || value === 0 || value === false || (isJsonObject(value) && Object.keys(value).length === 0);
const objectIn = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
