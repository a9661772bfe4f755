import type { AdmissionChain } from '../../admission/index.js';
import {
  equalInSlices,
  errors,
  isArray,
  isJsonObject,
  whenReady,
  workOf,
  type ApiObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type StoredObject,
} from '../../foundation/index.js';
import {
  cloneInSlices,
  readInSlices,
  type FieldManagerApplied,
  type ReadOptions,
  type StructuralSchema,
} from '../../machinery/index.js';
import {
  hookFailure,
  hookResult,
  transientRecordFor,
  validateOperationObject,
  type AdmissionAttributes,
  type DeleteOptions,
  type DeleteOutcome,
  type ListOptions,
  type ListOutcome,
  type OperationClient,
  type PartSubresource,
  type Perform,
  type RequestContext,
  type ResourceDefinition,
  type ResourceInfo,
  type ResourceStore,
  type UpdateOutcome,
  type UpdateTransform,
} from '../../registry/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { DecodedDocument } from '../codec/index.js';
import { checkName } from './check-name.js';
import { FieldOwnership } from './field-ownership.js';
import { siblingVersionsOf, storedVersionsOf } from './other-versions.js';
import { resetFieldsOf } from './reset-fields.js';
import { UnchangedApplies, type AppliedIntent } from './unchanged-applies.js';
import {
  matchNamespace,
  Write,
  type UpdateChoices,
  type WriteParameters,
  type WriteTarget,
  type WrittenKind,
} from './write.js';

/** Called after every stored update, not for dry runs. Must not change the objects. */
export type UpdateObserver = (object: StoredObject, old: StoredObject) => void;

const NOTHING_MORE = (): void => undefined;
const NOT_SERVED = (): undefined => undefined;

/** Revision of the result of an operation, which is never stored. */
const NOT_STORED = 0;

/** The options of an apply. */
export interface ApplyChoices extends WriteParameters {
  readonly fieldManager: string;
  /** Takes fields from other managers instead of failing with a conflict. */
  readonly force: boolean;
}

/** The operation of a virtual kind, such as a review. */
export interface Operation {
  readonly perform: Perform;
  /** Kind and subresource that accept the operation; undefined when the virtual kind is a resource itself. */
  readonly target?: { readonly store: ResourceStore; readonly subresource: string } | undefined;
  /** Returns the client with which the operation accesses other objects. */
  readonly client: () => OperationClient;
}

/** An object of a kind that was read from a value. */
export interface ReadAnObject {
  readonly object: ApiObject;
  /** Paths of the unknown fields that were dropped. */
  readonly unknownFields: readonly string[];
}

/** Parts of the operations of a kind, in addition to its store. */
export interface OperationParts {
  readonly admission: AdmissionChain;
  /** Only for virtual kinds. */
  readonly operation?: Operation | undefined;
  /** Subresources with objects of another kind, by name: the operations on that kind. */
  readonly operationSubresources?: ReadonlyMap<string, ResourceOperations> | undefined;
  readonly observe?: UpdateObserver | undefined;
  /** Returns the served kind of an apiVersion that has the name of this kind. Default: there is none. */
  readonly served?: ((apiVersion: string) => ResourceInfo | undefined) | undefined;
}

/**
 * The verbs of one kind: admission, field ownership, registry. Both the HTTP endpoints and the in-process client call
 * them; the two differ only in how objects are decoded and encoded.
 */
export class ResourceOperations implements WrittenKind {
  readonly store: ResourceStore;
  readonly admission: AdmissionChain;
  readonly #parts: OperationParts;
  readonly #unchangedApplies = new UnchangedApplies();
  /** The field ownership by the schema, which may be given up and made again. */
  readonly #ownership = new WeakMap<StructuralSchema, FieldOwnership>();

