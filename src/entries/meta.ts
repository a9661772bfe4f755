export * from '../foundation/host/reloaded-file.js';
export * from '../foundation/errors/api-error.js';
export * from '../foundation/time/clock.js';
export * from '../foundation/errors/field-error.js';
export * from '../foundation/errors/field-path.js';
export {
  FOREGROUND_FINALIZER,
  finalizerWarnings,
  ORPHAN_FINALIZER,
  validateFinalizerDomains,
  validateFinalizers,
  validateNoNewFinalizers,
} from '../foundation/objects/finalizers.js';
export * from '../foundation/objects/generate-name.js';
export * from '../foundation/go/go-text.js';
export * from '../foundation/time/human-duration.js';
export * from '../foundation/json/json.js';
export type { LogFields, Logger } from '../foundation/reporting/logger.js';
export * from '../foundation/objects/names.js';
export * from '../foundation/objects/object.js';
export { dedupOwnerReferences, validateOwnerReferences, type OwnerReferenceStage } from '../foundation/objects/owner-references.js';
export * from '../foundation/objects/quantity.js';
export * from '../foundation/host/system-runtime.js';
export * from '../foundation/time/time.js';
export { MAX_ANNOTATIONS_BYTES, validateAnnotations, validateLabelKey, validateLabels } from '../foundation/objects/validate-labels.js';
export {
  MAX_FIELD_MANAGER_BYTES,
  MAX_SUBRESOURCE_BYTES,
  validateFieldManager,
  validateManagedFields,
} from '../foundation/objects/validate-managed-fields.js';
export {
  validateObjectMeta,
  validateObjectMetaUpdate,
  type NewObjectMetaRules,
  type ObjectMetaRules,
  type ObjectMetaUpdateRules,
} from '../foundation/objects/validate-object-meta.js';
