import type { Presence, StructuralSchema } from './structural.js';

/*
 * Metadata is written as nodes instead of zod types: all kinds share it, and a program that only decodes objects does
 * not need to load zod.
 */

type Facts = Partial<StructuralSchema>;

const field = (protoNumber: number, presence: Presence, description: string, facts: Facts): StructuralSchema =>
  Object.freeze({ type: 'string', presence, protoNumber, description, ...facts });

const text = (number: number, presence: Presence, description: string, facts: Facts = {}): StructuralSchema =>
  field(number, presence, description, { protoKind: 'string', ...facts });

const integer = (number: number, presence: Presence, description: string): StructuralSchema =>
  field(number, presence, description, { type: 'integer', format: 'int64', protoKind: 'int64' });

const boolean = (number: number, presence: Presence, description: string): StructuralSchema =>
  field(number, presence, description, { type: 'boolean', protoKind: 'bool' });

const timeType: Facts = {
  name: 'Time',
  typeDescription: 'A time with second precision, RFC 3339.',
  format: 'date-time',
  protoKind: 'time',
};

const time = (number: number, presence: Presence, description: string): StructuralSchema =>
  field(number, presence, description, timeType);

const struct = (
  name: string,
  description: string,
  properties: Readonly<Record<string, StructuralSchema>>,
  facts: Facts = {},
): StructuralSchema =>
  Object.freeze({
    type: 'object',
    name,
    presence: 'keep',
    description,
    typeDescription: description,
    protoKind: 'message',
    properties: new Map(Object.entries(properties)),
    ...facts,
  });

const list = (number: number, description: string, items: StructuralSchema, facts: Facts): StructuralSchema =>
  field(number, 'omit', description, { type: 'array', items, ...facts });

const item: StructuralSchema = Object.freeze({ type: 'string', presence: 'keep', protoKind: 'string' });

const textMap = (number: number, description: string): StructuralSchema =>
  field(number, 'omit', description, { type: 'object', protoKind: 'map', additionalProperties: item });

/** A reference from a dependent to its owner; server-side apply replaces it as a whole. */
export const ownerReferenceSchema: StructuralSchema = struct(
  'OwnerReference',
  'Identifies the owner of an object, in the same namespace or cluster-scoped.',
  {
    apiVersion: text(5, 'always', 'API version of the owner.'),
    kind: text(1, 'always', 'Kind of the owner.'),
    name: text(3, 'always', 'Name of the owner.'),
    uid: text(4, 'always', 'UID of the owner.', { goType: 'types.UID' }),
    controller: boolean(6, 'keep', 'If true, the owner is the managing controller.'),
    blockOwnerDeletion: boolean(7, 'keep', 'If true, a foreground deletion of the owner waits for this object.'),
  },
  { mapType: 'atomic', required: ['apiVersion', 'kind', 'name', 'uid'] },
);

const fieldsV1Type: Facts = {
  type: 'object',
  name: 'FieldsV1',
  typeDescription: 'A set of fields, as a tree: each key names a field, an item or a value.',
  preserveUnknownFields: true,
  protoKind: 'fieldsV1',
};

/** One record of field ownership. */
export const managedFieldsEntrySchema: StructuralSchema = struct(
  'ManagedFieldsEntry',
  'The fields that one manager set, by one kind of operation.',
  {
    manager: text(1, 'omit', 'Identifies the workflow that manages the fields.'),
    operation: text(2, 'omit', 'Operation that wrote the fields: Apply or Update.', {
      goType: 'v1.ManagedFieldsOperationType',
    }),
    apiVersion: text(3, 'omit', 'Version of the object that the fields belong to.'),
    time: time(4, 'keep', 'When the entry was last changed.'),
    fieldsType: text(6, 'omit', 'Form of the set of fields; FieldsV1 is the only one.'),
    fieldsV1: field(7, 'keep', 'The set of fields, as a tree.', fieldsV1Type),
    subresource: text(8, 'omit', 'Subresource that the fields were written through; empty for the object itself.'),
  },
);

/** Metadata that every object has. Shared by all kinds. */
export const objectMetaSchema: StructuralSchema = struct('ObjectMeta', 'Metadata that every stored object has.', {
  name: text(1, 'omit', 'Name, unique within the namespace. Cannot be changed.'),
  generateName: text(2, 'omit', 'Prefix of the unique name that the server generates when the name is empty.'),
  namespace: text(3, 'omit', 'Namespace of the object; empty for cluster-scoped kinds. Cannot be changed.'),
  selfLink: text(4, 'omit', 'No longer filled in by the server.'),
  uid: text(5, 'omit', 'Unique in time and space. Set by the server.', { goType: 'types.UID' }),
  resourceVersion: text(
    6,
    'omit',
    'Opaque version of the stored object, for comparison and for later requests. Set by the server.',
  ),
  generation: integer(7, 'omit', 'Sequence number of the desired state. Set by the server.'),
  creationTimestamp: time(8, 'omit', 'When the object was created. Set by the server.'),
  deletionTimestamp: time(9, 'keep', 'Time of the deletion, in the past or future. Set by the server.'),
  deletionGracePeriodSeconds: integer(
    10,
    'keep',
    'Seconds for a graceful termination before the object is removed. Set by the server.',
  ),
  labels: textMap(11, 'Keys and values that selectors match.'),
  annotations: textMap(12, 'Keys and values for tools; selectors do not match them.'),
  ownerReferences: list(
    13,
    'Objects that this one depends on. It is deleted when none of them exists any more.',
    ownerReferenceSchema,
    {
      listType: 'map',
      listMapKeys: ['uid'],
      patchStrategy: 'merge',
      patchMergeKey: 'uid',
    },
  ),
  finalizers: list(14, 'A deleted object is removed only when this list is empty.', item, {
    listType: 'set',
    patchStrategy: 'merge',
    protoKind: 'string',
  }),
  managedFields: list(17, 'The managers of fields. Maintained by the server.', managedFieldsEntrySchema, {
    listType: 'atomic',
  }),
});

