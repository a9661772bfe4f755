/**
 * Conversion between bytes and JSON values: JSON, YAML and protobuf, content negotiation, the Table and metadata-only
 * forms, watch frames, compression, and the messages about unknown and duplicate fields.
 *
 * @module
 */
export * from './codec.js';
export { parseAccept, parseMediaType, type AcceptClause } from './accept.js';
export { COMPRESSION_THRESHOLD, gzip, shouldCompress, type CompressedChunks } from './compression.js';
export {
  DecodeProblem,
  emptyBodyText,
  summarizeBody,
  TooManyParts,
  unhandledBody,
  unrecognizedBody,
} from './decode-problem.js';
export { goFloat } from '../../foundation/index.js';
export { encodeJson, jsonSerializer } from './json/json.js';
export { parseJson, parseJsonText } from './json/json-decode.js';
export { scanJson } from './json/json-scan.js';
export * from './meta-schemas.js';
export * from './negotiate.js';
export * from './partial-object-metadata.js';
export { protobufSerializer, supportsProtobuf } from './protobuf/protobuf.js';
export * from './table/row-text.js';
export {
  strictApplyDecoding,
  strictDecoding,
  strictTexts,
  type FieldValidation,
  type StrictOutcome,
  type StrictProblems,
  type StrictSubject,
} from './strict.js';
export * from './table/table.js';
export { decodeUtf8, encodeUtf8 } from '../../foundation/index.js';
export * from './warnings.js';
export * from './watch-frames.js';
export { parseYaml, yamlSerializer } from './yaml/yaml.js';
export { encodeYaml } from './yaml/write/yaml-emit.js';
