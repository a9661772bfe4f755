import {
  atOnce,
  isArray,
  isJsonObject,
  keysInSteps,
  plainNumbers,
  UNBOUNDED_WORK,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { jsonTypeName } from '../schema/read/decode-error.js';
import { malformed } from './patch-error.js';

/**
 * One operation of a JSON Patch (RFC 6902, section 4). Missing members are detected when the operation is applied,
 * after the operations before it.
 */
export interface JsonPatchOperation {
  /** `add`, `remove`, `replace`, `move`, `copy` or `test`. */
  readonly op?: string | undefined;
  /** JSON Pointer to the target. */
  readonly path?: string | undefined;
  /** JSON Pointer to the source of `move` and `copy`. */
  readonly from?: string | undefined;
  /** The value of `add`, `replace` and `test`; null when it is absent. */
  readonly value?: JsonValue | undefined;
}

/** A JSON Patch with a valid form. */
export interface DecodedJsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /**
   * Paths of unknown members of operations: `[0].why`. They are ignored, and reported according to `fieldValidation`.
   */
  readonly unknownFields: readonly string[];
}

const TEXT_MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from']);

const OPERATION = 'handlers.jsonPatchOp';

/** Units of work to decode an operation, and to look at a member of it. */
const OPERATION_UNITS = 6;
const MEMBER_UNITS = 2;

/**
 * Decodes the body of a JSON Patch. Null is a patch without operations; a null item is an operation without members.
 *
 * @throws PatchError 400 when the body is not a list of objects whose `op`, `path` and `from` are strings
 */
export function decodeJsonPatch(value: JsonValue): DecodedJsonPatch {
  return atOnce(decodeJsonPatchSteps(UNBOUNDED_WORK, value));
}

/** Like {@link decodeJsonPatch}, in steps that can pause at each operation and at each member of it. */
export function* decodeJsonPatchSteps(work: Work, value: JsonValue): Steps<DecodedJsonPatch> {
  if (value === null) return { operations: [], unknownFields: [] };
  if (!isArray(value)) throw undecodable(value, `Go value of type []${OPERATION}`);
  const unknownFields: string[] = [];
  const operations: JsonPatchOperation[] = [];
  for (const item of value) {
    if (work.spend(OPERATION_UNITS)) yield;
    operations.push(yield* decodeOperation(work, item, operations.length, unknownFields));
  }
  return { operations, unknownFields };
}

function* decodeOperation(
  work: Work,
  item: JsonValue,
  index: number,
  unknownFields: string[],
): Steps<JsonPatchOperation> {
  if (item === null) return {};
  if (!isJsonObject(item)) throw undecodable(item, `Go value of type ${OPERATION}`);
  for (const key of yield* keysInSteps(item, work)) {
    if (work.spend(MEMBER_UNITS)) yield;
    if (TEXT_MEMBERS.has(key)) checkText(key, item[key] ?? null);
    else if (key !== 'value') unknownFields.push(`[${index}].${key}`);
  }
  return asOperation(item);
}

/** Null means the same as an absent text. */
function checkText(key: string, member: JsonValue): void {
  // Only a scalar can be a number that keeps its written form, as a text.
  const plain = typeof member === 'object' ? member : plainNumbers(member);
  if (typeof plain !== 'string' && plain !== null)
    throw undecodable(plain, `Go struct field jsonPatchOp.${key} of type string`);
}

function asOperation(item: JsonObject): JsonPatchOperation {
  const { op, path, from, value } = item;
  const text = (member: JsonValue | undefined): string | undefined => (typeof member === 'string' ? member : undefined);
  return { op: text(op), path: text(path), from: text(from), value };
}

const undecodable = (value: JsonValue, target: string): Error =>
  malformed(`error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into ${target}`);
