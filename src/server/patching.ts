/**
 * Changes by patch and by apply, as HTTP and the in-process client both make them: the patch is read, applied to the
 * present object, and its outcome is read as an object of the kind.
 *
 * @module
 */
import {
  strictApplyDecoding,
  strictDecoding,
  strictTexts,
  type DecodedDocument,
  type StrictOutcome,
} from '../codec/index.js';
import type { FieldValidation } from '../codec/strict.js';
import { errors, type ApiError } from '../meta/api-error.js';
import { invalid } from '../meta/field-error.js';
import { goQuote } from '../meta/go-text.js';
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import type { ApiObject, StoredObject } from '../meta/object.js';
import type { PatchType, PreparedPatch } from '../patch/index.js';
import type { RequestContext } from '../registry/context.js';
import type { ResourceInfo } from '../registry/resource-info.js';
import type { UpdateOutcome } from '../registry/update.js';
import { jsonTypeName } from '../schema/decode-error.js';
import { convertMap, DecodeTypeError, pruneIntent, readObject, type StructuralSchema } from '../schema/index.js';
import { checkName } from './check-name.js';
import type { ResourceOperations, WriteParameters } from './resource-operations.js';

/** What is changed, and how. */
export interface ChangeTarget extends WriteParameters {
  readonly namespace: string;
  readonly name: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly fieldValidation: FieldValidation;
}

/** Throws the refusal, or passes the warnings on. */
function settle({ error, warnings }: StrictOutcome, context: RequestContext): void {
  if (error !== undefined) throw error;
  for (const warning of warnings) context.warn(warning);
}

/**
 * Changes an object by a patch that is not an apply.
 *
 * @param read reads the patch, once: of an object that is not there it is not looked at
 * @throws ApiError as the verb `patch` answers
 */
export function changeByPatch(
  operations: ResourceOperations,
  context: RequestContext,
  target: ChangeTarget,
  type: PatchType,
  read: () => DecodedDocument,
): Promise<UpdateOutcome> {
  const { info } = operations.store;
  const { prepare } = type;
  if (prepare === undefined) throw errors.badRequest(`${type.mediaType} is not merged by patching`);
  let patch: ReadPatch | undefined;
  const make = (old: StoredObject): ApiObject => {
    patch ??= readPatch(operations, type, prepare, read());
    const { prepared, problems, asWritten } = patch;
    const patched = prepared.apply(old, info.schema);
    const shown = (): string => prepared.shown(old, patched);
    if (type.outcome === 'text') checkPatchedType(info, patched, shown, target.name);
    const { object, unknownFields } = readPatched(operations, context, type, patched, asWritten, shown);
    settle(
      strictDecoding(
        { before: problems, duplicates: [], duplicateForm: 'path', unknownFields },
        target.fieldValidation,
        info,
      ),
      context,
    );
    checkName(object, target.name);
    return object;
  };
  return operations.patch(context, target.namespace, target.name, make, target);
}

/** A patch that was read. */
interface ReadPatch {
  readonly prepared: PreparedPatch;
  /** Whether its numbers are as they were written. */
  readonly asWritten: boolean;
  /** What is wrong with the patch itself, as texts. */
  readonly problems: readonly string[];
}

function readPatch(
  operations: ResourceOperations,
  { outcome }: PatchType,
  prepare: NonNullable<PatchType['prepare']>,
  document: DecodedDocument,
): ReadPatch {
  // What is converted from a map has numbers by their values alone.
  const { value, asWritten } =
    outcome === 'text' ? operations.typedValue(document) : { value: document.value, asWritten: false };
  const prepared = prepare(value);
  const { duplicates, text } = document;
  const problems = strictTexts(
    { duplicates, duplicateForm: 'path', unknownFields: prepared.unknownFields, text },
    prepared.problemPrefix,
  );
  return { prepared, asWritten, problems };
}

/**
 * Refuses the outcome of a patch that is an object of another kind or version. A built-in kind that the patch takes away
 * comes back; without its apiVersion Kubernetes finds no name in the outcome.
 *
 * @throws ApiError 422 with the field `patch`; 400 for an object of a built-in kind that is left without apiVersion
 */
function checkPatchedType(info: ResourceInfo, patched: JsonValue, shown: () => string, name: string): void {
  if (!isJsonObject(patched)) return;
  const builtin = info.definition.origin === 'builtin';
  const [kind, apiVersion] = [given(patched['kind']), given(patched['apiVersion'])];
  if (builtin && apiVersion === undefined)
    checkName({ kind: info.kind, apiVersion: info.apiVersion, metadata: {} }, name);
  const problem = builtin
    ? builtinTypeProblem(info, kind ?? info.kind, apiVersion)
    : customTypeProblem(info, kind, apiVersion);
  if (problem !== undefined) throw invalidPatch(shown(), problem);
}

