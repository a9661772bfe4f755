import {
  cloneJson,
  definedOnly,
  jsonText,
  ownMember,
  type GroupVersionKind,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
} from '../../../foundation/index.js';
import { isObjectMeta } from '../define/object-meta.js';
import type { StructuralSchema } from '../define/structural.js';
import { VALUE_FACTS } from './json-schema.js';

/** Names and rules of an OpenAPI document. */
export interface OpenApiOptions {
  /** Prefix of vendor extensions, including the last hyphen: `x-product-`. */
  readonly extensionPrefix: string;
  /** Returns the component name of a named type. The node distinguishes types of one name in different groups. */
  componentName(name: string, schema: StructuralSchema): string;
  /**
   * Publishes the zero value of fields that are always written as their default, as built-in kinds do. Default false.
   */
  readonly zeroDefaults?: boolean | undefined;
  /**
   * Publishes which fields are nullable. Default true; built-in kinds write some fields as null without publishing it.
   */
  readonly nullable?: boolean | undefined;
  /** Returns the description of a type, or of a field of it, that has none of its own. */
  readonly describe?: ((type: StructuralSchema, field?: string) => string | undefined) | undefined;
}

/** The differences between the two versions of OpenAPI. */
interface Flavor {
  readonly refPrefix: string;
  /** Writes `default`, `nullable` and `oneOf`, and wraps a reference that has siblings. */
  readonly rich: boolean;
}

const V3: Flavor = { refPrefix: '#/components/schemas/', rich: true };
const V2: Flavor = { refPrefix: '#/definitions/', rich: false };

/** Formats with another published name, or undefined when they are not published. */
const PUBLISHED_FORMATS: Readonly<Record<string, string | undefined>> = {
  'micro-time': 'date-time',
  quantity: undefined,
};

/** Vendor extensions of fields. */
const FIELD_EXTENSIONS = {
  fieldMapType: 'map-type',
  listMapKeys: 'list-map-keys',
  listType: 'list-type',
  patchMergeKey: 'patch-merge-key',
  patchStrategy: 'patch-strategy',
} as const;

/** Built-in types whose content is not described. */
const OPAQUE: ReadonlySet<string | undefined> = new Set(['fieldsV1', 'rawExtension', 'json', 'variants']);

class Writer {
  /** Anonymous types that are being written. A type that contains itself would never end. */
  readonly #open = new Set<StructuralSchema>();

  readonly #flavor: Flavor;
  readonly #options: OpenApiOptions;

  constructor(flavor: Flavor, options: OpenApiOptions) {
    this.#flavor = flavor;
    this.#options = options;
  }

