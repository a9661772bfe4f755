/**
 * Patch and server-side apply, for both HTTP and the in-process client: decodes the patch, applies it to the current
 * object, and reads the result as an object of the kind.
 *
 * @module
 */
import {
  errors,
  invalid,
  isJsonObject,
  isLargeWork,
  resultOf,
  runSteps,
  shownText,
  stringOrEmpty,
  UNBOUNDED_WORK,
  whenReady,
  type ApiError,
  type ApiObject,
  type JsonValue,
  type ManagedFieldsEntry,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import {
  convertMap,
  DecodeTypeError,
  jsonTypeName,
  type PatchType,
  type PreparedPatch,
} from '../../machinery/index.js';
import type { RequestContext, ResourceInfo, UpdateOutcome } from '../../registry/index.js';
import { strictApplyDecoding, strictDecoding, type DecodedDocument, type StrictOutcome } from '../codec/index.js';
import { notRegistered } from '../codec/decode-problem.js';
import { strictTextSteps, type FieldValidation } from '../codec/strict.js';
import { checkName } from './check-name.js';
import type { ReadAnObject, ResourceOperations } from './resource-operations.js';
import type { WriteParameters } from './write.js';

/** The object to change, and the options of the change. */
export interface ChangeTarget extends WriteParameters {
  readonly namespace: string;
  readonly name: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly fieldValidation: FieldValidation;
}

/** Throws the error, or forwards the warnings to the client. @throws ApiError 400 */
export function reportStrict({ error, warnings }: StrictOutcome, context: RequestContext): void {
  if (error !== undefined) throw error;
  for (const warning of warnings) context.warn(warning);
}

/**
 * Changes an object by a patch other than an apply.
 *
 * @param read reads the patch; called once, and not at all when the object does not exist
 * @throws ApiError as the verb `patch` does
 */
export function changeByPatch(
  operations: ResourceOperations,
  context: RequestContext,
  target: ChangeTarget,
  type: PatchType,
  read: () => DecodedDocument | Promise<DecodedDocument>,
): Promise<UpdateOutcome> {
  const { info } = operations.store;
  const { prepare } = type;
  if (prepare === undefined) throw errors.badRequest(`${type.mediaType} is not merged by patching`);
  let patch: ReadPatch | undefined;
  const prepared = (): ReadPatch | Promise<ReadPatch> =>
    patch ??
    whenReady(read(), (document) => {
      // The slices of a small patch would cost more than the patch.
      const { work: whole = UNBOUNDED_WORK } = context;
      const work = isLargeWork(whole, document.value) ? whole : UNBOUNDED_WORK;
      return whenReady(readPatch(work, operations, type, prepare, document), (ready) => (patch = ready));
    });
  const finish = (
    old: StoredObject,
    { prepared, problems, asWritten }: ReadPatch,
    patched: JsonValue,
  ): ApiObject | Promise<ApiObject> => {
    const shown = (): string => prepared.errorText(old, patched);
    if (type.outcome === 'text') checkPatchedType(info, patched, shown, target.name);
    const reading = readPatched(operations, context, type, { old, patched, asWritten, shown });
    return whenReady(reading, (read) => report(read, problems));
  };
  const report = ({ object, unknownFields }: ReadAnObject, problems: readonly string[]): ApiObject => {
    reportStrict(
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
  const transform = (old: StoredObject): ApiObject | Promise<ApiObject> =>
    whenReady(prepared(), (ready) =>
      whenReady(runSteps(ready.work, ready.prepared.steps(ready.work, old, info.schema), 'patch'), (patched) =>
        finish(old, ready, patched),
      ),
    );
  return operations.patch(context, target.namespace, target.name, transform, target);
}

/** A decoded patch. */
interface ReadPatch {
  /** The work that applies it; without a limit for a small one. */
  readonly work: Work;
  readonly prepared: PreparedPatch;
  /** Whether its numbers keep their written form. */
  readonly asWritten: boolean;
  /** Problems of the patch itself, as texts. */
  readonly problems: readonly string[];
}

function readPatch(
  work: Work,
  operations: ResourceOperations,
  { outcome }: PatchType,
  prepare: NonNullable<PatchType['prepare']>,
  document: DecodedDocument,
): ReadPatch | Promise<ReadPatch> {
  // A value converted from a map has lost the written form of its numbers.
  const { value, asWritten } =
    outcome === 'text' ? operations.typedValue(document) : { value: document.value, asWritten: false };
  const { duplicates, text } = document;
  return whenReady(runSteps(work, resultOf(prepare(work, value)), 'patch'), (prepared) => {
    const { unknownFields, problemPrefix } = prepared;
    if (duplicates.length === 0 && unknownFields.length === 0)
      return { work, prepared, asWritten, problems: NO_PROBLEMS };
    const steps = strictTextSteps(work, { duplicates, duplicateForm: 'path', unknownFields, text }, problemPrefix);
    return whenReady(runSteps(work, steps, 'patch'), (problems) => ({ work, prepared, asWritten, problems }));
  });
}

const NO_PROBLEMS: readonly string[] = Object.freeze([]);

/**
 * Refuses a patch that changes kind or apiVersion. When a patch removes the kind of a built-in object, the kind is
 * restored; without apiVersion Kubernetes finds no name in the result.
 *
 * @throws ApiError 422 with the field `patch`; 400 when a built-in object loses its apiVersion
 */
function checkPatchedType(info: ResourceInfo, patched: JsonValue, shown: () => string, name: string): void {
  if (!isJsonObject(patched)) return;
  const builtin = info.definition.origin === 'builtin';
  const [kind, apiVersion] = [nonEmpty(patched['kind']), nonEmpty(patched['apiVersion'])];
  if (builtin && apiVersion === undefined)
    checkName({ kind: info.kind, apiVersion: info.apiVersion, metadata: {} }, name);
  const problem = builtin
    ? builtinTypeProblem(info, kind ?? info.kind, apiVersion)
    : customTypeProblem(info, kind, apiVersion);
  if (problem !== undefined) throw invalidPatch(shown(), problem);
}

/** Returns a member that is neither null nor empty. The decoder reports a member that is not a string. */
const nonEmpty = (value: JsonValue | undefined): JsonValue | undefined =>
  value === null || value === '' ? undefined : value;

function builtinTypeProblem(
  info: ResourceInfo,
  kind: JsonValue,
  apiVersion: JsonValue | undefined,
): string | undefined {
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return undefined;
  if (kind !== info.kind) return `converting (${shownText(kind)}) to (${info.kind}): unknown conversion`;
  return apiVersion === info.apiVersion ? undefined : notRegistered(kind, apiVersion);
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
    : `request to convert CR from an invalid group/version: ${shownText(stringOrEmpty(apiVersion))}`;
}

/** The result of a patch. */
interface PatchResult {
  /** The object that was patched. */
  readonly old: StoredObject;
  readonly patched: JsonValue;
  /** Whether its numbers keep their written form. */
  readonly asWritten: boolean;
  /** Returns the value that an error message shows. */
  readonly shown: () => string;
}

/** Reads the result of a patch. @throws ApiError 422 when it is not an object of the kind. A promise rejects with it */
function readPatched(
  operations: ResourceOperations,
  context: RequestContext,
  { outcome }: PatchType,
  { old, patched, asWritten, shown }: PatchResult,
): ReadAnObject | Promise<ReadAnObject> {
  const { info } = operations.store;
  const { managedFields } = old.metadata;
  const untouched = withoutEntries(patched, managedFields);
  const value = untouched ?? patched;
  const read = (input: JsonValue): ReadAnObject | Promise<ReadAnObject> =>
    operations.read(input, context, { asWritten });
  const convertAndRead = (error: unknown): ReadAnObject | Promise<ReadAnObject> => {
    // The conversion accepts more than the reader, and has other error messages.
    if (!(error instanceof DecodeTypeError) || outcome === 'text') throw error;
    return read(convertMap(value, info.schema));
  };
  const refuse = (error: unknown): never => {
    throw unreadable(error, shown);
  };
  const reading = recovered(() => recovered(() => read(value), convertAndRead), refuse);
  return whenReady(reading, (result) => {
    if (untouched !== undefined && managedFields !== undefined) result.object.metadata.managedFields = managedFields;
    return result;
  });
}

/** Runs a step; `recover` gets its error, whether it throws or its promise rejects. */
function recovered<Result>(
  step: () => Result | Promise<Result>,
  recover: (error: unknown) => Result | Promise<Result>,
): Result | Promise<Result> {
  try {
    const result = step();
    return result instanceof Promise ? result.catch(recover) : result;
  } catch (error) {
    return recover(error);
  }
}

/**
 * Returns a patched object without the entries of the object that was patched; undefined when the patch has replaced
 * them, or there are none. They are in their final form and never changed in place: the new object shares them instead
 * of reading them again, which costs more than the rest of a small object.
 */
function withoutEntries(patched: JsonValue, entries: readonly ManagedFieldsEntry[] | undefined): JsonValue | undefined {
  if (entries === undefined || entries.length === 0 || !isJsonObject(patched)) return undefined;
  const { metadata } = patched;
  if (!isJsonObject(metadata) || metadata['managedFields'] !== entries) return undefined;
  return { ...patched, metadata: { ...metadata, managedFields: undefined } };
}

const invalidPatch = (patch: JsonValue, why: string): ApiError =>
  errors.invalid({ group: '', kind: '' }, '', [invalid('patch', patch, why)]);

/**
 * Server-side apply: merges an intent into an object, or creates it. The intent is merged as it was sent, neither decoded
 * nor pruned: the merge refuses undeclared fields at every level of validation. What the level decides is whether keys
 * may be repeated, and only in an intent that can be merged.
 *
 * @param document the intent; its value must not change afterwards
 * @throws ApiError as the verb `patch` does
 */
export async function changeByApply(
  operations: ResourceOperations,
  context: RequestContext,
  target: ChangeTarget & { readonly fieldManager: string; readonly force: boolean },
  document: DecodedDocument,
): Promise<UpdateOutcome> {
  const value = document.value ?? {};
  if (!isJsonObject(value))
    throw errors.badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
    );
  const merged = (): void => reportStrict(strictApplyDecoding(document, target.fieldValidation), context);
  try {
    return await operations.apply(context, target.namespace, target.name, value, target, merged);
  } catch (error) {
    throw unreadable(error, () => value);
  }
}

/** Returns 422 for a patch or intent that cannot be read as an object; any other error unchanged. */
function unreadable(error: unknown, shown: () => JsonValue): unknown {
  return error instanceof DecodeTypeError ? invalidPatch(shown(), error.message) : error;
}
