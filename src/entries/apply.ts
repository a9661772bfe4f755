/**
 * Server-side apply and field ownership: field sets, and the field manager that maintains `metadata.managedFields`. Pure
 * functions on JSON values; no I/O, no clock.
 *
 * @module
 */
export { FieldSetError, pathText, type PathElement } from '../machinery/apply/fieldpath/element.js';
export {
  difference,
  equalSets,
  intersection,
  isEmpty,
  isSubset,
  recursiveDifference,
  union,
  type FieldSet,
} from '../machinery/apply/fieldpath/fieldset.js';
export { fromFieldsV1, toFieldsV1 } from '../machinery/apply/fieldpath/fields-v1.js';
export { fieldSet, has, paths, type Path } from '../machinery/apply/fieldpath/paths.js';
export {
  createFieldManager,
  type FieldManager,
  type FieldManagerApplied,
  type FieldManagerApply,
  type FieldManagerOptions,
  type FieldManagerUpdate,
} from '../machinery/apply/managers/field-manager.js';
export type { ClientSideApply } from '../machinery/apply/managers/last-applied-annotation.js';
export type { IgnoredFields } from '../machinery/apply/merge/updater.js';
export { ConversionPending, type Convert } from '../machinery/apply/merge/versions.js';
