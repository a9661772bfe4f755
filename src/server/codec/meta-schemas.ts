/**
 * Schemas of the API machinery's kinds, which belong to no resource, with the protobuf field numbers of Kubernetes'
 * `meta/v1`.
 *
 * @module
 */
import {
  listMetaSchema,
  objectMetaSchema,
  type Presence,
  type ProtoKind,
  type StructuralSchema,
} from '../../machinery/index.js';

type Fields = readonly (readonly [name: string, schema: StructuralSchema])[];

const scalar =
  (type: StructuralSchema['type'], protoKind: ProtoKind) =>
  (number: number, presence: Presence = 'omit'): StructuralSchema => ({
    type,
    protoKind,
    presence,
    protoNumber: number,
  });

const string = scalar('string', 'string');
const bool = scalar('boolean', 'bool');
const int32 = scalar('integer', 'int32');
const int64 = scalar('integer', 'int64');

const message = (name: string, fields: Fields): StructuralSchema => ({
  type: 'object',
  name,
  protoKind: 'message',
  presence: 'omit',
  properties: new Map(fields),
});
const field = (schema: StructuralSchema, number: number, presence: Presence = 'omit'): StructuralSchema => ({
  ...schema,
  presence,
  protoNumber: number,
});
const list = (items: StructuralSchema, number: number): StructuralSchema => ({
  type: 'array',
  presence: 'omit',
  protoNumber: number,
  items,
});
const strings = (number: number): StructuralSchema =>
  list({ type: 'string', protoKind: 'string', presence: 'omit' }, number);

const statusCause = message('StatusCause', [
  ['reason', string(1)],
  ['message', string(2)],
  ['field', string(3)],
]);
const statusDetails = message('StatusDetails', [
  ['name', string(1)],
  ['group', string(2)],
  ['kind', string(3)],
  ['uid', string(6)],
  ['causes', list(statusCause, 4)],
  ['retryAfterSeconds', int32(5)],
]);

export { listMetaSchema, objectMetaSchema };

/** A response that is not an object. */
export const statusSchema: StructuralSchema = message('Status', [
  ['metadata', field(listMetaSchema, 1)],
  ['status', string(2)],
  ['message', string(3)],
  ['reason', string(4)],
  ['details', field(statusDetails, 5, 'keep')],
  ['code', int32(6)],
]);

/** An event of a watch. It has no envelope, but its object has one. */
export const watchEventSchema: StructuralSchema = message('WatchEvent', [
  ['type', string(1)],
  [
    'object',
    { type: 'object', preserveUnknownFields: true, protoKind: 'rawExtension', presence: 'always', protoNumber: 2 },
  ],
]);

/** Body of a deletion. */
export const deleteOptionsSchema: StructuralSchema = message('DeleteOptions', [
  ['gracePeriodSeconds', int64(1, 'keep')],
  [
    'preconditions',
    field(
      message('Preconditions', [
        ['uid', { ...string(1, 'keep'), goType: 'types.UID' }],
        ['resourceVersion', string(2, 'keep')],
      ]),
      2,
      'keep',
    ),
  ],
  ['orphanDependents', bool(3, 'keep')],
  ['propagationPolicy', { ...string(4, 'keep'), goType: 'v1.DeletionPropagation' }],
  ['dryRun', strings(5)],
]);

/** An object reduced to its metadata. */
export const partialObjectMetadataSchema: StructuralSchema = message('PartialObjectMetadata', [
  ['metadata', field(objectMetaSchema, 1, 'always')],
]);

const groupVersionForDiscovery = message('GroupVersionForDiscovery', [
  ['groupVersion', string(1)],
  ['version', string(2)],
]);
const serverAddress = message('ServerAddressByClientCIDR', [
  ['clientCIDR', string(1)],
  ['serverAddress', string(2)],
]);
const apiGroupFields: Fields = [
  ['name', string(1)],
  ['versions', list(groupVersionForDiscovery, 2)],
  ['preferredVersion', field(groupVersionForDiscovery, 3)],
  ['serverAddressByClientCIDRs', list(serverAddress, 4)],
];
const apiResource = message('APIResource', [
  ['name', string(1)],
  ['singularName', string(6)],
  ['namespaced', bool(2)],
  ['group', string(8)],
  ['version', string(9)],
  ['kind', string(3)],
  // The list of verbs is a separate message.
  ['verbs', { ...strings(4), protoKind: 'message' }],
  ['shortNames', strings(5)],
  ['categories', strings(7)],
  ['storageVersionHash', string(10)],
]);

/** Schemas of the machinery kinds of core `v1` and the meta group, by kind. None has object metadata. */
export const machinerySchemas: ReadonlyMap<string, StructuralSchema> = new Map([
  ['Status', statusSchema],
  ['DeleteOptions', deleteOptionsSchema],
  [
    'APIVersions',
    message('APIVersions', [
      ['versions', strings(1)],
      ['serverAddressByClientCIDRs', list(serverAddress, 2)],
    ]),
  ],
  ['APIGroup', message('APIGroup', apiGroupFields)],
  ['APIGroupList', message('APIGroupList', [['groups', list(message('APIGroup', apiGroupFields), 1)]])],
  [
    'APIResourceList',
    message('APIResourceList', [
      ['groupVersion', string(1)],
      ['resources', list(apiResource, 2)],
    ]),
  ],
]);
