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
} from '../registry/verbs/admission.js';
export type { RequestContext } from '../registry/store/context.js';
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
} from '../registry/definition/definition.js';
export type { NamedObject, Unvalidated } from '../registry/definition/object-types.js';
export type { DeleteOptions, DeleteOutcome, PropagationPolicy } from '../registry/verbs/delete.js';
export type { ListOutcome } from '../registry/verbs/list.js';
export type { ListOptions, UnreadableObject, WatchOptions } from '../registry/verbs/list-options.js';
export type {
  OperationClient,
  OperationReadParameters,
  OperationResourceClient,
  OperationWriteParameters,
} from '../registry/verbs/operation-client.js';
export type { Perform, PerformRequest } from '../registry/verbs/perform.js';
export { StoreMirror, type MirrorSink, type StoreMirrorOptions } from '../registry/store/mirror.js';
export { ResourceInfo } from '../registry/definition/resource-info.js';
export { statusSubresource } from '../registry/writes/status.js';
export { ResourceStore, type StoreEnvironment } from '../registry/store/store.js';
export type { NameRule, ResetFields, Strategy, SubresourceStrategy } from '../registry/definition/strategy.js';
export type { UpdateOptions, UpdateOutcome, UpdateTransform } from '../registry/verbs/update.js';
export { resourceVerbs, type ResourceVerb } from '../registry/definition/verbs.js';
export type { WatchEventType, WatchNotice } from '../registry/watch/watch.js';
export type { WriteOptions } from '../registry/verbs/write-options.js';
