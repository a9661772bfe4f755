/**
 * The verbs of a resource over HTTP: each parses its options and body, runs the operation, and responds.
 *
 * @module
 */
import {
  isJsonObject,
  whenReady,
  workOf,
  type ApiObject,
  type JsonObject,
  type Status,
} from '../../foundation/index.js';
import { cloneInSlices } from '../../machinery/index.js';
import { inStorage, type DeleteOptions, type ResourceStore } from '../../registry/index.js';
import type { StorageRecord } from '../../storage/index.js';
import { recordSent } from '../audited-bodies.js';
import type { Negotiated } from '../codec/index.js';
import { checkName } from '../operations/check-name.js';
import { deleteStatus } from '../operations/delete-status.js';
import type { ApiResponse } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import { respondWith, respondWithList, respondWithRecord, respondWithUpdated } from '../responses/respond.js';
import { bodySerializer, decodeBody, objectOf, readBody } from './body.js';
import { namespaceOf, type ResourceCall, type VerbEndpoint } from './call.js';
import { negotiate } from './negotiation.js';
import { deleteOptions, listOptions, NO_DELETE_OPTIONS, writeOptions, type RequestWriteOptions } from './options.js';
import { patchResource } from './patch.js';
import { watchResource } from './watch.js';

/** Returns the store that a read is answered from: of a past state if an interceptor says so. */
function storeOfRead({ operations, scope }: ResourceCall): ResourceStore {
  const readAt = scope.interception?.readAt;
  return readAt === undefined ? operations.store : operations.store.at(readAt);
}

/** Returns the signal of a read that may wait for a version. Others do not need it, and it takes Node 5 µs to make one. */
const signalOfRead = ({ request }: RequestScope, version = ''): AbortSignal | undefined =>
  version === '' ? undefined : request.signal;

function get(call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  const { scope, responder, context } = call;
  const store = storeOfRead(call);
  const negotiated = negotiate(call);
  const { namespace, name } = scope.info;
  const version = scope.request.query === '' ? '' : (scope.query.get('resourceVersion') ?? '');
  const within = namespaceOf(call, namespace);
  const key = context.span === undefined ? '' : store.info.key(within, name);
  const reading = inStorage(context, 'Get etcd3', store, key, () =>
    store.get(within, name, version, signalOfRead(scope, version), context.whileWaiting, context.work),
  );
  return whenReady(reading, (record) => respondWithRecord({ responder, scope, negotiated }, 200, store, record));
}

/** Name of the step of a list in Kubernetes. */
const LIST_STEP = 'List(recursive=true) etcd3';

function list(call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  const { scope, operations, responder, context } = call;
  const store = storeOfRead(call);
  const negotiated = negotiate(call);
  const options = scope.request.query === '' ? {} : listOptions(scope, operations.store.info);
  const namespace = namespaceOf(call, scope.info.namespace);
  const prefix = context.span === undefined ? '' : store.info.rangePrefix(namespace);
  const listing = inStorage(context, LIST_STEP, store, prefix, () =>
    store.list(namespace, options, signalOfRead(scope, options.resourceVersion), context.whileWaiting, context.work),
  );
  return whenReady(listing, (outcome) => respondWithList({ responder, scope, negotiated }, store, outcome));
}

/** Reads and checks the body of a create or update; at once, unless it has to wait for the body or its decoder. */
function readObjectBody(call: ResourceCall, level: 'Ignore' | 'Warn' | 'Strict'): ApiObject | Promise<ApiObject> {
  const { scope, operations, responder, context, bodyLimit } = call;
  const serializer = bodySerializer(responder, scope);
  const decode = (bytes: Uint8Array): ApiObject | Promise<ApiObject> => {
    const body = decodeBody(responder, serializer, operations.store.info, bytes, context.work);
    return whenReady(body, (read) => objectOf(operations, context, read, level));
  };
  return whenReady(readBody(scope, bodyLimit), decode);
}

function create(call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  const { scope, responder } = call;
  const negotiated = negotiate(call);
  const options = writeOptions(scope.request.query, () => scope.query, 'CreateOptions', responder.metaGroup);
  return whenReady(readObjectBody(call, options.fieldValidation), (object) =>
    createObject(call, negotiated, options, object),
  );
}

