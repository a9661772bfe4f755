import { definedOnly } from '../meta/defined-only.js';
import {
  cloneJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
} from '../meta/json.js';
import type { GroupVersionKind } from '../meta/object.js';
import type { StructuralSchema } from './structural.js';

/** Names that the OpenAPI documents spell and this folder does not know. */
export interface OpenApiOptions {
  /** What vendor extensions start with, up to the last hyphen: `x-product-`. */
  readonly extensionPrefix: string;
  /** Name of the component for a named type. The node tells apart types of one name in different groups. */
  componentName(name: string, schema: StructuralSchema): string;
  /** Publish the empty value of what is always written as its default, as the platform's own kinds do. Default false. */
  readonly zeroDefaults?: boolean;
  /** Publish which fields may be null. Default true; the platform's own kinds write some as null, and say nothing of it. */
  readonly nullable?: boolean;
}

/** How the two versions of OpenAPI differ. */
interface Flavor {
  readonly refPrefix: string;
  /** `default`, `nullable`, `oneOf`, and a reference wrapped where something stands beside it. */
  readonly rich: boolean;
}

const V3: Flavor = { refPrefix: '#/components/schemas/', rich: true };
const V2: Flavor = { refPrefix: '#/definitions/', rich: false };

/** Formats that are known by another name, or not at all, outside. */
const PUBLISHED_FORMATS: Readonly<Record<string, string | undefined>> = {
  'micro-time': 'date-time',
  quantity: undefined,
};

/** Facts that are published as they are. */
const PLAIN_FACTS = [
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'enum',
] as const satisfies readonly (keyof StructuralSchema)[];

/** Vendor extensions that stand with the field. */
const FIELD_EXTENSIONS = {
  listMapKeys: 'list-map-keys',
  listType: 'list-type',
  patchMergeKey: 'patch-merge-key',
  patchStrategy: 'patch-strategy',
} as const;

/** Types of the platform's own whose content is not described at all. */
const OPAQUE: ReadonlySet<string | undefined> = new Set(['fieldsV1', 'rawExtension']);

class Writer {
  /** Types without a name that are being written: one that holds itself has no end. */
  readonly #open = new Set<StructuralSchema>();

  constructor(
    readonly flavor: Flavor,
    readonly options: OpenApiOptions,
  ) {}

  /** A field, an item or a value: a reference where the type has a name. */
  member(schema: StructuralSchema, isField: boolean): MutableJsonObject {
    const { flavor } = this;
    const written = schema.name === undefined ? this.#inline(schema) : this.#reference(schema.name, schema, isField);
    if (isField) {
      const description = describe(schema);
      if (description !== undefined) written['description'] = description;
      this.#extensions(written, schema);
    }
    const fallback =
      publishedDefault(schema) ?? (this.options.zeroDefaults === true ? zeroOf(schema, isField) : undefined);
    if (flavor.rich && fallback !== undefined) written['default'] = cloneJson(fallback);
    if (flavor.rich && this.#nullable(schema) && isField) written['nullable'] = true;
    return this.#wrapped(written);
  }

  #nullable({ nullable }: StructuralSchema): boolean {
    return nullable === true && this.options.nullable !== false;
  }