  constructor(store: ResourceStore, parts: OperationParts) {
    this.store = store;
    this.admission = parts.admission;
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
   * kind. A large value is read in the slices of the request.
   *
   * @returns a new object that the caller may change, and the paths of the unknown fields
   * @throws DecodeTypeError when a value has the wrong type; ApiError 413 for too many defaults. A promise rejects with it
   */
  read(
    value: JsonValue,
    context: RequestContext,
    given: Omit<ReadOptions, 'origin'> = {},
  ): ReadAnObject | Promise<ReadAnObject> {
    const { info } = this.store;
    const options = {
      origin: info.definition.origin ?? 'user',
      keepNulls: given.keepNulls,
      asWritten: given.asWritten,
    };
    const work = workOf(context);
    const prepared = info.definition.givenUpSchema?.prepare(work);
    const reading =
      prepared === undefined
        ? readInSlices(value, info.schema, options, work)
        : prepared.then(() => readInSlices(value, info.schema, options, work));
    return whenReady(reading, ({ object, unknownFields }) => {
      const read = { object: typed(object, info), unknownFields };
      if (info.definition.origin === 'builtin' && clearsOwnership(value)) read.object.metadata.managedFields = [];
      return this.#withDefaults(read, context);
    });
  }

  /** Sets the defaults of the kind that its schema does not have. */
  #withDefaults(read: ReadAnObject, context: RequestContext): ReadAnObject | Promise<ReadAnObject> {
    const { info } = this.store;
    const { object } = read;
    const failed = (error: unknown): never => {
      throw hookFailure(info, object, error);
    };
    try {
      const pending = hookResult(info.strategy?.defaults?.(object, context), context);
      if (pending instanceof Promise) return pending.then(() => read, failed);
    } catch (error) {
      failed(error);
    }
    return read;
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
  create(
    context: RequestContext,
    namespace: string,
    object: ApiObject,
    parameters: WriteParameters = {},
    requestName = '',
  ): StorageRecord | Promise<StorageRecord> {
    this.refuseWhileTerminating('create');
    const target = this.#targetOf(context, namespace, object.metadata.name ?? '', parameters, requestName);
    const { operation } = this.#parts;
    if (operation !== undefined) return this.#perform(operation, target, object);
    return this.store.create(context, namespace, object, new Write(this, target));
  }

  /** Refuses a verb while the definition of the kind is being deleted. @throws ApiError 405 */
  refuseWhileTerminating(verb: string): void {
    const { info } = this.store;
    if (info.definition.terminating !== true) return;
    throw errors.methodNotSupported(info, verb, `${verb} not allowed while custom resource definition is terminating`);
  }

  /**
   * Runs the operation of a virtual kind: admission as for a create, then the operation. Nothing is stored. The result is
   * there at once, unless a step has to wait.
   */
  #perform(
    { perform, target, client }: Operation,
    request: WriteTarget,
    object: ApiObject,
  ): StorageRecord | Promise<StorageRecord> {
    const { info } = this.store;
    const { context, namespace, requestName, parameters } = request;
    const write = new Write(
      this,
      target === undefined
        ? request
        : { ...request, name: requestName, parameters: { ...parameters, subresource: target.subresource } },
    );
    let attributes: AdmissionAttributes;
    const admitted = (): void | Promise<void> => {
      attributes = write.attributes('CREATE', object, undefined, target?.store.info);
      return this.admission.mutate(attributes);
    };
    const parent = (): StorageRecord | undefined | Promise<StorageRecord> =>
      target?.store.get(namespace, requestName, '', context.signal);
    const performed = (record: StorageRecord | undefined): ApiObject | Promise<ApiObject> => {
      return whenReady(validateOperationObject(info, object, context), () =>
        perform(object, {
          context,
          namespace,
          name: requestName,
          target: record === undefined ? undefined : target?.store.read(record),
          client: client(),
          dryRun: write.dryRun === true,
          admit: () => this.admission.validate(attributes),
        }),
      );
    };
    const failed = (error: unknown): never => {
      throw hookFailure(info, object, error);
    };
    try {
      matchNamespace(object, namespace);
      const admitting = whenReady(write.recordOwnership(object, undefined), admitted);
      const performing = whenReady(whenReady(admitting, parent), (record) =>
        whenReady(info.load(object), () => performed(record)),
      );
      const recorded = whenReady(performing, (answer) =>
        transientRecordFor(context.work, '', answer, NOT_STORED, this.store.texts),
      );
      return recorded instanceof Promise ? recorded.catch(failed) : recorded;
    } catch (error) {
      return failed(error);
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
    const { uid } = parameters;
    return this.#update(this.#targetOf(context, namespace, name, parameters), transform, { uid });
  }

  /** Replaces an object. {@link ResourceStore.update} runs the sequence and its retries. */
  #update(target: WriteTarget, transform: UpdateTransform, choices: UpdateChoices): Promise<UpdateOutcome> {
    const { context, namespace, name, parameters } = target;
    const part = this.#partSubresource(parameters.subresource ?? '');
    const write = new Write(this, target, choices, part?.strategy);
    const updating = this.store.update(context, namespace, name, transform, write);
    const { observe } = this.#parts;
    return observe === undefined || parameters.dryRun === true ? updating : observed(updating, observe);
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
    transform: (old: StoredObject) => ApiObject | Promise<ApiObject>,
    parameters: WriteParameters = {},
  ): Promise<UpdateOutcome> {
    const change = (old: StoredObject | undefined): ApiObject | Promise<ApiObject> => {
      if (old === undefined) throw errors.notFound(this.store.info, name);
      return transform(old);
    };
    return this.#update(this.#targetOf(context, namespace, name, parameters), change, { failOnConflict: false });
  }