  /**
   * Writes a field, an item or a value: a reference for a named type.
   *
   * @param own the description of a field
   */
  member(schema: StructuralSchema, isField: boolean, own?: string): MutableJsonObject {
    const flavor = this.#flavor;
    const written = schema.name === undefined ? this.#inline(schema) : this.#reference(schema.name, schema, isField);
    if (isField) {
      const description = withValues(own, schema);
      if (description !== undefined) written['description'] = description;
      this.#extensions(written, schema);
    }
    const fallback =
      publishedDefault(schema) ?? (this.#options.zeroDefaults === true ? zeroOf(schema, isField) : undefined);
    if (flavor.rich && fallback !== undefined) written['default'] = cloneJson(fallback);
    if (flavor.rich && this.#nullable(schema) && isField) written['nullable'] = true;
    return this.#wrapped(written);
  }

  #nullable({ nullable }: StructuralSchema): boolean {
    return nullable === true && this.#options.nullable !== false;
  }

  /** Wraps a reference with siblings, which OpenAPI 3.0 does not allow. */
  #wrapped(written: MutableJsonObject): MutableJsonObject {
    const { $ref, ...rest } = written;
    if (!this.#flavor.rich || $ref === undefined || Object.keys(rest).length === 0) return written;
    return { allOf: [{ $ref }], ...rest };
  }

  #reference(name: string, schema: StructuralSchema, isField: boolean): MutableJsonObject {
    // OpenAPI 2.0 cannot express a nullable field, so it has no type.
    if (!this.#flavor.rich && this.#nullable(schema) && isField) return {};
    return { $ref: this.#flavor.refPrefix + this.#options.componentName(name, schema) };
  }

  #inline(schema: StructuralSchema): MutableJsonObject {
    const preserve = `${this.#options.extensionPrefix}preserve-unknown-fields`;
    if (this.#open.has(schema)) return { type: 'object', [preserve]: true };
    if (!this.#flavor.rich && this.#nullable(schema)) return {};
    this.#open.add(schema);
    const written = this.body(schema);
    this.#open.delete(schema);
    return written;
  }

  /** Writes the type itself. */
  body(schema: StructuralSchema): MutableJsonObject {
    const { extensionPrefix } = this.#options;
    const written: MutableJsonObject = {};
    this.#type(written, schema);
    for (const fact of VALUE_FACTS) if (schema[fact] !== undefined) written[fact] = schema[fact] as MutableJsonValue;
    // Readers of OpenAPI 2.0 treat a list of fields as complete, so a type that preserves unknown fields has none.
    const open = schema.preserveUnknownFields === true && !this.#flavor.rich;
    const required = requiredOf(schema);
    if (required.length > 0 && !open) written['required'] = [...required];
    if (schema.properties !== undefined && !open) {
      written['properties'] = Object.fromEntries(
        [...schema.properties].map(([name, property]) => {
          const description = property.description ?? this.#options.describe?.(schema, name);
          return [name, this.member(property, true, description)];
        }),
      );
    }
    if (schema.additionalProperties !== undefined)
      written['additionalProperties'] = this.member(schema.additionalProperties, false);
    if (schema.items !== undefined) written['items'] = this.member(schema.items, false);
    if (schema.unionDiscriminator !== undefined)
      written[`${extensionPrefix}unions`] = [unionOf(schema, schema.unionDiscriminator)];
    if (schema.mapType !== undefined) written[`${extensionPrefix}map-type`] = schema.mapType;
    if (schema.validations !== undefined && schema.validations.length > 0)
      written[`${extensionPrefix}validations`] = schema.validations.map((rule) => definedOnly({ ...rule }));
    if (schema.preserveUnknownFields === true && !OPAQUE.has(schema.protoKind))
      written[`${extensionPrefix}preserve-unknown-fields`] = true;
    if (schema.embeddedResource === true) written[`${extensionPrefix}embedded-resource`] = true;
    return written;
  }

  #type(written: MutableJsonObject, schema: StructuralSchema): void {
    const { type, format } = schema;
    if (type === 'int-or-string') {
      written['format'] = 'int-or-string';
      if (this.#flavor.rich) written['oneOf'] = [{ type: 'integer' }, { type: 'string' }];
      else written['type'] = 'string';
      if (schema.name === undefined) written[`${this.#options.extensionPrefix}int-or-string`] = true;
      return;
    }
    if (format === 'quantity' && this.#flavor.rich) written['oneOf'] = [{ type: 'string' }, { type: 'number' }];
    else if (type !== 'any') written['type'] = type;
    const published =
      format !== undefined && format in PUBLISHED_FORMATS ? ownMember(PUBLISHED_FORMATS, format) : format;
    if (published !== undefined) written['format'] = published;
    if (schema.publishedEnum !== undefined) written['enum'] = [...schema.publishedEnum];
  }

  #extensions(written: MutableJsonObject, schema: StructuralSchema): void {
    for (const [fact, name] of Object.entries(FIELD_EXTENSIONS) as [keyof typeof FIELD_EXTENSIONS, string][]) {
      const value = schema[fact];
      if (value !== undefined)
        written[this.#options.extensionPrefix + name] = typeof value === 'string' ? value : [...value];
    }
  }
}

/** Returns the published default. */
function publishedDefault({
  default: fallback,
  publishedDefault: published = fallback,
}: StructuralSchema): JsonValue | undefined {
  return published ?? undefined;
}

/** Returns the published required fields, in the order of the fields. */
function requiredOf({ properties, required = [], publishedRequired }: StructuralSchema): readonly string[] {
  if (publishedRequired === undefined) return required;
  return [...(properties?.keys() ?? [])].filter((name) => required.includes(name) || publishedRequired.includes(name));
}

/** Returns the description of a field, with the values of its enumeration. */
function withValues(description: string | undefined, { publishedEnum }: StructuralSchema): string | undefined {
  if (publishedEnum === undefined) return description;
  const values = `Possible enum values:${publishedEnum.map((value) => `\n - \`${jsonText(value)}\``).join('')}`;
  return description === undefined ? values : `${description}\n\n${values}`;
}

/** Returns the union extension: the field for each value of the discriminator. */
function unionOf({ properties }: StructuralSchema, discriminator: string): MutableJsonObject {
  const fields = [...(properties?.keys() ?? [])].filter((name) => name !== discriminator);
  return {
    discriminator,
    'fields-to-discriminateBy': Object.fromEntries(
      fields.map((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)]),
    ),
  };
}

const ZEROS: Readonly<Record<string, JsonValue>> = { string: '', integer: 0, number: 0, boolean: false };

/** Returns the published default of a value that cannot be absent. */
function zeroOf(schema: StructuralSchema, isField: boolean): JsonValue | undefined {
  if (schema.nullable === true || (isField && schema.presence !== 'always')) return undefined;
  if (schema.type === 'object') return schema.name === undefined || OPAQUE.has(schema.protoKind) ? undefined : {};
  // Texts with a format have no empty value.
  if (schema.name !== undefined || schema.format === 'byte') return undefined;
  return ownMember(ZEROS, schema.type);
}

/** Additional facts of a kind's component. */
export interface ComponentFacts {
  /** The kinds that have this type; each is listed in the component's group-version-kind extension. */
  readonly groupVersionKinds?: readonly GroupVersionKind[] | undefined;
}

function component(
  schema: StructuralSchema,
  flavor: Flavor,
  options: OpenApiOptions,
  facts: ComponentFacts,
): JsonObject {
  const written = new Writer(flavor, options).body(schema);
  const own = schema.typeDescription ?? (schema.name === undefined ? schema.description : undefined);
  const description = own ?? options.describe?.(schema);
  const kinds = facts.groupVersionKinds ?? [];
  return {
    ...definedOnly({ description }),
    ...written,
    ...(kinds.length === 0
      ? {}
      : {
          [`${options.extensionPrefix}group-version-kind`]: kinds.map(({ group, kind, version }) => ({
            group,
            kind,
            version,
          })),
        }),
  };
}

/** Returns the OpenAPI 3.0 schema object of a type. Named types inside it are references to components. */
export function openApiV3Component(
  schema: StructuralSchema,
  options: OpenApiOptions,
  facts: ComponentFacts = {},
): JsonObject {
  return component(schema, V3, options, facts);
}

/** Returns the OpenAPI 2.0 definition of a type: the component without facts that version 2 cannot express. */
export function openApiV2Definition(
  schema: StructuralSchema,
  options: OpenApiOptions,
  facts: ComponentFacts = {},
): JsonObject {
  return component(schema, V2, options, facts);
}

/**
 * Returns every named type reachable from the given types, by component name in alphabetical order: the input of
 * `openApiV3Component` and `openApiV2Definition`.
 *
 * @throws TypeError when two types with different fields share a component name
 */
export function collectComponents(
  schemas: Iterable<StructuralSchema>,
  options: Pick<OpenApiOptions, 'componentName'>,
): ReadonlyMap<string, StructuralSchema> {
  const components = new Map<string, StructuralSchema>();
  const seen = new Set<StructuralSchema>();
  const visit = (schema: StructuralSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (schema.name !== undefined) addComponent(components, options.componentName(schema.name, schema), schema);
    for (const property of schema.properties?.values() ?? []) visit(property);
    if (schema.additionalProperties !== undefined) visit(schema.additionalProperties);
    if (schema.items !== undefined) visit(schema.items);
  };
  for (const schema of schemas) visit(schema);
  return new Map([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function addComponent(components: Map<string, StructuralSchema>, name: string, schema: StructuralSchema): void {
  const known = components.get(name);
  if (known === undefined) components.set(name, schema);
  // Two uses of one type are two nodes with the same fields. Metadata of objects and templates is published as one
  // type.
  else if (
    !(isObjectMeta(known) && isObjectMeta(schema)) &&
    (known.properties !== schema.properties || known.type !== schema.type)
  )
    throw new TypeError(`two types have the component name ${name}`);
}
