export * from './reloaded-file.js';
export * from './api-error.js';
export * from './clock.js';
export * from './field-error.js';
export * from './field-path.js';
export {
  FOREGROUND_FINALIZER,
  finalizerWarnings,
  ORPHAN_FINALIZER,
  validateFinalizerDomains,
  validateFinalizers,
  validateNoNewFinalizers,
} from './finalizers.js';
export * from './generate-name.js';
export * from './go-text.js';
export * from './human-duration.js';
export * from './json.js';
export type { LogFields, Logger } from './logger.js';
export * from './names.js';
export * from './object.js';
export { dedupOwnerReferences, validateOwnerReferences, type OwnerReferenceStage } from './owner-references.js';
export * from './quantity.js';
export * from './system-runtime.js';
export * from './time.js';
export { MAX_ANNOTATIONS_BYTES, validateAnnotations, validateLabelKey, validateLabels } from './validate-labels.js';
export {
  MAX_FIELD_MANAGER_BYTES,
  MAX_SUBRESOURCE_BYTES,
  validateFieldManager,
  validateManagedFields,
} from './validate-managed-fields.js';
export {
  validateObjectMeta,
  validateObjectMetaUpdate,
  type NewObjectMetaRules,
  type ObjectMetaRules,
  type ObjectMetaUpdateRules,
} from './validate-object-meta.js';
