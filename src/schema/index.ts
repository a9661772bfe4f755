export { compileSchema, needsRefinements } from './compile.js';
export { hasConstraints } from './constraints.js';
export { convertMap } from './convert.js';
export { DecodeTypeError } from './decode-error.js';
export { unknownFieldText } from './inspect.js';
export {
  listMetaSchema,
  managedFieldsEntrySchema,
  objectMetaSchema,
  objectSchema,
  ownerReferenceSchema,
  type ObjectSchemaSource,
} from './object-meta.js';
export {
  collectComponents,
  openApiV2Definition,
  openApiV3Component,
  type ComponentFacts,
  type OpenApiOptions,
} from './openapi.js';
export { pruneIntent } from './prune.js';
export { CorrelatedValue } from './correlate.js';
export { readObject, type ReadOptions, type ReadResult } from './read-object.js';
export type { Origin } from './readers.js';
export { nullEmptyLists } from './null-empty-lists.js';
export { runRefinements } from './refinements.js';
export type { ListType, MapType, Presence, ProtoKind, SchemaType, StructuralSchema } from './structural.js';
export { validateObject, type ValidateOptions } from './validate-object.js';
export type { PatternCompiler } from './validation-run.js';
export * from './vocabulary.js';
