import type { AdmissionChain } from '../admission/chain.js';
import {
  decodeManagedFields,
  fieldSet,
  managerFromUserAgent,
  type FieldManagerApplied,
  type FieldSet,
} from '../apply/index.js';
import type { DecodedDocument } from '../codec/index.js';
import { errors } from '../meta/api-error.js';
import { messageOf } from '../meta/error-message.js';
import {
  cloneJson,
  equalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from '../meta/json.js';
import type { ApiObject, ManagedFieldsEntry, StoredObject } from '../meta/object.js';
import type { AdmissionAttributes, AdmissionOperation } from '../registry/admission.js';
import type { RequestContext } from '../registry/context.js';
import type { PartSubresource, ResourceDefinition } from '../registry/definition.js';
import type { DeleteOptions, DeleteOutcome } from '../registry/delete.js';
import type { ListOutcome } from '../registry/list.js';
import type { ListOptions } from '../registry/list-options.js';
import type { OperationClient } from '../registry/operation-client.js';
import type { Perform } from '../registry/perform.js';
import { transientRecord } from '../registry/record-codec.js';
import type { ResourceInfo } from '../registry/resource-info.js';
import type { Admitted, ResourceStore, WriteOptions } from '../registry/store.js';
import type { ResetFields } from '../registry/strategy.js';
import type { UpdateOptions, UpdateOutcome, UpdateTransform } from '../registry/update.js';
import { hookFailure, validateOperationObject } from '../registry/validation.js';
import type { FinishWrite } from '../registry/write-hooks.js';
import { readObject, type ReadOptions, type ReadResult } from '../schema/index.js';
import type { StorageRecord } from '../storage/storage.js';
import { checkName } from './check-name.js';
import { FieldOwnership } from './field-ownership.js';
import { deleteOptionsObject, writeOptionsObject } from './operation-options.js';
import { UnchangedApplies, type AppliedIntent } from './unchanged-applies.js';

/** Options that all write verbs share. */
export interface WriteParameters {
  /** Runs all steps except the write. */
  readonly dryRun?: boolean | undefined;
  /** Authorizes a write that turns out to be a create. @throws ApiError 403 */
  readonly authorizeCreate?: (() => Promise<void>) | undefined;
  /** Field manager of the write; default derived from the User-Agent. */
  readonly fieldManager?: string | undefined;
  /** Treatment of unknown fields that the client asked for. Only admission reads it. */
  readonly requestedFieldValidation?: string | undefined;
  /** Empty for the main resource. */
  readonly subresource?: string | undefined;
}

/** One write; the input of admission and field ownership. */
interface Write {
  readonly context: RequestContext;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty until the name is generated. */
  readonly name: string;
  /** The name in the path of the request; empty for a POST. */
  readonly requestName: string;
  readonly parameters: WriteParameters;
}

/** Called after every stored update, not for dry runs. Must not change the objects. */
export type UpdateObserver = (object: StoredObject, old: StoredObject) => void;

/** Revision of the result of an operation, which is never stored. */
const NOT_STORED = 0;

/** The operation of a virtual kind, such as a review. */
export interface Operation {
  readonly perform: Perform;
  /** Kind and subresource that accept the operation; undefined when the virtual kind is a resource itself. */
  readonly target?: { readonly store: ResourceStore; readonly subresource: string } | undefined;
  /** Returns the client with which the operation accesses other objects. */
  readonly client: () => OperationClient;
}

/** Parts of the operations of a kind, in addition to its store. */
export interface OperationParts {
  readonly admission: AdmissionChain;
  /** Only for virtual kinds. */
  readonly operation?: Operation | undefined;
  /** Subresources with objects of another kind, by name: the operations on that kind. */
  readonly operationSubresources?: ReadonlyMap<string, ResourceOperations> | undefined;
  readonly observe?: UpdateObserver | undefined;
}

/**
 * The verbs of one kind: admission, field ownership, registry. Both the HTTP endpoints and the in-process client call
 * them; the two differ only in how objects are decoded and encoded.
 */
export class ResourceOperations {
  readonly store: ResourceStore;
  readonly #parts: OperationParts;
  readonly #unchangedApplies = new UnchangedApplies();
  #ownership: FieldOwnership | undefined;

  constructor(store: ResourceStore, parts: OperationParts) {
    this.store = store;
    this.#parts = parts;
  }

  /** Whether the kind is virtual: its objects are operations and are never stored. */
  get virtual(): boolean {
    return this.#parts.operation !== undefined;
  }

  /**
   * Returns the operations on the objects of a subresource that has its own kind; undefined when the subresource is a
   * part of the object.
   */
  operationSubresource(name: string): ResourceOperations | undefined {
    return this.#parts.operationSubresources?.get(name);
  }

  /** Returns the operation subresource of a virtual kind; undefined when there is none. */
  operationSubresourceFor(kind: ResourceDefinition): OperationSubresource | undefined {
    for (const [subresource, operations] of this.#parts.operationSubresources ?? [])
      if (operations.store.info.definition === kind) return { subresource, operations };
    return undefined;
  }

  /**
   * Reads a client's value as an object of the kind: prunes unknown fields, sets defaults, and fills in apiVersion and
   * kind.
   *
   * @returns a new object that the caller may change, and the paths of the unknown fields
   * @throws DecodeTypeError when a value has the wrong type
   */
  read(
    value: JsonValue,
    context: RequestContext,
    options: Omit<ReadOptions, 'origin'> = {},
  ): { readonly object: ApiObject; readonly unknownFields: readonly string[] } {
    const { info } = this.store;
    const { keepNulls, asWritten } = options;
    const origin = info.definition.origin ?? 'user';
    const result: ReadResult = readObject(value, info.schema, { origin, keepNulls, asWritten });
    const object = typed(result.object, info);
    try {
      info.definition.strategy?.defaults?.(object, context);
    } catch (error) {
      throw hookFailure(info, object, error);
    }
    return { object, unknownFields: result.unknownFields };
  }

  /**
   * Returns the value of a body for the decoder of this kind. Built-in kinds keep the written form of numbers, which
   * Go's decoder checks; custom kinds use the numeric values only.
   */
  typedValue({ value, asWritten }: DecodedDocument): { readonly value: JsonValue; readonly asWritten: boolean } {
    if (asWritten === undefined || this.store.info.definition.origin !== 'builtin') return { value, asWritten: false };
    return { value: asWritten(), asWritten: true };
  }

  /**
   * Stores a new object, or runs the operation of a virtual kind. Takes ownership of the object.
   *
   * @param requestName name in the path of the request: the parent object of an operation subresource
   * @throws ApiError as the verb `create` does
   */
  async create(
    context: RequestContext,
    namespace: string,
    object: ApiObject,
    parameters: WriteParameters = {},
    requestName = '',
  ): Promise<StorageRecord> {
    this.refuseWhileTerminating('create');
    const write = this.#writeOf(context, namespace, object.metadata.name ?? '', parameters, requestName);
    if (this.#parts.operation !== undefined) return this.#perform(this.#parts.operation, write, object);
    return this.store.create(context, namespace, object, this.#steps(write));
  }

  /** Refuses a verb while the definition of the kind is being deleted. @throws ApiError 405 */
  refuseWhileTerminating(verb: string): void {
    const { info } = this.store;
    if (info.definition.terminating !== true) return;
    throw errors.methodNotSupported(info, verb, `${verb} not allowed while custom resource definition is terminating`);
  }

  /** Runs the operation of a virtual kind: admission as for a create, then the operation. Nothing is stored. */
  async #perform({ perform, target, client }: Operation, write: Write, object: ApiObject): Promise<StorageRecord> {
    const { info } = this.store;
    const { context, namespace, requestName } = write;
    const posted =
      target === undefined
        ? write
        : { ...write, name: requestName, parameters: { ...write.parameters, subresource: target.subresource } };
    try {
      matchNamespace(object, namespace);
      const recording = this.#recordOwnership(posted, object, undefined);
      if (recording !== undefined) await recording;
      const attributes = this.#attributes('CREATE', posted, object, undefined, target?.store.info);
      const pending = this.#parts.admission.mutate(attributes);
      if (pending !== undefined) await pending;
      const record = await target?.store.get(namespace, requestName, '', context.signal);
      const loading = info.load(object);
      if (loading !== undefined) await loading;
      validateOperationObject(info, object, context);
      const answer = await perform(object, {
        context,
        namespace,
        name: requestName,
        target: record === undefined ? undefined : target?.store.read(record),
        client: client(),
        dryRun: write.parameters.dryRun === true,
        admit: () => this.#parts.admission.validate(attributes),
      });
      return transientRecord('', answer, NOT_STORED);
    } catch (error) {
      throw hookFailure(info, object, error);
    }
  }

  /**
   * Replaces an object.
   *
   * @param transform returns the new object, which the store then owns; called again after a conflicting write
   * @param parameters options of the write; `uid` is a precondition: the uid in the new object, or empty for any
   * @throws ApiError as the verb `update` does
   */
  update(
    context: RequestContext,
    namespace: string,
    name: string,
    transform: UpdateTransform,
    parameters: WriteParameters & { readonly uid?: string | undefined } = {},
  ): Promise<UpdateOutcome> {
    return this.#update(this.#writeOf(context, namespace, name, parameters), transform, { uid: parameters.uid });
  }

  /** Replaces an object. {@link ResourceStore.update} runs the sequence and its retries. */
  async #update(
    write: Write,
    transform: UpdateTransform,
    options: Pick<UpdateOptions, 'failOnConflict' | 'uid' | 'createMissing'>,
    owned = false,
  ): Promise<UpdateOutcome> {
    const { context, namespace, name, parameters } = write;
    const { dryRun, mutate, admit } = this.#steps(write, owned);
    const outcome = await this.store.update(context, namespace, name, transform, {
      failOnConflict: options.failOnConflict,
      uid: options.uid,
      createMissing: options.createMissing,
      subresource: this.#partSubresource(parameters.subresource ?? '')?.strategy,
      dryRun,
      mutate,
      admit,
    });
    if (outcome.old !== undefined && parameters.dryRun !== true) this.#parts.observe?.(outcome.object, outcome.old);
    return outcome;
  }

  /**
   * Returns the steps of a write that the registry calls back: admission and field ownership.
   *
   * @param owned whether the new object already contains its managed fields
   */
  #steps(write: Write, owned = false): Pick<WriteOptions, 'dryRun' | 'mutate' | 'admit'> {
    const { admission } = this.#parts;
    const own = (object: ApiObject, old: StoredObject | undefined): void | Promise<void> =>
      owned ? undefined : this.#recordOwnership(write, object, old);
    const change = (object: ApiObject, old: StoredObject | undefined): void | Promise<void> => {
      matchNamespace(object, write.namespace);
      // As in Kubernetes, what admission changes belongs to no manager: its owner would be the client, who did not send it.
      const owning = own(object, old);
      const mutate = (): void | Promise<void> => {
        const { managedFields } = object.metadata;
        const pending = admission.mutate(this.#attributes(operationOf(old), write, object, old));
        // A webhook may have replaced any field.
        return pending?.then(() => {
          matchNamespace(object, write.namespace);
          keepValidManagers(object, managedFields, write.context);
        });
      };
      return owning === undefined ? mutate() : owning.then(mutate);
    };
    return {
      dryRun: write.parameters.dryRun,
      mutate: (object, old) => {
        const authorized = old === undefined ? write.parameters.authorizeCreate?.() : undefined;
        return authorized === undefined ? change(object, old) : authorized.then(() => change(object, old));
      },
      admit: (object, old) => this.#validate(this.#attributes(operationOf(old), write, object, old)),
    };
  }

  /** Runs validating admission. Returns the function that tells plugins how the write has ended, if one waits for it. */
  #validate(attributes: AdmissionAttributes): Admitted | Promise<Admitted> {
    const waiting: FinishWrite[] = [];
    const finish: FinishWrite = async (outcome) => {
      for (const one of waiting.splice(0)) await one(outcome);
    };
    const pending = this.#parts.admission.validate({ ...attributes, onFinish: (one) => void waiting.push(one) });
    if (pending === undefined) return waiting.length === 0 ? undefined : finish;
    return pending.then(
      () => (waiting.length === 0 ? undefined : finish),
      async (error: unknown) => {
        await finish('refused');
        throw error;
      },
    );
  }

  /**
   * Changes an object by a patch. The patch is applied again after a conflicting write.
   *
   * @param transform returns the patched object for the current one; the store then owns it
   * @throws ApiError as the verb `patch` does
   */
  patch(
    context: RequestContext,
    namespace: string,
    name: string,
    transform: (old: StoredObject) => ApiObject,
    parameters: WriteParameters = {},
  ): Promise<UpdateOutcome> {
    const change = (old: StoredObject | undefined): ApiObject => {
      if (old === undefined) throw errors.notFound(this.store.info, name);
      return transform(old);
    };
    return this.#update(this.#writeOf(context, namespace, name, parameters), change, { failOnConflict: false });
  }

  /**
   * Server-side apply: merges an intent into an object, or creates it.
   *
   * @param applied the intent, pruned but without defaults; it must not change afterwards
   * @throws ApiError as the verb `patch` does; 409 with a cause for each field owned by another manager
   */
  apply(
    context: RequestContext,
    namespace: string,
    name: string,
    applied: JsonObject,
    parameters: WriteParameters & {
      readonly fieldManager: string;
      readonly force: boolean;
    },
  ): Promise<UpdateOutcome> {
    const { fieldManager: manager, force, subresource = '' } = parameters;
    const intent: AppliedIntent = { applied, manager, force, subresource };
    const merge = (old: StoredObject | undefined): ApiObject | Promise<ApiObject> => {
      if (old !== undefined && this.#unchangedApplies.has(old, intent))
        return cloneJson(old) as JsonObject as ApiObject;
      const nowMs = context.clock.now();
      const merged = this.fieldOwnership.apply({ live: old, applied, manager, force, subresource, nowMs });
      return merged instanceof Promise ? merged.then((result) => applyTo(old, result)) : applyTo(old, merged);
    };
    const applyTo = (old: StoredObject | undefined, merged: FieldManagerApplied): ApiObject => {
      const { object } = this.read(merged.object, context, { keepNulls: true });
      if (old === undefined) refuseUid(this.store.info, name, object);
      checkName(object, name);
      object.metadata.managedFields = merged.managedFields;
      if (old !== undefined && !merged.changed && equalJson(object as JsonObject, old))
        this.#unchangedApplies.add(old, intent);
      return object;
    };
    const write = this.#writeOf(context, namespace, name, parameters);
    return this.#update(write, merge, { failOnConflict: false, createMissing: subresource === '' }, true);
  }

  /** Deletes an object, or marks it for deletion. @throws ApiError as the verb `delete` does */
  delete(
    context: RequestContext,
    namespace: string,
    name: string,
    options: DeleteOptions = {},
  ): Promise<DeleteOutcome> {
    const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun } = options;
    return this.store.delete(context, namespace, name, {
      gracePeriodSeconds,
      preconditions,
      orphanDependents,
      propagationPolicy,
      dryRun,
      admit: (old) => this.#admitDelete(this.#writeOf(context, namespace, name, options), old, options),
    });
  }

  /** Deletes the objects that a list selects, and returns them. @throws ApiError as the verb `deletecollection` does */
  deleteCollection(
    context: RequestContext,
    namespace: string,
    list: ListOptions,
    options: DeleteOptions = {},
  ): Promise<ListOutcome> {
    return this.store.deleteCollection(context, namespace, list, {
      ...options,
      admit: (old) => {
        const { namespace: objectNamespace = '', name = '' } = old.metadata;
        return this.#admitDelete(this.#writeOf(context, objectNamespace, name, options), old, options);
      },
    });
  }

  /**
   * Returns the definition of a subresource that is a part of the object; undefined for the main resource, and for a
   * view of it.
   *
   * @throws ApiError 404 when the subresource does not exist, 405 when it is an operation subresource
   */
  #partSubresource(name: string): PartSubresource | undefined {
    if (name === '') return undefined;
    const definition = this.store.info.subresources.get(name);
    if (definition === undefined) throw errors.resourceNotFound();
    // A write through a view is a change of the main resource.
    if ('view' in definition) return undefined;
    if (!('strategy' in definition)) throw errors.methodNotAllowed();
    return definition;
  }

  async #admitDelete(write: Write, old: StoredObject, deleteOptions: DeleteOptions): Promise<void> {
    const attributes = {
      ...this.#attributes('DELETE', write, undefined, old),
      deleteOptions,
      options: () => deleteOptionsObject(deleteOptions, write.context),
    };
    await this.#parts.admission.mutate(attributes);
    await this.#parts.admission.validate(attributes);
  }

  /** Describes one write. Cluster-scoped kinds ignore the namespace. */
  #writeOf(
    context: RequestContext,
    namespace: string,
    name: string,
    parameters: WriteParameters,
    requestName = name,
  ): Write {
    return { context, namespace: this.store.info.namespaced ? namespace : '', name, requestName, parameters };
  }

  #attributes(
    operation: AdmissionOperation,
    { context, namespace, name, requestName, parameters }: Write,
    object: ApiObject | undefined,
    oldObject: StoredObject | undefined,
    info = this.store.info,
  ): AdmissionAttributes {
    return {
      operation,
      info,
      subresource: parameters.subresource ?? '',
      namespace,
      name,
      requestName,
      object,
      oldObject,
      options: () => writeOptionsObject(operation, parameters, context),
      user: context.user,
      dryRun: parameters.dryRun === true,
      context,
      // Callers that need these two copy the attributes: see "Shapes" in docs/architecture.md.
      deleteOptions: undefined,
      onFinish: undefined,
    };
  }

  /** Records the field ownership of the request's manager in the object. */
  #recordOwnership(
    { context, parameters }: Write,
    object: ApiObject,
    old: StoredObject | undefined,
  ): void | Promise<void> {
    const entries = this.fieldOwnership.update({
      live: old,
      object,
      manager: parameters.fieldManager ?? managerFromUserAgent(context.userAgent),
      nowMs: context.clock.now(),
      subresource: parameters.subresource,
    });
    if (!(entries instanceof Promise)) return setManagedFields(object, entries);
    return entries.then((known) => setManagedFields(object, known));
  }

  /** The field ownership of the kind. */
  get fieldOwnership(): FieldOwnership {
    const { info, environment } = this.store;
    return (this.#ownership ??= new FieldOwnership(
      {
        schema: info.schema,
        apiVersion: info.apiVersion,
        kind: info.kind,
        resetFields: resetFieldsOf(info),
        clientSideApply: environment.dialect.clientSideApply,
      },
      info.definition.storedVersions,
    ));
  }
}

