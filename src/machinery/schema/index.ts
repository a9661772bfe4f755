export { compileSchema, needsRefinements } from './define/compile.js';
export { hasConstraints } from './define/constraints.js';
export { convertMap } from './read/convert.js';
export { DecodeTypeError } from './read/decode-error.js';
export { unknownFieldText } from './read/inspect.js';
export {
  listMetaSchema,
  managedFieldsEntrySchema,
  objectMetaSchema,
  objectSchema,
  ownerReferenceSchema,
  type ObjectSchemaSource,
} from './define/object-meta.js';
export {
  collectComponents,
  openApiV2Definition,
  openApiV3Component,
  type ComponentFacts,
  type OpenApiOptions,
} from './openapi/openapi.js';
export { pruneIntent } from './read/prune.js';
export { CorrelatedValue } from './validate/correlate.js';
export { readObject, type ReadOptions, type ReadResult } from './read/read-object.js';
export type { Origin } from './read/readers.js';
export { nullEmptyLists } from './read/null-empty-lists.js';
export { runRefinements } from './define/refinements.js';
export type { ListType, MapType, Presence, ProtoKind, SchemaType, StructuralSchema } from './define/structural.js';
export { validateObject, type ValidateOptions } from './validate/validate-object.js';
export type { PatternCompiler } from './validate/validation-run.js';
export * from './define/vocabulary.js';
