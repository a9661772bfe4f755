/**
 * Field ownership: field sets, typed values over a structural schema, the rules of server-side apply, and the field
 * manager that maintains `metadata.managedFields`. Pure functions on JSON values; no I/O, no clock.
 *
 * @module
 */
export {
  compareElements,
  elementText,
  FieldSetError,
  fieldElement,
  indexElement,
  keyElement,
  parseElement,
  pathText,
  valueElement,
  type PathElement,
} from './fieldpath/element.js';
export {
  difference,
  EMPTY,
  equalSets,
  intersection,
  isEmpty,
  isSubset,
  leaves,
  recursiveDifference,
  union,
  type FieldSet,
} from './fieldpath/fieldset.js';
export { fromFieldsV1, toFieldsV1 } from './fieldpath/fields-v1.js';
export { fieldSet, has, paths, type Path } from './fieldpath/paths.js';
export { compare, excludeFields, isSame, type Comparison } from './typed/compare.js';
export { createdFields, zeroObject } from './typed/created.js';
export { TypedError, type TypedProblem } from './typed/errors.js';
export { merge } from './typed/merge.js';
export { toFieldSet } from './typed/owned.js';
export { extractItems, removeItems } from './typed/remove.js';
export { ensureNamedFieldsAreMembers, reconcileWithType } from './typed/sets.js';
export {
  typeOf,
  UNSTRUCTURED,
  type Field,
  type ListKey,
  type ListType,
  type MapType,
  type ScalarType,
  type Type,
} from './typed/type.js';
export { validate, type ValidationOptions } from './typed/validate.js';
export { ConflictError, type Conflict } from './merge/conflict.js';
export { type ManagerOperation, type ManagerRecord, type Managers } from './merge/managers.js';
export { apply, update, type ApplyOutcome, type IgnoredFields, type Write } from './merge/updater.js';
export { ConversionPending, type Convert, type VersionedObject } from './merge/versions.js';
export {
  decodeManagedFields,
  encodeManagedFields,
  equalIgnoringTimes,
  ManagedFieldsError,
} from './managers/entries.js';
export {
  createFieldManager,
  type FieldManager,
  type FieldManagerApplied,
  type FieldManagerApply,
  type FieldManagerOptions,
  type FieldManagerUpdate,
} from './managers/field-manager.js';
export { type ClientSideApply } from './managers/last-applied-annotation.js';
export { managerFromUserAgent } from './managers/user-agent.js';
export { MAX_FIELD_MANAGER_BYTES as MAX_MANAGER_BYTES } from '../../foundation/index.js';