/** Restores the entries of an object when admission made them invalid. */
function keepValidManagers(object: ApiObject, before: ManagedFieldsEntry[] | undefined, context: RequestContext): void {
  const { metadata } = object;
  if (metadata.managedFields === before || metadata.managedFields === undefined) return;
  try {
    decodeManagedFields(metadata.managedFields);
  } catch (error) {
    setManagedFields(object, before ?? []);
    context.warn(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${messageOf(error)}`,
    );
  }
}

/** Sets the entries of an object. They keep their identity, by which the next write finds them decoded. */
function setManagedFields(object: ApiObject, entries: ManagedFieldsEntry[]): void {
  if (entries.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

/** An operation subresource: its name, and the operations of its virtual kind. */
export interface OperationSubresource {
  readonly subresource: string;
  readonly operations: ResourceOperations;
}

const operationOf = (old: StoredObject | undefined): AdmissionOperation => (old === undefined ? 'CREATE' : 'UPDATE');

/** Refuses to create an object with a uid, because only an existing object has one. @throws ApiError 409 */
function refuseUid(info: ResourceInfo, name: string, { metadata: { uid = '' } }: ApiObject): void {
  if (uid !== '')
    throw errors.conflict(
      info,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
}

/**
 * Returns an object with kind, apiVersion and metadata first, as in stored objects. The client may omit kind and
 * apiVersion; the callers refuse different ones.
 */
function typed(object: MutableJsonObject, { kind, apiVersion }: ResourceInfo): ApiObject {
  if (object['kind'] === kind && object['apiVersion'] === apiVersion && isJsonObject(object['metadata']))
    return object as ApiObject;
  return {
    kind,
    apiVersion,
    metadata: {},
    ...object,
    ...(object['kind'] === kind ? {} : { kind }),
    ...(object['apiVersion'] === apiVersion ? {} : { apiVersion }),
  };
}

/**
 * Sets the namespace of an object to that of the request.
 *
 * @throws ApiError 400 when the object names another namespace
 */
function matchNamespace(object: ApiObject, namespace: string): void {
  const named = object.metadata.namespace ?? '';
  if (namespace === '') delete object.metadata.namespace;
  else if (named === '') object.metadata.namespace = namespace;
  else if (named !== namespace)
    throw errors.badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/**
 * Returns the reset fields of a kind, by subresource: the registry resets them to their old values, so a writer neither
 * owns them nor takes them from other managers. Defaults: the status on the main resource, and everything else on the
 * status subresource.
 */
function resetFieldsOf(info: ResourceInfo): Record<string, Record<string, FieldSet>> {
  const main = info.definition.strategy?.resetFields ?? (info.subresources.has('status') ? [['status']] : undefined);
  const parts = [...info.subresources].filter((entry): entry is [string, PartSubresource] => 'strategy' in entry[1]);
  const declared = parts.map(
    ([name, { strategy }]) =>
      [name, strategy.resetFields ?? (name === 'status' ? defaultOfStatus(info) : undefined)] as const,
  );
  return Object.fromEntries(
    [['', main] as const, ...declared].flatMap(([name, fields]) =>
      fields === undefined ? [] : [[name, { [info.apiVersion]: setOf(fields) }]],
    ),
  );
}

const setOf = (fields: ResetFields): FieldSet => fieldSet(...fields.map((path) => path.map((name) => `f:${name}`)));

function defaultOfStatus(info: ResourceInfo): ResetFields {
  if (info.definition.origin === 'builtin')
    return [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']];
  return [...(info.schema.properties?.keys() ?? [])].filter((field) => field !== 'status').map((field) => [field]);
}
