import { ApiError, errors, loading, noteLength, whenReady } from '../../foundation/index.js';
import { once } from '../../kinds/index.js';
import type { PatchType } from '../../machinery/index.js';
import { importPatch, type ImportOfPatch } from '../../machinery/late.js';
import type { UpdateOutcome } from '../../registry/index.js';
import { recordSentPatch } from '../audited-bodies.js';
import { acceptsOneOf } from '../codec/accept.js';
import { DecodeProblem, parseMediaType, unsupportedMediaType, type DecodedDocument } from '../codec/index.js';
import { readJson } from '../codec/json/json-decode.js';
import { readYaml } from '../codec/yaml/yaml.js';
import { changeByApply, changeByPatch } from '../operations/patching.js';
import type { ApiResponse } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import { respondWithUpdated } from '../responses/respond.js';
import { readBody } from './body.js';
import { namespaceOf, type ResourceCall } from './call.js';
import { negotiate } from './negotiation.js';
import { writeOptions } from './options.js';

type Patches = ImportOfPatch;

/** The patch module, once it is loaded. */
let patches: Patches | undefined;

/** Loads the patch module with the first patch. */
const loadPatches = once(async (): Promise<Patches> => (patches = await loading(importPatch())));

/** Handles a PATCH of any type. */
export async function patchResource(call: ResourceCall): Promise<ApiResponse> {
  const { scope, operations, responder, context } = call;
  const type = typeOf(call, patches ?? (await loadPatches()));
  const negotiated = negotiate(call);
  const options = writeOptions(scope.request.query, () => scope.query, 'PatchOptions', responder.metaGroup, type);
  const reading = readBody(scope, call.bodyLimit);
  const bytes = reading instanceof Promise ? await reading : reading;
  noteLength(context.work, bytes.length);
  const target = {
    namespace: namespaceOf(call, scope.info.namespace),
    name: scope.info.name,
    subresource: scope.info.subresource,
    dryRun: options.dryRun,
    fieldValidation: options.fieldValidation,
    authorizeCreate: call.authorizeCreate,
    fieldManager: options.fieldManager,
    requestedFieldValidation: options.requestedFieldValidation,
    force: options.force === true,
  };
  let outcome: UpdateOutcome;
  if (type.prepare === undefined) {
    const read = readIntent(call, bytes, type);
    const intent = await recorded(scope, read instanceof Promise ? await read : read);
    outcome = await changeByApply(operations, context, { ...target, fieldManager: options.fieldManager ?? '' }, intent);
  } else
    outcome = await changeByPatch(operations, context, target, type, () =>
      whenReady(readPatch(call, bytes, type), (document) => recorded(scope, document)),
    );
  return respondWithUpdated({ responder, scope, negotiated }, operations.store, outcome);
}

/** Records a patch for the audit log. */
function recorded(scope: RequestScope, document: DecodedDocument): DecodedDocument | Promise<DecodedDocument> {
  return whenReady(recordSentPatch(scope, document.value), () => document);
}

/** Returns the type of a patch by its Content-Type. @throws ApiError 415 */
function typeOf(call: ResourceCall, { patchTypeOf, patchTypes }: Patches): PatchType {
  const builtin = call.resource.definition.origin === 'builtin';
  const contentType = call.scope.request.headers.get('content-type') ?? '';
  const type = patchTypeOf(parseMediaType(contentType) ?? '');
  if (type !== undefined && (builtin || !type.builtinOnly)) return type;
  const mediaTypes = patchTypes.filter((known) => builtin || !known.builtinOnly).map((known) => known.mediaType);
  // In Kubernetes the router of built-in kinds refuses a header that names no patch type. Custom resources bypass it.
  if (builtin && !acceptsOneOf(contentType, mediaTypes))
    throw new ApiError({
      message: '415: Unsupported Media Type',
      reason: 'UnsupportedMediaType',
      details: {},
      code: 415,
    });
  throw unsupportedMediaType(mediaTypes);
}

/** Reads a patch; at once if it is short. @throws ApiError 400; a promise rejects with it */
function readPatch(call: ResourceCall, bytes: Uint8Array, type: PatchType): DecodedDocument | Promise<DecodedDocument> {
  const { responder, context, resource } = call;
  const options = { work: context.work, keepsNumbers: resource.definition.origin === 'builtin' };
  return reading(type, () => readJson(bytes, responder.codec.limits, options));
}

/** Reads an intent; at once if it is short JSON. @throws ApiError 400; a promise rejects with it */
function readIntent(
  call: ResourceCall,
  bytes: Uint8Array,
  type: PatchType,
): DecodedDocument | Promise<DecodedDocument> {
  const { responder, context } = call;
  return reading(type, () => readYaml(bytes, responder.codec.limits, context.work));
}

/** Reads a body, whose problems become errors of the patch. */
function reading(
  type: PatchType,
  read: () => DecodedDocument | Promise<DecodedDocument>,
): DecodedDocument | Promise<DecodedDocument> {
  const fail = (error: unknown): never => {
    throw bodyProblem(error, type);
  };
  try {
    const document = read();
    return document instanceof Promise ? document.catch(fail) : document;
  } catch (error) {
    return fail(error);
  }
}

function bodyProblem(error: unknown, { bodyProblemPrefix }: PatchType): unknown {
  return error instanceof DecodeProblem ? errors.badRequest(`${bodyProblemPrefix}${error.message}`) : error;
}