/** A member that is there; the decoder says what is wrong with one that is not a string. */
const given = (value: JsonValue | undefined): JsonValue | undefined =>
  value === null || value === '' ? undefined : value;

function builtinTypeProblem(
  info: ResourceInfo,
  kind: JsonValue,
  apiVersion: JsonValue | undefined,
): string | undefined {
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return undefined;
  if (kind !== info.kind) return `converting (${kind}) to (${info.kind}): unknown conversion`;
  return apiVersion === info.apiVersion
    ? undefined
    : `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`;
}

function customTypeProblem(
  info: ResourceInfo,
  kind: JsonValue | undefined,
  apiVersion: JsonValue | undefined,
): string | undefined {
  if (kind === undefined) return "Object 'Kind' is missing";
  if (kind !== info.kind) return `must be ${info.kind}`;
  return apiVersion === info.apiVersion
    ? undefined
    : `request to convert CR from an invalid group/version: ${typeof apiVersion === 'string' ? apiVersion : ''}`;
}

/**
 * Reads the outcome of a patch as an object.
 *
 * @param shown what an error shows of the patch
 * @throws ApiError 422 for an outcome that is no object of the kind
 */
function readPatched(
  operations: ResourceOperations,
  context: RequestContext,
  { outcome }: PatchType,
  patched: JsonValue,
  asWritten: boolean,
  shown: () => string,
): ReturnType<ResourceOperations['read']> {
  const { info } = operations.store;
  const attempt = (value: JsonValue): ReturnType<ResourceOperations['read']> =>
    operations.read(value, context, { asWritten });
  try {
    try {
      return attempt(patched);
    } catch (error) {
      // A conversion takes more than the reader does, and says otherwise what it does not take.
      if (!(error instanceof DecodeTypeError) || outcome === 'text') throw error;
      return attempt(convertMap(patched, info.schema));
    }
  } catch (error) {
    throw unreadable(error, shown);
  }
}

const invalidPatch = (patch: JsonValue, why: string): ApiError =>
  errors.invalid({ group: '', kind: '' }, '', [invalid('patch', patch, why)]);

/**
 * Server-side apply: merges an intent into an object, or creates it.
 *
 * @throws ApiError as the verb `patch` answers
 */
export async function changeByApply(
  operations: ResourceOperations,
  context: RequestContext,
  target: ChangeTarget & { readonly fieldManager: string; readonly force: boolean },
  document: DecodedDocument,
): Promise<UpdateOutcome> {
  const { info } = operations.store;
  const value = document.value ?? {};
  if (!isJsonObject(value))
    throw errors.badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
    );
  settle(strictApplyDecoding(document, target.fieldValidation), context);
  reportUnknown(operations, context, value, target.fieldValidation);
  const intent = pruneIntent(value, info.schema, info.definition.origin);
  try {
    return await operations.apply(context, target.namespace, target.name, intent, target);
  } catch (error) {
    throw unreadable(error, () => value);
  }
}

/** The refusal of a patch or intent of which no object comes; any other error as it is. */
function unreadable(error: unknown, shown: () => JsonValue): unknown {
  return error instanceof DecodeTypeError ? invalidPatch(shown(), error.message) : error;
}

/** Whether the schema surely declares every field of a value: the short way of the good intent. */
function declaresAll(value: JsonObject, schema: StructuralSchema): boolean {
  const { properties, additionalProperties } = schema;
  const open = schema.type === 'any' || schema.preserveUnknownFields === true;
  for (const key in value) {
    const member = value[key];
    const declared = properties?.get(key) ?? additionalProperties;
    if (declared === undefined) {
      if (!open && member !== undefined) return false;
    } else if (
      typeof member === 'object' &&
      member !== null &&
      !(isArray(member) ? itemsDeclareAll(member, declared) : declaresAll(member, declared))
    )
      return false;
  }
  return true;
}

function itemsDeclareAll(list: readonly JsonValue[], { items }: StructuralSchema): boolean {
  if (items === undefined) return true;
  for (const item of list) {
    if (typeof item !== 'object' || item === null) continue;
    if (!(isArray(item) ? itemsDeclareAll(item, items) : declaresAll(item, items))) return false;
  }
  return true;
}

function reportUnknown(
  operations: ResourceOperations,
  context: RequestContext,
  value: JsonObject,
  level: FieldValidation,
): void {
  const { info } = operations.store;
  if (level === 'Ignore' || declaresAll(value, info.schema)) return;
  try {
    const { unknownFields } = readObject(value, info.schema, { origin: info.definition.origin ?? 'user' });
    settle(strictDecoding({ duplicates: [], duplicateForm: 'path', unknownFields }, level, info), context);
  } catch (error) {
    // Values of a wrong type are told by the merge, which names them as production does.
    if (!(error instanceof DecodeTypeError)) throw error;
  }
}
