/**
 * Definitions of kinds, their strategies, and the registry that implements their verbs over the storage.
 *
 * @module
 */
export {
  defineAdmissionPlugin,
  type AdmissionAttributes,
  type AdmissionOperation,
  type AdmissionPlugin,
  type KindAdmissionPlugin,
} from '../registry/index.js';
export type { RequestContext } from '../registry/index.js';
export {
  defineResource,
  type Column,
  type Conversion,
  type DeclaredResource,
  type Deprecation,
  type Lifecycle,
  type FieldReader,
  type InputOf,
  type JsonPathColumn,
  type ObjectOf,
  type OperationSubresource,
  type PartSubresource,
  type ResourceDefinition,
  type SubresourceDefinition,
} from '../registry/index.js';
export type { NamedObject, Unvalidated } from '../registry/index.js';
export type { DeleteOptions, DeleteOutcome, PropagationPolicy } from '../registry/index.js';
export type { ListOutcome } from '../registry/index.js';
export type { ListOptions, UnreadableObject, WatchOptions } from '../registry/index.js';
export type {
  OperationClient,
  OperationReadParameters,
  OperationResourceClient,
  OperationWriteParameters,
} from '../registry/index.js';
export type { Perform, PerformRequest } from '../registry/index.js';
export { StoreMirror, type MirrorSink, type StoreMirrorOptions } from '../registry/index.js';
export { ResourceInfo } from '../registry/index.js';
export { statusSubresource } from '../registry/index.js';
export { ResourceStore, type StoreEnvironment } from '../registry/index.js';
export type { NameRule } from '../foundation/index.js';
export type { ResetFields, Strategy, SubresourceStrategy } from '../registry/index.js';
export type { UpdateOptions, UpdateOutcome, UpdateTransform } from '../registry/index.js';
export { resourceVerbs, type ResourceVerb } from '../registry/index.js';
export type { WatchEventType, WatchNotice } from '../registry/index.js';
export type { WriteOptions } from '../registry/index.js';
