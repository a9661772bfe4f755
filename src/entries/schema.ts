/**
 * Schemas and validation: the vocabulary in which kinds are written, the compiler of their schemas, the reading and
 * validation of objects, the errors of fields, and the values of fields (quantities and times).
 *
 * @module
 */
export {
  duplicate,
  FieldError,
  FieldPath,
  forbidden,
  invalid,
  notFoundField,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  type FieldErrorType,
} from '../foundation/index.js';
export {
  validateAnnotations,
  validateLabels,
  validateObjectMeta,
  validateObjectMetaUpdate,
  type NewObjectMetaRules,
  type ObjectMetaRules,
  type ObjectMetaUpdateRules,
} from '../foundation/index.js';
export {
  canonicalQuantity,
  compareQuantities,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  quantityToBigInt,
  quantityToNumber,
  type Quantity,
  type QuantityFormat,
} from '../foundation/index.js';
export { formatMicroTime, formatTime, parseMicroTime, parseTime } from '../foundation/index.js';
export type { MutableJsonObject, MutableJsonValue } from '../foundation/index.js';
export { compileSchema } from '../machinery/schema/define/compile.js';
export { objectSchema, type ObjectSchemaSource } from '../machinery/schema/define/object-meta.js';
export type {
  ListType,
  MapType,
  Presence,
  ProtoKind,
  SchemaType,
  StructuralSchema,
  ValueSchema,
} from '../machinery/schema/define/structural.js';
export {
  always,
  alwaysStruct,
  annotate,
  atomicList,
  bytes,
  enumOf,
  int32,
  int64,
  intOrString,
  mapList,
  mapOf,
  metadataOf,
  microTime,
  omitted,
  optional,
  quantity,
  rules,
  setList,
  struct,
  time,
  type FieldMetadata,
} from '../machinery/schema/define/vocabulary.js';
export type { ValidationRule, ValidationRuleReason } from '../machinery/schema/openapi/json-schema.js';
export { DecodeTypeError } from '../machinery/schema/read/decode-error.js';
export { readObject, type ReadOptions, type ReadResult } from '../machinery/schema/read/read-object.js';
export { validateObject, type ValidateOptions } from '../machinery/schema/validate/validate-object.js';
export type { PatternCompiler, TextMatcher } from '../machinery/schema/validate/validation-run.js';