/** Metadata of a template in an object. A template has no creation time: Kubernetes writes null. */
export const templateMetaSchema: StructuralSchema = Object.freeze({
  ...objectMetaSchema,
  properties: new Map(objectMetaSchema.properties).set(
    'creationTimestamp',
    Object.freeze({ ...time(8, 'always', 'When the object was created. Set by the server.'), nullable: true }),
  ),
});

/** Metadata of a collection. */
export const listMetaSchema: StructuralSchema = struct('ListMeta', 'Metadata of a collection.', {
  selfLink: text(1, 'omit', 'No longer filled in by the server.'),
  resourceVersion: text(2, 'omit', 'Opaque version of the collection, for comparison and for later requests.'),
  continue: text(3, 'omit', 'Token for the next part of the collection; empty at its end.'),
  remainingItemCount: integer(4, 'keep', 'Number of remaining items after this part, when known.'),
});

const objectSchemas = new WeakMap<StructuralSchema, Map<string, StructuralSchema>>();

const kindField = text(0, 'omit', 'Kind of the object, in CamelCase. Cannot be changed.');
const apiVersionField = text(0, 'omit', 'Version of the schema of this object.');

/** The kind and the version of an object inside another one. Protobuf messages do not have them. */
export const typeMetaFields: ReadonlyMap<string, StructuralSchema> = new Map([
  ['kind', kindField],
  ['apiVersion', apiVersionField],
]);

const metadataField: StructuralSchema = Object.freeze({ ...objectMetaSchema, presence: 'always', protoNumber: 1 });

/** The parts of a kind's declaration that {@link objectSchema} needs. */
export interface ObjectSchemaSource {
  /** Name of the kind and of its type. */
  readonly kind: string;
  readonly description?: string | undefined;
  /** The fields besides apiVersion, kind and metadata. */
  readonly schema: StructuralSchema;
}

/**
 * Returns the schema of whole objects of a kind: kind, apiVersion and metadata, then the kind's own fields. The same
 * source returns the same node.
 *
 * @throws TypeError when the kind's own schema is not an object
 */
export function objectSchema(source: ObjectSchemaSource): StructuralSchema {
  const { kind, schema, description = schema.description } = source;
  if (schema.type !== 'object' || schema.additionalProperties !== undefined)
    throw new TypeError(`the schema of ${kind} must be an object with fields`);
  const known = objectSchemas.get(schema)?.get(kind);
  if (known !== undefined) return known;
  const properties = new Map([
    ['kind', kindField],
    ['apiVersion', apiVersionField],
    ['metadata', metadataField],
  ]);
  for (const [name, property] of schema.properties ?? []) if (!properties.has(name)) properties.set(name, property);
  const described = description === undefined ? {} : { description, typeDescription: description };
  const complete: StructuralSchema = Object.freeze({ ...schema, name: kind, ...described, properties });
  const byKind = objectSchemas.get(schema) ?? new Map<string, StructuralSchema>();
  objectSchemas.set(schema, byKind.set(kind, complete));
  return complete;
}

/** Returns true for the metadata of an object or template, which all kinds read the same way. */
export function isObjectMeta({
  properties,
}: {
  readonly properties?: ReadonlyMap<string, object> | undefined;
}): boolean {
  return (
    properties === objectMetaSchema.properties ||
    properties === templateMetaSchema.properties ||
    properties instanceof DefaultedMetadataFields
  );
}

/** The fields of an embedded object besides those of its schema. */
const embeddedFields: ReadonlyMap<string, StructuralSchema> = new Map<string, StructuralSchema>([
  ['kind', Object.freeze<StructuralSchema>({ ...kindField, presence: 'keep' })],
  ['apiVersion', Object.freeze<StructuralSchema>({ ...apiVersionField, presence: 'keep' })],
  ['metadata', Object.freeze<StructuralSchema>({ ...objectMetaSchema, presence: 'keep' })],
]);

const embeddedMetadata = embeddedFields.get('metadata') ?? objectMetaSchema;

/**
 * Returns the fields of an embedded object. Its metadata has all fields of metadata, whichever its schema declares: the
 * declaration gives conditions on them, which validation checks, and their defaults. The types of `kind` and
 * `apiVersion` are the declared ones.
 */
export function embeddedFieldsOf({
  properties,
}: Pick<StructuralSchema, 'properties'>): ReadonlyMap<string, StructuralSchema> {
  const fields = new Map([...embeddedFields, ...(properties ?? [])]);
  const declared = properties?.get('metadata');
  return declared === undefined ? fields : fields.set('metadata', metadataWithDefaults(declared));
}

/** The fields of metadata, some with defaults. */
class DefaultedMetadataFields extends Map<string, StructuralSchema> {}

/** Returns the schema of metadata with the defaults that a schema declares for it and its fields. */
function metadataWithDefaults({ default: fallback, properties = new Map() }: StructuralSchema): StructuralSchema {
  const own: StructuralSchema = fallback === undefined ? embeddedMetadata : { ...embeddedMetadata, default: fallback };
  const fields = new DefaultedMetadataFields(embeddedMetadata.properties ?? []);
  let count = 0;
  for (const [name, { default: value }] of properties) {
    const field = fields.get(name);
    if (field === undefined || value === undefined) continue;
    fields.set(name, Object.freeze<StructuralSchema>({ ...field, default: value }));
    count += 1;
  }
  return Object.freeze<StructuralSchema>(count === 0 ? own : { ...own, properties: fields });
}
