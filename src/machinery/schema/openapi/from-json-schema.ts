import {
  atOnce,
  isArray,
  isJsonObject,
  jsonText,
  UNBOUNDED_WORK,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { ListType, MapType, SchemaType, StructuralSchema, ValueSchema } from '../define/structural.js';
import { VALUE_FACTS, type JsonSchemaProps, type SchemaExtensions, type ValidationRule } from './json-schema.js';

/** Members that mean the same in both forms. */
const SHARED = ['format', ...VALUE_FACTS, 'required', 'nullable'] as const satisfies readonly (keyof JsonSchemaProps &
  keyof ValueSchema)[];

const TYPES: ReadonlySet<string> = new Set<SchemaType>(['object', 'array', 'string', 'integer', 'number', 'boolean']);
const LIST_TYPES: ReadonlySet<JsonValue | undefined> = new Set<ListType>(['atomic', 'set', 'map']);
const MAP_TYPES: ReadonlySet<JsonValue | undefined> = new Set<MapType>(['granular', 'atomic']);

/**
 * Converts a JSON schema to the compiled form of a kind's schema. Members that the schema must not have (`$ref`,
 * `definitions`, …) are ignored: the validation of custom resource definitions reports them.
 *
 * @param extensions names of the vendor extensions in the server's dialect
 */
export function structuralSchema(props: JsonSchemaProps, extensions: SchemaExtensions): StructuralSchema {
  return atOnce(structuralSchemaInSteps(props, extensions, UNBOUNDED_WORK));
}

/** Converts a JSON schema as {@link structuralSchema}, and pauses between the schemas within it. */
export function structuralSchemaInSteps(
  props: JsonSchemaProps,
  extensions: SchemaExtensions,
  work: Work,
): Steps<StructuralSchema> {
  return new SchemaConversion(extensions, work).convert(props);
}

/** Work of the conversion of a schema. */
const UNITS_OF_SCHEMA = 20;

type Draft<Schema> = { -readonly [Key in keyof Schema]: Schema[Key] };

/** Conversion of a schema, and of any schemas within it: each is converted once. */
export class SchemaConversion {
  readonly #extensions: SchemaExtensions;
  readonly #work: Work;
  readonly #converted = new Map<JsonSchemaProps, StructuralSchema>();
  readonly #conditionsByKey = new Map<string, ValueSchema>();
  readonly #numbers = new Map<ValueSchema, number>();

  constructor(extensions: SchemaExtensions, work: Work) {
    this.#extensions = extensions;
    this.#work = work;
  }

  /** Number of schemas that were made. */
  get nodes(): number {
    return this.#converted.size + this.#conditionsByKey.size;
  }

  /** Converts a schema, as {@link structuralSchema} does. */
  *convert(props: JsonSchemaProps): Steps<StructuralSchema> {
    const known = this.#converted.get(props);
    if (known !== undefined) return known;
    if (this.#work.spend(UNITS_OF_SCHEMA)) yield;
    const schema = yield* this.#node(props);
    this.#converted.set(props, schema);
    return schema;
  }

  *#node(props: JsonSchemaProps): Steps<StructuralSchema> {
    const draft: Draft<StructuralSchema> = { type: this.#typeOf(props), presence: 'keep' };
    Object.assign(draft, yield* this.#conditions(props));
    if (props.description !== undefined) draft.description = props.description;
    if (props.title !== undefined) draft.title = props.title;
    if (props.default !== undefined) draft.default = props.default;
    const { properties, additionalProperties, items } = props;
    if (properties !== undefined) draft.properties = yield* mapOf(properties, (property) => this.convert(property));
    if (isSchema(additionalProperties)) draft.additionalProperties = yield* this.convert(additionalProperties);
    else if (additionalProperties === true) draft.additionalProperties = { type: 'any', presence: 'keep' };
    if (isSchema(items)) draft.items = yield* this.convert(items);
    this.#applyExtensions(props, draft);
    return Object.freeze(draft);
  }

  #typeOf(props: JsonSchemaProps): SchemaType {
    if (props[this.#extensions.intOrString] === true) return 'int-or-string';
    return isType(props.type) ? props.type : 'any';
  }

  #applyExtensions(props: JsonSchemaProps, draft: Draft<StructuralSchema>): void {
    const { preserveUnknownFields, embeddedResource, listType, listMapKeys, mapType, validations } = this.#extensions;
    if (props[preserveUnknownFields] === true) draft.preserveUnknownFields = true;
    if (props[embeddedResource] === true) draft.embeddedResource = true;
    const list = props[listType];
    if (isListType(list)) draft.listType = list;
    const map = props[mapType];
    if (isMapType(map)) draft.mapType = map;
    const keys = props[listMapKeys];
    if (isArray(keys)) draft.listMapKeys = keys.filter((key) => typeof key === 'string');
    const rules = props[validations];
    if (isArray(rules)) draft.validations = rules.filter(isRule);
  }

  /** Returns the conditions on the value itself, with those of `allOf`, `anyOf`, `oneOf` and `not`. */
  *#conditions(props: JsonSchemaProps): Steps<Draft<ValueSchema>> {
    const draft: Draft<ValueSchema> = {};
    for (const name of SHARED) {
      const fact: JsonValue | undefined = props[name];
      // Bounds are doubles, as in Kubernetes, whatever their text.
      if (fact !== undefined) Object.assign(draft, { [name]: typeof fact === 'bigint' ? Number(fact) : fact });
    }
    const { allOf, anyOf, oneOf, not } = props;
    if (allOf !== undefined) draft.allOf = yield* this.#conditionList(allOf);
    if (anyOf !== undefined) draft.anyOf = yield* this.#conditionList(anyOf);
    if (oneOf !== undefined) draft.oneOf = yield* this.#conditionList(oneOf);
    if (not !== undefined) draft.not = yield* this.#condition(not);
    return draft;
  }

  *#conditionList(list: readonly JsonSchemaProps[]): Steps<ValueSchema[]> {
    const converted: ValueSchema[] = [];
    for (const props of list) converted.push(yield* this.#condition(props));
    return converted;
  }

  *#condition(props: JsonSchemaProps): Steps<ValueSchema> {
    if (this.#work.spend(UNITS_OF_SCHEMA)) yield;
    const draft = yield* this.#conditions(props);
    if (isType(props.type)) draft.type = props.type;
    const { properties, additionalProperties, items } = props;
    if (properties !== undefined) draft.properties = yield* mapOf(properties, (property) => this.#condition(property));
    if (isSchema(additionalProperties)) draft.additionalProperties = yield* this.#condition(additionalProperties);
    if (isSchema(items)) draft.items = yield* this.#condition(items);
    const rules = props[this.#extensions.validations];
    if (isArray(rules)) draft.validations = rules.filter(isRule);
    return this.#shared(draft);
  }

  /** Returns one node for equal conditions, so that a value is checked against it once. */
  #shared(draft: ValueSchema): ValueSchema {
    const key = this.#keyOf(draft);
    const known = this.#conditionsByKey.get(key);
    if (known !== undefined) return known;
    Object.freeze(draft);
    this.#conditionsByKey.set(key, draft);
    this.#numbers.set(draft, this.#numbers.size);
    return draft;
  }

  /** Returns a text that equal conditions have in common; the conditions within have numbers. */
  #keyOf({ allOf, anyOf, oneOf, not, properties, additionalProperties, items, ...facts }: ValueSchema): string {
    const numberOf = (schema: ValueSchema | undefined): number => (schema && this.#numbers.get(schema)) ?? -1;
    return jsonText([
      facts,
      [allOf, anyOf, oneOf].map((list) => list?.map(numberOf)),
      [not, additionalProperties, items].map(numberOf),
      properties === undefined ? -1 : [...properties].map(([name, schema]) => [name, numberOf(schema)]),
    ]);
  }
}

function* mapOf<Schema>(
  properties: Readonly<Record<string, JsonSchemaProps>>,
  convert: (props: JsonSchemaProps) => Steps<Schema>,
): Steps<ReadonlyMap<string, Schema>> {
  const converted = new Map<string, Schema>();
  for (const [name, props] of Object.entries(properties)) converted.set(name, yield* convert(props));
  return converted;
}

const isSchema = (
  value: JsonSchemaProps | readonly JsonSchemaProps[] | boolean | null | undefined,
): value is JsonSchemaProps => typeof value === 'object' && value !== null && !Array.isArray(value);
const isType = (type: string | undefined): type is SchemaType => type !== undefined && TYPES.has(type);
const isListType = (value: JsonValue | undefined): value is ListType => LIST_TYPES.has(value);
const isMapType = (value: JsonValue | undefined): value is MapType => MAP_TYPES.has(value);
const isRule = (value: JsonValue): value is JsonValue & ValidationRule =>
  isJsonObject(value) && typeof value['rule'] === 'string';