  /** A reference may not stand beside anything else in OpenAPI 3.0. */
  #wrapped(written: MutableJsonObject): MutableJsonObject {
    const { $ref, ...rest } = written;
    if (!this.flavor.rich || $ref === undefined || Object.keys(rest).length === 0) return written;
    return { allOf: [{ $ref }], ...rest };
  }

  #reference(name: string, schema: StructuralSchema, isField: boolean): MutableJsonObject {
    // Without a rich type system a field that takes null can have no type at all.
    if (!this.flavor.rich && this.#nullable(schema) && isField) return {};
    return { $ref: this.flavor.refPrefix + this.options.componentName(name, schema) };
  }

  #inline(schema: StructuralSchema): MutableJsonObject {
    const preserve = `${this.options.extensionPrefix}preserve-unknown-fields`;
    if (this.#open.has(schema)) return { type: 'object', [preserve]: true };
    if (!this.flavor.rich && this.#nullable(schema)) return {};
    this.#open.add(schema);
    const written = this.body(schema);
    this.#open.delete(schema);
    return written;
  }

  /** The type itself. */
  body(schema: StructuralSchema): MutableJsonObject {
    const { extensionPrefix } = this.options;
    const written: MutableJsonObject = {};
    this.#type(written, schema);
    for (const fact of PLAIN_FACTS) if (schema[fact] !== undefined) written[fact] = schema[fact] as MutableJsonValue;
    // Where unknown fields are kept, readers of the older version take a list of known ones for complete.
    const open = schema.preserveUnknownFields === true && !this.flavor.rich;
    const required = requiredOf(schema);
    if (required.length > 0 && !open) written['required'] = [...required];
    if (schema.properties !== undefined && !open) {
      written['properties'] = Object.fromEntries(
        [...schema.properties].map(([name, property]) => [name, this.member(property, true)]),
      );
    }
    if (schema.additionalProperties !== undefined)
      written['additionalProperties'] = this.member(schema.additionalProperties, false);
    if (schema.items !== undefined) written['items'] = this.member(schema.items, false);
    if (schema.unionDiscriminator !== undefined)
      written[`${extensionPrefix}unions`] = [unionOf(schema, schema.unionDiscriminator)];
    if (schema.mapType !== undefined) written[`${extensionPrefix}map-type`] = schema.mapType;
    if (schema.preserveUnknownFields === true && !OPAQUE.has(schema.protoKind))
      written[`${extensionPrefix}preserve-unknown-fields`] = true;
    if (schema.embeddedResource === true) written[`${extensionPrefix}embedded-resource`] = true;
    return written;
  }

  #type(written: MutableJsonObject, schema: StructuralSchema): void {
    const { type, format } = schema;
    if (type === 'int-or-string') {
      written['format'] = 'int-or-string';
      if (this.flavor.rich) written['oneOf'] = [{ type: 'integer' }, { type: 'string' }];
      else written['type'] = 'string';
      if (schema.name === undefined) written[`${this.options.extensionPrefix}int-or-string`] = true;
      return;
    }
    if (format === 'quantity' && this.flavor.rich) written['oneOf'] = [{ type: 'string' }, { type: 'number' }];
    else if (type !== 'any') written['type'] = type;
    const published = format !== undefined && format in PUBLISHED_FORMATS ? PUBLISHED_FORMATS[format] : format;
    if (published !== undefined) written['format'] = published;
    if (schema.publishedEnum !== undefined) written['enum'] = [...schema.publishedEnum];
  }

  #extensions(written: MutableJsonObject, schema: StructuralSchema): void {
    for (const [fact, name] of Object.entries(FIELD_EXTENSIONS) as [keyof typeof FIELD_EXTENSIONS, string][]) {
      const value = schema[fact];
      if (value !== undefined)
        written[this.options.extensionPrefix + name] = typeof value === 'string' ? value : [...value];
    }
  }
}

/** The default that is written in the schema, as far as it is published. */
function publishedDefault({
  default: fallback,
  publishedDefault: published = fallback,
}: StructuralSchema): JsonValue | undefined {
  return published ?? undefined;
}

/** Fields that documents say must be there, in the order of the fields. */
function requiredOf({ properties, required = [], publishedRequired }: StructuralSchema): readonly string[] {
  if (publishedRequired === undefined) return required;
  return [...(properties?.keys() ?? [])].filter((name) => required.includes(name) || publishedRequired.includes(name));
}

/** What stands at a field: its description, and the values of a closed set. */
function describe({ description, publishedEnum }: StructuralSchema): string | undefined {
  if (publishedEnum === undefined) return description;
  const values = `Possible enum values:${publishedEnum.map((value) => `\n - \`${JSON.stringify(value)}\``).join('')}`;
  return description === undefined ? values : `${description}\n\n${values}`;
}

/** A union as the extension has it: which value of the discriminator stands for which field. */
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

/** The default that is published for a value that cannot be absent. */
function zeroOf(schema: StructuralSchema, isField: boolean): JsonValue | undefined {
  if (schema.nullable === true || (isField && schema.presence !== 'always')) return undefined;
  if (schema.type === 'object') return schema.name === undefined || OPAQUE.has(schema.protoKind) ? undefined : {};
  // Texts with a form of their own have no empty value.
  if (schema.name !== undefined || schema.format === 'byte') return undefined;
  return ZEROS[schema.type];
}

/** Further facts of the component of a kind. */
export interface ComponentFacts {
  /** The kinds that have this type; each is listed in the component's group-version-kind extension. */
  readonly groupVersionKinds?: readonly GroupVersionKind[];
}

function component(
  schema: StructuralSchema,
  flavor: Flavor,
  options: OpenApiOptions,
  facts: ComponentFacts,
): JsonObject {
  const written = new Writer(flavor, options).body(schema);
  const description = schema.typeDescription ?? (schema.name === undefined ? schema.description : undefined);
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

/** The OpenAPI 3.0 schema object of a type. Named types within it are references to components. */
export function openApiV3Component(
  schema: StructuralSchema,
  options: OpenApiOptions,
  facts: ComponentFacts = {},
): JsonObject {
  return component(schema, V3, options, facts);
}

/** The OpenAPI 2.0 definition of a type: as the component, without what version 2 has no words for. */
export function openApiV2Definition(
  schema: StructuralSchema,
  options: OpenApiOptions,
  facts: ComponentFacts = {},
): JsonObject {
  return component(schema, V2, options, facts);
}
