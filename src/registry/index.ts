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
} from './admission.js';
export type { RequestContext } from './context.js';
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
} from './definition.js';
export type { NamedObject, Unvalidated } from './object-types.js';
export type { DeleteOptions, DeleteOutcome, PropagationPolicy } from './delete.js';
export type { ListOutcome } from './list.js';
export type { ListOptions, UnreadableObject, WatchOptions } from './list-options.js';
export type {
  OperationClient,
  OperationReadParameters,
  OperationResourceClient,
  OperationWriteParameters,
} from './operation-client.js';
export type { Perform, PerformRequest } from './perform.js';
export { StoreMirror, type MirrorSink, type StoreMirrorOptions } from './mirror.js';
export { ResourceInfo } from './resource-info.js';
export { statusSubresource } from './status.js';
export { ResourceStore, type StoreEnvironment } from './store.js';
export type { NameRule, ResetFields, Strategy, SubresourceStrategy } from './strategy.js';
export type { UpdateOptions, UpdateOutcome, UpdateTransform } from './update.js';
export { resourceVerbs, type ResourceVerb } from './verbs.js';
export type { WatchEventType, WatchNotice } from './watch.js';
export type { WriteOptions } from './write-options.js';
