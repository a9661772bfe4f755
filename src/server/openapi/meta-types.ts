/**
 * The types of the documents other than the kinds: Status, DeleteOptions, watch events, lists.
 *
 * @module
 */
import { definedOnly } from '../../foundation/index.js';
import { listMetaSchema, type StructuralSchema } from '../../machinery/index.js';

type Fields = Readonly<Record<string, StructuralSchema>>;

const text = (description: string): StructuralSchema => ({ type: 'string', presence: 'keep', description });
const flag = (description: string): StructuralSchema => ({ type: 'boolean', presence: 'keep', description });
const integer = (format: string, description: string): StructuralSchema => ({
  type: 'integer',
  presence: 'keep',
  format,
  description,
});
const list = (items: StructuralSchema, description: string): StructuralSchema => ({
  type: 'array',
  presence: 'keep',
  listType: 'atomic',
  items,
  description,
});

function type(name: string, description: string, fields: Fields, required?: readonly string[]): StructuralSchema {
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
    description,
    properties,
    ...definedOnly({ required }),
  };
}

/** Metadata of a response that is not an object. */
const listMeta = (description: string): StructuralSchema => ({ ...listMetaSchema, presence: 'always', description });

const described = (schema: StructuralSchema, description: string): StructuralSchema => ({ ...schema, description });

const texts = (description: string): StructuralSchema => list({ type: 'string', presence: 'keep' }, description);

const typeMeta: Fields = {
  apiVersion: text('Version of the schema of this object.'),
  kind: text('Kind of the object, in CamelCase.'),
};

const rawExtension: StructuralSchema = {
  type: 'object',
  presence: 'keep',
  name: 'RawExtension',
  description: 'An object of any kind.',
  preserveUnknownFields: true,
  protoKind: 'rawExtension',
};

const statusCause = type('StatusCause', 'One detail of a failure.', {
  field: text('Path of the invalid field.'),
  message: text('Human-readable description of the cause.'),
  reason: text('Machine-readable description of the cause.'),
});

const statusDetails = type('StatusDetails', 'Details of a Status.', {
  causes: list(statusCause, 'Causes of the failure.'),
  group: text('API group of the resource.'),
  kind: text('The resource, or the kind of an invalid object.'),
  name: text('Name of the object.'),
  retryAfterSeconds: integer('int32', 'Seconds to wait before retrying the request.'),
  uid: text('UID of the object.'),
});

const preconditions = type('Preconditions', 'Preconditions of a deletion.', {
  resourceVersion: text('Version that the object must have.'),
  uid: text('UID that the object must have.'),
});

const apiResource = type(
  'APIResource',
  'Names and verbs of a resource.',
  {
    categories: texts('Groups of resources that this one belongs to.'),
    group: text('Group of the kind, when it differs from that of the list.'),
    kind: text('Kind of the objects.'),
    name: text('Plural name, as in paths.'),
    namespaced: flag('Whether objects are in a namespace.'),
    shortNames: texts('Short names.'),
    singularName: text('Singular name.'),
    storageVersionHash: text('Hash of the storage version.'),
    verbs: {
      type: 'array',
      presence: 'keep',
      items: { type: 'string', presence: 'keep' },
      description: 'Supported verbs.',
    },
    version: text('Version of the kind, when it differs from that of the list.'),
  },
  ['name', 'singularName', 'namespaced', 'kind', 'verbs'],
);

/** Response of a failure or a deletion. */
export const statusType = type('Status', 'Result of an operation that returns no object.', {
  ...typeMeta,
  code: integer('int32', 'HTTP status code.'),
  // A list type on an object is a mistake in Kubernetes' documents; it is kept.
  details: { ...described(statusDetails, 'Details of the failure.'), listType: 'atomic' },
  message: text('Human-readable description of the result.'),
  metadata: listMeta('Metadata of the response.'),
  reason: text('Machine-readable reason of the failure.'),
  status: text('Success or Failure.'),
});

/** Body of a deletion. */
export const deleteOptionsType = type('DeleteOptions', 'Options of a deletion.', {
  ...typeMeta,
  dryRun: texts('With the value All, nothing is stored.'),
  gracePeriodSeconds: integer('int64', 'Grace period in seconds; 0 deletes immediately.'),
  orphanDependents: flag('Deprecated, use propagationPolicy: whether dependents are kept.'),
  preconditions: described(preconditions, 'Preconditions of the deletion.'),
  propagationPolicy: text('Handling of dependents: Orphan, Background or Foreground.'),
});

/** Body of a patch: its shape depends on the media type. */
export const patchType: StructuralSchema = {
  type: 'object',
  presence: 'keep',
  name: 'Patch',
  description: 'A patch in the format of its media type.',
};

/** An event of a watch. */
export const watchEventType = type(
  'WatchEvent',
  'An event of a watch.',
  {
    object: described(rawExtension, 'The object after the change, or before its deletion; a Status for an error.'),
    type: text('ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.'),
  },
  ['type', 'object'],
);

/** Discovery response for a group version. */
export const apiResourceListType = type(
  'APIResourceList',
  'The resources of a version.',
  {
    ...typeMeta,
    groupVersion: text('The group and version.'),
    resources: list(apiResource, 'The resources and subresources.'),
  },
  ['groupVersion', 'resources'],
);

/** The type of a collection. */
export function listType(listKind: string, kind: string, item: StructuralSchema): StructuralSchema {
  const list = type(
    listKind,
    `A collection of ${kind} objects.`,
    {
      ...typeMeta,
      items: { type: 'array', presence: 'keep', items: item, description: 'The objects.' },
      metadata: listMeta('Metadata of the collection.'),
    },
    ['items'],
  );
  return { ...list, ...definedOnly({ package: item.package }) };
}
