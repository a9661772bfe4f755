import {
  cloneJson,
  definedOnly,
  equalJson,
  isJsonObject,
  setOwnMember,
  type JsonObject,
  type MutableJsonObject,
  type Steps,
} from '../../../foundation/index.js';
import type { StructuralSchema, ValueSchema } from '../define/structural.js';
import { schemaExtensions, type SchemaExtensions } from './json-schema.js';

/** How the schema of a custom kind is published. */
export interface CustomOpenApiOptions {
  /** Version of OpenAPI. Clients of version 2 cannot read some facts; these are left out. */
  readonly version: 2 | 3;
  /** Prefix of vendor extensions, including the last hyphen. */
  readonly extensionPrefix: `x-${string}`;
  /** The fields of every object, apiVersion, kind and metadata, as published. */
  readonly objectFields: JsonObject;
  /** The fields of embedded objects, as published. */
  readonly embeddedFields: JsonObject;
}

/**
 * Returns the OpenAPI schema object of a custom kind in steps, as Kubernetes publishes it: the schema as its author wrote it,
 * with the fields of every object. In version 2, parts that command-line clients misread are left out.
 *
 * @param schema schema of the kind's fields
 */
export function* customOpenApi(schema: StructuralSchema, options: CustomOpenApiOptions): Steps<JsonObject> {
  // Clients of version 2 would refuse all fields besides those listed.
  if (options.version === 2 && schema.preserveUnknownFields === true) return { type: 'object' };
  const written = yield* new CustomWriter(options).node(schema);
  const fields = isJsonObject(written['properties']) ? written['properties'] : {};
  return { ...written, properties: { ...fields, ...options.objectFields } };
}

/** Facts that are published unchanged. */
const PLAIN_FACTS = [
  'format',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'maxProperties',
  'minProperties',
] as const satisfies readonly (keyof ValueSchema)[];

/** Schemas that are written in one step. */
const NODES_AT_ONCE = 256;

/** The schemas that an int-or-string accepts. */
const INT_OR_STRING: readonly JsonObject[] = [{ type: 'integer' }, { type: 'string' }];

class CustomWriter {
  readonly #options: CustomOpenApiOptions;
  readonly #names: SchemaExtensions;
  #nodes = 0;

  constructor(options: CustomOpenApiOptions) {
    this.#options = options;
    this.#names = schemaExtensions(options.extensionPrefix);
  }