  /**
   * Server-side apply: merges an intent into an object, or creates it.
   *
   * @param applied the intent as it was sent; it must not change afterwards
   * @param merged called after each merge that succeeds; what it throws refuses the apply
   * @throws ApiError as the verb `patch` does; 409 with a cause for each field owned by another manager; 500 for an
   *   intent that does not match the schema
   */
  apply(
    context: RequestContext,
    namespace: string,
    name: string,
    applied: JsonObject,
    parameters: ApplyChoices,
    merged: () => void = NOTHING_MORE,
  ): Promise<UpdateOutcome> {
    const { fieldManager: manager, force, subresource = '' } = parameters;
    const intent: AppliedIntent = { applied, manager, force, subresource };
    const { work } = context;
    const transform = (old: StoredObject | undefined): ApiObject | Promise<ApiObject> =>
      whenReady(old !== undefined && this.#unchangedApplies.has(old, intent, work), (isUnchanged) => {
        if (old === undefined || !isUnchanged) return merge(old);
        merged();
        return cloneInSlices(old, work) as JsonObject as ApiObject;
      });
    const merge = (old: StoredObject | undefined): ApiObject | Promise<ApiObject> => {
      const now = context.clock.now();
      const write = { live: old, applied, manager, force, subresource, now };
      const merging = this.fieldOwnership.apply(write, context.work);
      return whenReady(merging, (result) =>
        whenReady(this.read(result.object, context, { keepNulls: true }), ({ object }) => applyTo(old, result, object)),
      );
    };
    const applyTo = (
      old: StoredObject | undefined,
      result: FieldManagerApplied,
      object: ApiObject,
    ): ApiObject | Promise<ApiObject> => {
      merged();
      if (old === undefined) refuseUid(this.store.info, name, object);
      checkName(object, name);
      object.metadata.managedFields = result.managedFields;
      const comparing = old !== undefined && !result.changed && equalInSlices(work, object as JsonObject, old);
      return whenReady(comparing, (isUnchanged) => {
        if (old !== undefined && isUnchanged) this.#unchangedApplies.add(old, intent);
        return object;
      });
    };
    const target = this.#targetOf(context, namespace, name, parameters);
    return this.#update(target, transform, { failOnConflict: false, createMissing: subresource === '', owned: true });
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
      admit: (old) => this.#admitDelete(this.#targetOf(context, namespace, name, options), old, options),
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
        return this.#admitDelete(this.#targetOf(context, objectNamespace, name, options), old, options);
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

  #admitDelete(target: WriteTarget, old: StoredObject, deleteOptions: DeleteOptions): void | Promise<void> {
    const write = new Write(this, target);
    const attributes = write.attributes('DELETE', undefined, old, this.store.info, deleteOptions);
    const pending = this.admission.mutate(attributes);
    return pending === undefined
      ? this.admission.validate(attributes)
      : pending.then(() => this.admission.validate(attributes));
  }

  /** Describes one write. Cluster-scoped kinds ignore the namespace. */
  #targetOf(
    context: RequestContext,
    namespace: string,
    name: string,
    parameters: WriteParameters,
    requestName = name,
  ): WriteTarget {
    return { context, namespace: this.store.info.namespaced ? namespace : '', name, requestName, parameters };
  }

  /** The field ownership of the kind. */
  get fieldOwnership(): FieldOwnership {
    const { info, environment } = this.store;
    const { schema } = info;
    const { storedVersions } = info.definition;
    const known = this.#ownership.get(schema);
    if (known !== undefined) return known;
    const ownership = new FieldOwnership(
      {
        schema,
        apiVersion: info.apiVersion,
        kind: info.kind,
        resetFields: resetFieldsOf([info]),
        clientSideApply: environment.dialect.clientSideApply,
      },
      storedVersions === undefined
        ? siblingVersionsOf(info, this.#parts.served ?? NOT_SERVED, environment.dialect)
        : storedVersionsOf(info, storedVersions),
    );
    this.#ownership.set(schema, ownership);
    return ownership;
  }
}

/**
 * Returns whether an object has an empty list of field managers, which the reader drops. In Kubernetes it clears the
 * records of a built-in kind; the decoder of custom resources drops it.
 */
function clearsOwnership(value: JsonValue): boolean {
  const metadata = isJsonObject(value) ? value['metadata'] : undefined;
  const entries = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  return isArray(entries) && entries.length === 0;
}

/** Reports an update that was stored. */
async function observed(updating: Promise<UpdateOutcome>, observe: UpdateObserver): Promise<UpdateOutcome> {
  const outcome = await updating;
  if (outcome.old !== undefined) observe(outcome.object, outcome.old);
  return outcome;
}

/** An operation subresource: its name, and the operations of its virtual kind. */
export interface OperationSubresource {
  readonly subresource: string;
  readonly operations: ResourceOperations;
}

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
