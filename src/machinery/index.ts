/**
 * The door of the machinery: schemas, selectors, patches, apply and expressions, as functions of JSON values. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { FieldSet } from './apply/fieldpath/fieldset.js';
export { fieldSet } from './apply/fieldpath/paths.js';
export { decodeManagedFields } from './apply/managers/entries.js';
export {
  createFieldManager,
  type FieldManager,
  type FieldManagerApplied,
  type FieldManagerApply,
  type FieldManagerOptions,
  type FieldManagerUpdate,
} from './apply/managers/field-manager.js';
export { managerFromUserAgent } from './apply/managers/user-agent.js';
export { ConversionPending, type Convert } from './apply/merge/versions.js';
export type { CheckRulesOptions } from './cel-rules/check-rules.js';
export { CheckedRules, CollectedRules, type CheckedSchema, type RulesByPath } from './cel-rules/checked-rules.js';
export { declaredType } from './cel-rules/declared-type.js';
export type { RuleChecks } from './cel-rules/rule-checks.js';
export { ExpressionBudget } from './cel/cost/expression-budget.js';
export { BRIEF_COST, DEFAULT_COST_LIMIT } from './cel/cost/limits.js';
export type {
  CelAttempt,
  CelCompileOptions,
  CelEnvironment,
  CelEnvironmentOptions,
  CelProgram,
} from './cel/environment.js';
export { CelCompileError, CelCostError, CelEvaluationError, CelFailure } from './cel/evaluate/failures.js';
export { CelList, CelMap, fromJson, typeNameOf, type CelValue } from './cel/evaluate/values.js';
export {
  authorizerValue,
  requestResourceValue,
  type AuthorizationCheck,
  type AuthorizationDecision,
  type CheckedServiceAccount,
  type DecideAuthorization,
} from './cel/libraries/authorizer.js';
export type { CelLibrary, CelResult } from './cel/types/declarations.js';
export {
  anyType,
  boolType,
  listType,
  mapType,
  objectType,
  stringType,
  type CelObjectType,
  type CelType,
} from './cel/types/types.js';
export { jsonDiff, type JsonChange } from './patch/json-diff.js';
export { decodeJsonPatchSteps, type JsonPatchOperation } from './patch/json-patch-decode.js';
export { jsonPatchSteps } from './patch/json-patch.js';
export { applyMergePatch } from './patch/merge-patch.js';
export { PatchError } from './patch/patch-error.js';
export type { PatchType, PreparedPatch } from './patch/patch-types.js';
export { loadPatternLibrary, PatternLibrary, type Pattern } from './patterns/library.js';
export { programSize } from './patterns/size.js';
export { compileSchema, needsRefinements } from './schema/define/compile.js';
export { list, optionalText, requiredText, structNode, text } from './schema/define/configuration-nodes.js';
export { constraintsOf, hasConstraints } from './schema/define/constraints.js';
export {
  listMetaSchema,
  managedFieldsEntrySchema,
  objectMetaSchema,
  objectSchema,
  ownerReferenceSchema,
  templateMetaSchema,
  typeMetaFields,
} from './schema/define/object-meta.js';
export { runRefinements } from './schema/define/refinements.js';
export { resolveFieldPath } from './schema/define/resolve-field-path.js';
export type { Presence, ProtoKind, StructuralSchema, ValueSchema, Variants } from './schema/define/structural.js';
export { changedType } from './schema/define/type-changes.js';
export {
  always,
  alwaysStruct,
  annotate,
  atomicList,
  bytes,
  goNamed,
  int32,
  omitted,
  optional,
  struct,
  time,
  type FieldMetadata,
} from './schema/define/vocabulary.js';
export { SchemaConversion } from './schema/openapi/from-json-schema.js';
export {
  schemaExtensions,
  VALUE_FACTS,
  type JsonSchemaProps,
  type SchemaExtensions,
  type ValidationRule,
} from './schema/openapi/json-schema.js';
export { customOpenApi } from './schema/openapi/openapi-custom.js';
export {
  collectComponents,
  openApiV2Definition,
  openApiV3Component,
  type OpenApiOptions,
} from './schema/openapi/openapi.js';
export { cloneInSlices, cloneSteps } from './schema/read/clone-steps.js';
export { convertMap } from './schema/read/convert.js';
export { DecodeTypeError, jsonTypeName } from './schema/read/decode-error.js';
export { filledSteps } from './schema/read/filled.js';
export { unknownFieldText } from './schema/read/inspect.js';
export { nullEmptyLists } from './schema/read/null-empty-lists.js';
export { pruneIntentSteps } from './schema/read/prune.js';
export { readAs, readInSlices, readObject, readSteps, type ReadOptions } from './schema/read/read-object.js';
export { goPointer, goValidationRule } from './schema/validate/go-validation-rule.js';
export { prepareSchema } from './schema/validate/prepare-schema.js';
export { UserPatterns } from './schema/validate/user-patterns.js';
export { checkEmbedded } from './schema/validate/validate-embedded.js';
export { validateObject, validating } from './schema/validate/validate-object.js';
export { checkValue } from './schema/validate/validate-values.js';
export { newValidation, type PatternCompiler } from './schema/validate/validation-run.js';
export { COMMON_FIELDS, escapeFieldValue, FieldSelector, type FieldRequirement } from './selectors/fields.js';
export { compileJsonPath, jsonPathSize, PathVisits, type JsonPath } from './selectors/json-path.js';
export { LabelRequirement, type LabelOperator, type Labels } from './selectors/label-requirement.js';
export {
  checkLabelSelector,
  LabelSelector,
  type LabelSelectorExpression,
  type LabelSelectorObject,
} from './selectors/labels.js';
export type { SelectorLimits } from './selectors/limits.js';
export { anchorOf, anchorsOf, SelectorByKey } from './selectors/selector-by-key.js';
