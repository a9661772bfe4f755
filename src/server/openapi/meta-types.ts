/**
 * The types of the documents other than the kinds: Status, DeleteOptions, watch events, lists. Those of the package
 * `meta` have the descriptions of the built-in types.
 *
 * @module
 */
import { definedOnly } from '../../foundation/index.js';
import { listMetaSchema, type StructuralSchema } from '../../machinery/index.js';

type Fields = Readonly<Record<string, StructuralSchema>>;

const text: StructuralSchema = { type: 'string', presence: 'keep' };
const flag: StructuralSchema = { type: 'boolean', presence: 'keep' };
const integer = (format: string): StructuralSchema => ({ type: 'integer', presence: 'keep', format });
const list = (items: StructuralSchema): StructuralSchema => ({
  type: 'array',
  presence: 'keep',
  listType: 'atomic',
  items,
});

function type(name: string, fields: Fields, required?: readonly string[]): StructuralSchema {
  const properties = new Map(
    Object.entries(fields).map(([field, schema]): [string, StructuralSchema] => [
      field,
      required?.includes(field) === true ? { ...schema, presence: 'always' } : schema,
    ]),
  );
  return {
    type: 'object',
    presence: 'keep',
    name,
    properties,
    ...definedOnly({ required }),
  };
}

/** Returns the metadata of a response that is not an object. */
const listMeta = (description: string): StructuralSchema => ({ ...listMetaSchema, presence: 'always', description });

const texts = list(text);

const typeMeta: Fields = {
  apiVersion: { ...text, description: 'Version of the schema of this object.' },
  kind: { ...text, description: 'Kind of the object, in CamelCase.' },
};

const rawExtension: StructuralSchema = {
  type: 'object',
  presence: 'keep',
  name: 'RawExtension',
  typeDescription: 'An object of any kind.',
  preserveUnknownFields: true,
  protoKind: 'rawExtension',
};

const statusCause = type('StatusCause', {
  field: text,
  message: text,
  reason: text,
});

const statusDetails = type('StatusDetails', {
  causes: list(statusCause),
  group: text,
  kind: text,
  name: text,
  retryAfterSeconds: integer('int32'),
  uid: text,
});

const preconditions = type('Preconditions', {
  resourceVersion: text,
  uid: text,
});

const apiResource = type(
  'APIResource',
  {
    categories: texts,
    group: text,
    kind: text,
    name: text,
    namespaced: flag,
    shortNames: texts,
    singularName: text,
    storageVersionHash: text,
    verbs: {
      type: 'array',
      presence: 'keep',
      items: text,
    },
    version: text,
  },
  ['name', 'singularName', 'namespaced', 'kind', 'verbs'],
);

/** Response of a failure or a deletion. */
export const statusType = type('Status', {
  ...typeMeta,
  code: integer('int32'),
  // A list type on an object is a mistake in Kubernetes' documents; it is kept.
  details: { ...statusDetails, listType: 'atomic' },
  message: text,
  metadata: listMeta('Metadata of the response.'),
  reason: text,
  status: text,
});

/** Body of a deletion. */
export const deleteOptionsType = type('DeleteOptions', {
  ...typeMeta,
  dryRun: texts,
  gracePeriodSeconds: integer('int64'),
  orphanDependents: flag,
  preconditions,
  propagationPolicy: text,
});

/** Body of a patch: its shape depends on the media type. */
export const patchType: StructuralSchema = {
  type: 'object',
  presence: 'keep',
  name: 'Patch',
  typeDescription: 'A patch in the format of its media type.',
};

/** An event of a watch. */
export const watchEventType = type(
  'WatchEvent',
  {
    object: rawExtension,
    type: text,
  },
  ['type', 'object'],
);

/** Discovery response for a group version. */
export const apiResourceListType = type(
  'APIResourceList',
  {
    ...typeMeta,
    groupVersion: text,
    resources: list(apiResource),
  },
  ['groupVersion', 'resources'],
);

/** The type of a collection. */
export function listType(listKind: string, kind: string, item: StructuralSchema): StructuralSchema {
  const fields: Fields = {
    ...typeMeta,
    items: { type: 'array', presence: 'keep', items: item, description: 'The objects.' },
    metadata: listMeta('Metadata of the collection.'),
  };
  return {
    ...type(listKind, fields, ['items']),
    typeDescription: `A collection of ${kind} objects.`,
    ...definedOnly({ package: item.package }),
  };
}