function createObject(
  call: ResourceCall,
  negotiated: Negotiated,
  { dryRun, fieldManager, requestedFieldValidation }: RequestWriteOptions,
  object: ApiObject,
): ApiResponse | Promise<ApiResponse> {
  const { scope, operations, responder, context } = call;
  const { namespace, name } = scope.info;
  const parameters = { dryRun, fieldManager, requestedFieldValidation };
  const created = (record: StorageRecord): ApiResponse | Promise<ApiResponse> => {
    const answer = operations.virtual ? operations.store.read(record) : undefined;
    // An operation without a result answers with a Status, which has no other form.
    if (answer?.kind === 'Status')
      return respondWith({ responder, scope, negotiated: { ...negotiated, transformation: undefined } }, 201, answer);
    return respondWithRecord({ responder, scope, negotiated }, 201, operations.store, record);
  };
  const create = (): StorageRecord | Promise<StorageRecord> =>
    operations.create(context, namespaceOf(call, namespace), object, parameters, name);
  const recording = recordSent(scope, object as JsonObject);
  return whenReady(recording === undefined ? create() : recording.then(create), created);
}

async function update(call: ResourceCall): Promise<ApiResponse> {
  const { scope, operations, responder, context } = call;
  const negotiated = negotiate(call);
  const options = writeOptions(scope.request.query, () => scope.query, 'UpdateOptions', responder.metaGroup);
  const reading = readObjectBody(call, options.fieldValidation);
  const object = reading instanceof Promise ? await reading : reading;
  const recording = recordSent(scope, object as JsonObject);
  if (recording !== undefined) await recording;
  checkName(object, scope.info.name);
  const outcome = await operations.update(
    context,
    namespaceOf(call, scope.info.namespace),
    scope.info.name,
    () => cloneInSlices(object as JsonObject, context.work) as ApiObject | Promise<ApiObject>,
    {
      dryRun: options.dryRun,
      subresource: scope.info.subresource,
      uid: object.metadata.uid,
      authorizeCreate: call.authorizeCreate,
      fieldManager: options.fieldManager,
      requestedFieldValidation: options.requestedFieldValidation,
    },
  );
  return respondWithUpdated({ responder, scope, negotiated }, operations.store, outcome);
}

async function readDeleteOptions(call: ResourceCall): Promise<DeleteOptions> {
  const { scope, responder, context, bodyLimit } = call;
  const { metaGroup } = responder;
  const work = workOf(context);
  const read = readBody(scope, bodyLimit);
  const bytes = read instanceof Promise ? await read : read;
  if (bytes.length === 0)
    return scope.request.query === '' ? NO_DELETE_OPTIONS : deleteOptions(undefined, scope.query, metaGroup, work);
  const serializer = bodySerializer(responder, scope);
  const document = await serializer.decode(bytes, {
    kind: 'DeleteOptions',
    schema: responder.schemaFor('v1', 'DeleteOptions'),
    work: context.work,
    keepsNumbers: true,
    schemaFor: responder.schemaFor,
  });
  if (isJsonObject(document.value)) await recordSent(scope, document.value);
  return deleteOptions({ ...document, value: document.value ?? {} }, scope.query, metaGroup, work);
}

async function remove(call: ResourceCall): Promise<ApiResponse> {
  const { scope, operations, responder, context } = call;
  const negotiated = negotiate(call);
  const options = await readDeleteOptions(call);
  const outcome = await operations.delete(context, namespaceOf(call, scope.info.namespace), scope.info.name, options);
  const status = deleteStatus(operations.store, outcome);
  const code = !outcome.deleted && options.orphanDependents === false ? 202 : 200;
  if (status === undefined)
    return respondWithRecord({ responder, scope, negotiated }, code, operations.store, outcome.record);
  return respondWith({ responder, scope, negotiated: { ...negotiated, transformation: undefined } }, code, status);
}

async function deleteCollection(call: ResourceCall): Promise<ApiResponse> {
  const { scope, operations, responder, context } = call;
  const negotiated = negotiate(call);
  const { info } = operations.store;
  const options = listOptions(scope, info);
  const outcome = await operations.deleteCollection(
    context,
    namespaceOf(call, scope.info.namespace),
    options,
    await readDeleteOptions(call),
  );
  if (info.strategy?.deleteCollectionReturnsStatus !== true)
    return respondWithList({ responder, scope, negotiated }, operations.store, outcome);
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { ...(info.group === '' ? {} : { group: info.group }), kind: info.resource },
  };
  return respondWith({ responder, scope, negotiated: { ...negotiated, transformation: undefined } }, 200, status);
}

/** Endpoints of the main resource, by verb. */
export const resourceEndpoints: Readonly<Record<string, VerbEndpoint>> = {
  get,
  list,
  watch: watchResource,
  create,
  update,
  patch: patchResource,
  delete: remove,
  deletecollection: deleteCollection,
};

/** Endpoints of subresources, by verb: those of a part of the object, and `create` for operation subresources. */
export const subresourceEndpoints: Readonly<Record<string, VerbEndpoint>> = {
  get,
  update,
  patch: patchResource,
  create,
};
