import { DecodeProblem, parseJson, parseMediaType, parseYaml, strictApplyDecoding, strictDecoding, strictTexts, unsupportedMediaType, type DecodedDocument } from '../../codec/index.js';
import { errors } from '../../meta/api-error.js';
import { invalid } from '../../meta/field-error.js';
import { isJsonObject, type JsonObject } from '../../meta/json.js';
import type { ApiObject, StoredObject } from '../../meta/object.js';
import { patchTypeOf, patchTypes, type PatchType } from '../../patch/index.js';
import { DecodeTypeError, pruneIntent, readObject } from '../../schema/index.js';
import type { UpdateOutcome } from '../../registry/update.js';
import type { ApiResponse } from '../http.js';
import { respondWithRecord } from '../respond.js';
import { readBody } from './body.js';
import { checkName, spaceOf, type ResourceCall } from './call.js';
import { writeOptions, type FieldValidation, type RequestWriteOptions } from './options.js';


/** Answers a PATCH of any type. */
export async function patchResource(call: ResourceCall): Promise<ApiResponse> {
  const { scope, operations, responder } = call;
  const negotiated = responder.codec.negotiate(scope.request.headers.get('accept'));
  const type = typeOf(call);
  const options = writeOptions(scope.request.query, () => scope.query, 'PatchOptions', responder.metaGroup, type);
  const document = await readPatch(call, type);
  const outcome = type.prepare === undefined ? await applyIntent(call, document, options) : await applyPatch(call, type, document, options);
  return respondWithRecord(responder, scope, negotiated, outcome.created ? 201 : 200, operations.store, outcome.record);
}

/** The type of a patch by its Content-Type. @throws ApiError 415 */
function typeOf(call: ResourceCall): PatchType {
  const builtin = call.operations.store.info.definition.origin === 'builtin';
  const type = patchTypeOf(parseMediaType(call.scope.request.headers.get('content-type') ?? '') ?? '');
  if (type !== undefined && (builtin || !type.builtinOnly)) return type;
  throw unsupportedMediaType(patchTypes.filter((known) => builtin || !known.builtinOnly).map((known) => known.mediaType));
}

async function readPatch(call: ResourceCall, type: PatchType): Promise<DecodedDocument> {
  const bytes = await readBody(call.scope, call.bodyLimit);
  try {
    return type.bodyFormat === 'yaml' ? await parseYaml(bytes) : parseJson(bytes);
  } catch (error) {
    if (!(error instanceof DecodeProblem)) throw error;
    throw errors.badRequest(type.bodyFormat === 'yaml' ? `error decoding YAML: ${error.message}` : `error decoding patch: ${error.message}`);
  }
}

const parametersOf = (call: ResourceCall, options: RequestWriteOptions): { dryRun: boolean; subresource: string; fieldManager?: string } => ({
  dryRun: options.dryRun,
  subresource: call.scope.info.subresource,
  ...(options.fieldManager === undefined ? {} : { fieldManager: options.fieldManager }),
});

function applyPatch(call: ResourceCall, type: PatchType, document: DecodedDocument, options: RequestWriteOptions): Promise<UpdateOutcome> {
  const { scope, operations, context } = call;
  const { info } = operations.store;
  const prepared = type.prepare?.(document.value);
  if (prepared === undefined) throw errors.badRequest('the patch cannot be applied');
  const operationProblems = strictTexts({ duplicates: [], duplicateForm: 'path', unknownFields: prepared.unknownFields }, 'json patch ');
  if (options.fieldValidation === 'Strict' && operationProblems.length > 0) throw errors.badRequest(`strict decoding error: ${operationProblems.join(', ')}`);
  if (options.fieldValidation === 'Warn') for (const text of operationProblems) context.warn(text);
  const make = (old: StoredObject): ApiObject => {
    const patched = prepared.apply(old, info.schema);
    const object = readPatched(call, patched as JsonObject, document, options.fieldValidation);
    checkName(object, scope.info.name);
    return object;
  };
  return operations.patch(context, spaceOf(call, scope.info.namespace), scope.info.name, make, parametersOf(call, options));
}

/** Reads the outcome of a patch as an object; what it has too much is treated by level. */
function readPatched(call: ResourceCall, patched: JsonObject, document: DecodedDocument, level: FieldValidation): ApiObject {
  const { operations, context } = call;
  const { info } = operations.store;
  try {
    const { object, unknownFields } = operations.read(patched, context);
    const { error, warnings } = strictDecoding({ duplicates: document.duplicates, duplicateForm: document.duplicateForm, unknownFields }, level, info);
    if (error !== undefined) throw error;
    for (const warning of warnings) context.warn(warning);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeTypeError)) throw error;
    throw errors.invalid({ group: '', kind: '' }, '', [invalid('patch', document.value, error.message)]);
  }
}

async function applyIntent(call: ResourceCall, document: DecodedDocument, options: RequestWriteOptions): Promise<UpdateOutcome> {
  const { scope, operations, context } = call;
  const { info } = operations.store;
  const { value } = document;
  if (!isJsonObject(value)) throw errors.badRequest('error decoding YAML: the intent is not an object');
  const decoding = strictApplyDecoding(document, options.fieldValidation);
  if (decoding.error !== undefined) throw decoding.error;
  for (const warning of decoding.warnings) context.warn(warning);
  reportUnknown(call, value, options.fieldValidation);
  const intent = pruneIntent(value, info.schema);
  checkIntentName(intent, scope.info.name);
  return operations.apply(context, spaceOf(call, scope.info.namespace), scope.info.name, intent, {
    ...parametersOf(call, options),
    fieldManager: options.fieldManager ?? '',
    force: options.force === true,
    authorizeCreate: call.authorizeCreate,
  });
}

/** Refuses an intent for an object of another name. */
function checkIntentName(intent: JsonObject, name: string): void {
  const metadata = intent['metadata'];
  const given = isJsonObject(metadata) ? metadata['name'] : undefined;
  if (typeof given === 'string' && given !== '' && given !== name) throw errors.badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

function reportUnknown(call: ResourceCall, value: JsonObject, level: FieldValidation): void {
  const { info } = call.operations.store;
  try {
    const { unknownFields } = readObject(value, info.schema, { origin: info.definition.origin ?? 'user' });
    const { error, warnings } = strictDecoding({ duplicates: [], duplicateForm: 'path', unknownFields }, level, info);
    if (error !== undefined) throw error;
    for (const warning of warnings) call.context.warn(warning);
  } catch (error) {
    // Values of a wrong type are told by the merge, which names them as production does.
    if (!(error instanceof DecodeTypeError)) throw error;
  }
}