  /** Writes a schema with everything inside it. */
  *node(schema: StructuralSchema): Steps<MutableJsonObject> {
    this.#nodes += 1;
    if (this.#nodes % NODES_AT_ONCE === 0) yield;
    const { type, description, title, default: fallback } = schema;
    const { visible, typed, required } = this.#visible(schema);
    const written: MutableJsonObject = definedOnly({
      description,
      title,
      type: typed && type !== 'any' && type !== 'int-or-string' ? type : undefined,
      nullable: this.#isVersion3 && schema.nullable === true ? true : undefined,
      default: fallback === undefined || fallback === null ? undefined : cloneJson(fallback),
    });
    this.#facts(written, schema, required);
    if (this.#isVersion3) this.#junctors(written, schema);
    if (visible && schema.items !== undefined) written['items'] = yield* this.node(schema.items);
    if (visible && schema.properties !== undefined) {
      const properties: MutableJsonObject = (written['properties'] = {});
      for (const [name, property] of schema.properties) setOwnMember(properties, name, yield* this.node(property));
    }
    if (schema.additionalProperties !== undefined)
      written['additionalProperties'] = isAnything(schema.additionalProperties)
        ? true
        : yield* this.node(schema.additionalProperties);
    this.#extensions(written, schema);
    if (schema.embeddedResource === true && !(schema.preserveUnknownFields === true && !this.#isVersion3))
      this.#embed(written);
    return written;
  }

  get #isVersion3(): boolean {
    return this.#options.version === 3;
  }

  /** Returns which parts of a schema are published. Version 3 has all of them. */
  #visible(schema: StructuralSchema): { visible: boolean; typed: boolean; required: readonly string[] | undefined } {
    const { type, required, properties, items, additionalProperties } = schema;
    if (this.#isVersion3) return { visible: true, typed: true, required };
    const open = schema.preserveUnknownFields === true;
    const nullable = schema.nullable === true;
    const visible = !open && !nullable;
    // Clients cannot read a list without items, nor an object that keeps unknown fields.
    const typed = !nullable && !(type === 'array' && (items === undefined || open)) && !(type === 'object' && open);
    if (additionalProperties?.nullable === true) return { visible, typed, required: undefined };
    const isNullable = (name: string): boolean => visible && properties?.get(name)?.nullable === true;
    return { visible, typed, required: required?.filter((name) => !isNullable(name)) };
  }

  /** Writes a condition inside `allOf`, `anyOf`, `oneOf` or `not`. */
  #condition(schema: ValueSchema): MutableJsonObject {
    const written: MutableJsonObject = definedOnly({
      type: schema.type,
      nullable: schema.nullable === true ? true : undefined,
    });
    this.#facts(written, schema, schema.required);
    this.#junctors(written, schema);
    const { items, properties, additionalProperties, validations } = schema;
    if (items !== undefined) written['items'] = this.#condition(items);
    if (properties !== undefined) written['properties'] = mapped(properties, (property) => this.#condition(property));
    if (additionalProperties !== undefined) written['additionalProperties'] = this.#condition(additionalProperties);
    if (validations !== undefined && validations.length > 0) written[this.#names.validations] = rulesOf(validations);
    return written;
  }

  #facts(written: MutableJsonObject, schema: ValueSchema, required: readonly string[] = []): void {
    for (const fact of PLAIN_FACTS) {
      const value = schema[fact];
      // Go leaves out what is empty.
      if (value !== undefined && value !== false && value !== '') written[fact] = value;
    }
    if (schema.enum !== undefined && schema.enum.length > 0)
      written['enum'] = schema.enum.map((each) => cloneJson(each));
    if (required.length > 0) written['required'] = [...required];
  }

  #junctors(written: MutableJsonObject, schema: ValueSchema): void {
    const listOf = (schemas: readonly ValueSchema[] = []): MutableJsonObject[] =>
      schemas.map((each) => this.#condition(each));
    const all = listOf(schema.allOf);
    let any = listOf(schema.anyOf);
    if (
      schema.type === 'int-or-string' &&
      !equalJson(any, INT_OR_STRING) &&
      !equalJson(all[0], { anyOf: INT_OR_STRING })
    ) {
      const both = INT_OR_STRING.map((each) => cloneJson(each));
      if (any.length === 0) any = both;
      else all.unshift({ anyOf: both });
    }
    const one = listOf(schema.oneOf);
    if (all.length > 0) written['allOf'] = all;
    if (any.length > 0) written['anyOf'] = any;
    if (one.length > 0) written['oneOf'] = one;
    if (schema.not !== undefined) written['not'] = this.#condition(schema.not);
  }

  #extensions(written: MutableJsonObject, schema: StructuralSchema): void {
    const names = this.#names;
    const { listMapKeys = [], listType, mapType, validations = [] } = schema;
    Object.assign(
      written,
      definedOnly({
        [names.preserveUnknownFields]: schema.preserveUnknownFields === true ? true : undefined,
        [names.embeddedResource]: schema.embeddedResource === true ? true : undefined,
        [names.intOrString]: schema.type === 'int-or-string' ? true : undefined,
        [names.listMapKeys]: listMapKeys.length > 0 ? [...listMapKeys] : undefined,
        [names.listType]: listType,
        [names.mapType]: mapType,
        [names.validations]: validations.length > 0 ? rulesOf(validations) : undefined,
      }),
    );
  }

  /** Adds the fields of an embedded object. */
  #embed(written: MutableJsonObject): void {
    const fields = isJsonObject(written['properties']) ? written['properties'] : {};
    written['properties'] = { ...fields, ...cloneJson(this.#options.embeddedFields) };
    const required = written['required'];
    const names = Array.isArray(required) ? required : [];
    written['required'] = [...names, ...['kind', 'apiVersion'].filter((name) => !names.includes(name))];
  }
}

/** Returns whether a schema is `true`: it accepts any value and keeps it. */
const isAnything = (schema: StructuralSchema): boolean => schema.type === 'any' && Object.keys(schema).length === 2;

const rulesOf = (rules: NonNullable<ValueSchema['validations']>): MutableJsonObject[] =>
  rules.map((rule) => definedOnly({ ...rule }));

const mapped = <Schema>(
  properties: ReadonlyMap<string, Schema>,
  write: (schema: Schema) => MutableJsonObject,
): MutableJsonObject => Object.fromEntries([...properties].map(([name, property]) => [name, write(property)]));
