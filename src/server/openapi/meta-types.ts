/**
 * The types that documents speak of besides the kinds: Status, DeleteOptions, watch events, lists.
 *
 * @module
 */
import { definedOnly } from '../../meta/defined-only.js';
import { listMetaSchema } from '../../schema/index.js';
import type { StructuralSchema } from '../../schema/structural.js';

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

/** Metadata of an answer that is no object. */
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
  field: text('Path of the field that is at fault.'),
  message: text('What is wrong, for people.'),
  reason: text('What is wrong, for programs.'),
});

const statusDetails = type('StatusDetails', 'What a Status is about.', {
  causes: list(statusCause, 'Everything that is wrong.'),
  group: text('API group of the resource.'),
  kind: text('The resource, or the kind of an invalid object.'),
  name: text('Name of the object.'),
  retryAfterSeconds: integer('int32', 'Seconds to wait before the request is tried again.'),
  uid: text('UID of the object.'),
});

const preconditions = type('Preconditions', 'What must hold for a deletion to be carried out.', {
  resourceVersion: text('Version that the object must have.'),
  uid: text('UID that the object must have.'),
});

const apiResource = type(
  'APIResource',
  'Name and abilities of a resource.',
  {
    categories: texts('Groups of resources that this one belongs to.'),
    group: text('Group of the kind, when it is not that of the list.'),
    kind: text('Kind of the objects.'),
    name: text('Plural name, as in paths.'),
    namespaced: flag('Whether objects are in a namespace.'),
    shortNames: texts('Short names for people to type.'),
    singularName: text('Singular name.'),
    storageVersionHash: text('Hash of the form in which objects are stored.'),
    verbs: {
      type: 'array',
      presence: 'keep',
      items: { type: 'string', presence: 'keep' },
      description: 'What can be done.',
    },
    version: text('Version of the kind, when it is not that of the list.'),
  },
  ['name', 'singularName', 'namespaced', 'kind', 'verbs'],
);

/** Answer to a failure, or to a deletion. */
export const statusType = type('Status', 'Result of an operation that returns no object.', {
  ...typeMeta,
  code: integer('int32', 'HTTP status code.'),
  // The list type of what is no list is a slip of Kubernetes that its documents have.
  details: { ...described(statusDetails, 'What the failure is about.'), listType: 'atomic' },
  message: text('What happened, for people.'),
  metadata: listMeta('Metadata of the answer.'),
  reason: text('Why it failed, for programs.'),
  status: text('Success or Failure.'),
});

/** Body of a deletion. */
export const deleteOptionsType = type('DeleteOptions', 'How an object is deleted.', {
  ...typeMeta,
  dryRun: texts('With All, nothing is stored.'),
  gracePeriodSeconds: integer('int64', 'Seconds for a graceful end; 0 is at once.'),
  orphanDependents: flag('Deprecated in favour of propagationPolicy: whether dependants are kept.'),
  preconditions: described(preconditions, 'What must hold for the deletion to be carried out.'),
  propagationPolicy: text('What happens to dependants: Orphan, Background or Foreground.'),
});

/** Body of a patch: its shape depends on the media type. */
export const patchType: StructuralSchema = {
  type: 'object',
  presence: 'keep',
  name: 'Patch',
  description: 'A patch, in the form that its media type names.',
};

/** An event of a watch. */
export const watchEventType = type(
  'WatchEvent',
  'One change, as a watch tells it.',
  {
    object: described(rawExtension, 'The object after the change, or before its deletion; a Status for an error.'),
    type: text('ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.'),
  },
  ['type', 'object'],
);

/** Answer of discovery for a version. */
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
  return type(
    listKind,
    `A collection of ${kind} objects.`,
    {
      ...typeMeta,
      items: { type: 'array', presence: 'keep', items: item, description: 'The objects.' },
      metadata: listMeta('Metadata of the collection.'),
    },
    ['items'],
  );
}
