/**
 * The door of the registry: what a resource means. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export { Catalogue, notServed, type CatalogueChange, type CatalogueState } from './definition/catalogue.js';
export { checkDefinition } from './definition/check-definition.js';
export {
  type Cell,
  type Column,
  type ConnectParameter,
  type ConnectSubresource,
  type Conversion,
  type Converted,
  type DeclaredResource,
  defineResource,
  defineServerKind,
  type Deprecation,
  type FieldReader,
  type InputOf,
  type JsonPathColumn,
  type KindSubresource,
  type Lifecycle,
  type ObjectOf,
  type OperationSubresource,
  type PartSubresource,
  type ResourceDefinition,
  type ResourceNames,
  type SubresourceDefinition,
  type TimedCell,
  type ViewSubresource,
} from './definition/definition.js';
export { countedCell, jsonPathCell } from './definition/json-path-column.js';
export { steppedCell, stepsOfCell, type CellSteps } from './definition/stepped-cell.js';
export type { Incomplete, InputOfSchema, NamedObject, ObjectOfSchema, Unvalidated } from './definition/object-types.js';
export { ResourceInfo, storageKeyPrefix, type ServedView } from './definition/resource-info.js';
export { loadRuleCheckers, withRuleErrors, type RuleChecker, type RuleCheckers } from './definition/rules.js';
export type { SchemaValidator } from './definition/schema-validator.js';
export { checkFieldSelector } from './definition/selectable-fields.js';
export { servedResources, type ServedResource } from './definition/served-resource.js';
export type { ResetFields, Strategy, SubresourceStrategy } from './definition/strategy.js';
export { resourceVerbs, type ResourceVerb } from './definition/verbs.js';
export { DecodedForms } from './records/decoded-forms.js';
export type { GivenUpSchema } from './records/given-up-schema.js';
export { fromHub, toHub } from './records/hub-conversion.js';
export { mayBeEscaped, metadataInText } from './records/metadata-text.js';
export { textAtRevision } from './records/stamped-text.js';
export { encodeAt, parseRecord, stampRevision, transientRecord, transientRecordFor } from './records/record-codec.js';
export { UnreadableObjectError, unknownVersion } from './records/stored-form.js';
export type { StoredVersions, VersionedValue } from './records/stored-versions.js';
export { reportUnreadable } from './selection/record-filter.js';
export { ComputedStorage } from './store/computed-storage.js';
export type { FeatureSwitches, RequestContext, WebhookTimes, WhileWaiting } from './store/context.js';
export { timed, type LatencyLayer } from './store/latency.js';
export { StoreMirror, type MirrorSink } from './store/mirror.js';
export { inStorage } from './store/storage-step.js';
export type { ListTally, StoreMeter, StoreMeters } from './store/store-meter.js';
export type { StoreEnvironment } from './store/store-environment.js';
export { ResourceStore } from './store/store.js';
export {
  type AdmissionAttributes,
  type AdmissionOperation,
  type AdmissionPlugin,
  defineAdmissionPlugin,
  type KindAdmissionPlugin,
  type MutateAttributes,
  type Mutated,
  type ValidateAttributes,
  type WriteOperation,
} from './verbs/admission.js';
export { handed, handedPair, isLong, withCopies } from './handed/handed.js';
export { ContinueTokens } from './verbs/continue-token.js';
export type { DeleteOptions, DeleteOutcome, PropagationPolicy } from './verbs/delete.js';
export type { InitialPace, ListOptions, UnreadableObject, WatchOptions } from './verbs/list-options.js';
export { listMeta, type ListOutcome } from './verbs/list.js';
export { migrateObjects, type MigrationFailure } from './verbs/migrate.js';
export type {
  OperationClient,
  OperationReadParameters,
  OperationResourceClient,
  OperationWriteParameters,
} from './verbs/operation-client.js';
export type { Perform, PerformRequest } from './verbs/perform.js';
export { preparation } from './verbs/preparation.js';
export type { UpdateOptions, UpdateOutcome, UpdateTransform } from './verbs/update.js';
export { FollowedConfiguration, type ConfiguringKind } from './watch/followed-configuration.js';
export type { LogEvent } from './watch/log-event.js';
export { expiredStatus, type ObjectNotice, type WatchEventType, type WatchNotice, WatchStream } from './watch/watch.js';
export { hookResult } from './writes/hook-steps.js';
export { statusSubresource } from './writes/status.js';
export { hookFailure, validateNew, validateOperationObject } from './writes/validation.js';
export type { Begun, FinishWrite, WriteHooks, WriteOutcome, WriteScope } from './writes/write-hooks.js';
