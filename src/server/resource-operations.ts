import type { AdmissionChain } from '../admission/chain.js';
import { createFieldManager, managerFromUserAgent, type FieldManager } from '../apply/index.js';
import type { DecodedDocument } from '../codec/index.js';
import { errors } from '../meta/api-error.js';
import {
  cloneJson,
  equalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from '../meta/json.js';
import type { ApiObject, StoredObject } from '../meta/object.js';
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
import type { ResourceStore, WriteOptions } from '../registry/store.js';
import type { UpdateOptions, UpdateOutcome, UpdateTransform } from '../registry/update.js';
import { hookFailure, validateOperationObject } from '../registry/validation.js';
import { readObject, type ReadOptions, type ReadResult } from '../schema/index.js';
import type { StorageRecord } from '../storage/storage.js';
import { checkName } from './check-name.js';
import { resetFieldsOf } from './reset-fields.js';
import { UnchangedApplies, type AppliedIntent } from './unchanged-applies.js';

/** Options of a write that every verb has. */
export interface WriteParameters {
  readonly dryRun?: boolean | undefined;
  /** Refuses, by throwing, a write that turns out to be a create. */
  readonly authorizeCreate?: (() => Promise<void>) | undefined;
  /** Field manager of the write; default the one that the User-Agent names. */
  readonly fieldManager?: string | undefined;
  /** Empty for the main resource. */
  readonly subresource?: string | undefined;
}

/** One write, as admission and field ownership see it. */
interface Write {
  readonly context: RequestContext;
  /** Empty for kinds outside namespaces. */
  readonly namespace: string;
  /** Empty where a name is still to be generated. */
  readonly name: string;
  /** The name in the path of the request: empty for a POST. */
  readonly requestName: string;
  readonly parameters: WriteParameters;
}

/** Is told of every stored update, dry runs excepted. Must not change the objects. */
export type UpdateObserver = (object: StoredObject, old: StoredObject) => void;

/** Revision of an answer that is never stored. */
const NOT_STORED = 0;

/** What a virtual kind does, and where. */
export interface Operation {
  readonly perform: Perform;
  /** The kind and subresource that the operation is posted to; undefined for a resource of its own. */
  readonly target?: { readonly store: ResourceStore; readonly subresource: string } | undefined;
  /** Client through which the operation reaches other objects. */
  readonly client: () => OperationClient;
}

/** What the operations of a kind are made of, besides its store. */
export interface OperationParts {
  readonly admission: AdmissionChain;
  /** Only for virtual kinds. */
  readonly operation?: Operation | undefined;
  /** Operation subresources of the kind: the operations of the virtual kinds that are posted to them, by subresource. */
  readonly operationSubresources?: ReadonlyMap<string, ResourceOperations> | undefined;
  readonly observe?: UpdateObserver | undefined;
}

/**
 * The verbs of one kind as a request runs them: admission, field ownership, registry. Both the HTTP endpoints and the
 * in-process client end here; they differ only in how an object comes in and goes out.
 */
export class ResourceOperations {
  readonly store: ResourceStore;
  readonly #parts: OperationParts;
  readonly #unchangedApplies = new UnchangedApplies();
  #fieldManager: FieldManager | undefined;

  constructor(store: ResourceStore, parts: OperationParts) {
    this.store = store;
    this.#parts = parts;
  }

  /** Whether objects of the kind are performed, and never stored. */
  get virtual(): boolean {
    return this.#parts.operation !== undefined;
  }

  /** The operations of the virtual kind that is posted to a subresource; undefined where the subresource is a part of the object. */
  operationSubresource(name: string): ResourceOperations | undefined {
    return this.#parts.operationSubresources?.get(name);
  }

  /** The operation subresource that takes a virtual kind; undefined when there is none. */
  operationSubresourceFor(kind: ResourceDefinition): OperationSubresource | undefined {
    for (const [subresource, operations] of this.#parts.operationSubresources ?? [])
      if (operations.store.info.definition === kind) return { subresource, operations };
    return undefined;
  }

  /**
   * Reads a client's value as an object of the kind: fields pruned and defaulted, apiVersion and kind filled in.
   *
   * @returns an object of the caller's own, and the paths of the fields that the kind does not have
   * @throws DecodeTypeError when a value has the wrong type
   */
  read(
    value: JsonValue,
    context: RequestContext,
    options: Omit<ReadOptions, 'origin'> = {},
  ): { readonly object: ApiObject; readonly unknownFields: readonly string[] } {
    const { info } = this.store;
    const result: ReadResult = readObject(value, info.schema, { ...options, origin: info.definition.origin ?? 'user' });
    const object = typed(result.object, info);
    try {
      info.definition.strategy?.defaults?.(object, context);
    } catch (error) {
      throw hookFailure(info, object, error);
    }
    return { object, unknownFields: result.unknownFields };
  }

  /**
   * The value of a body as this kind decodes it: a built-in kind looks at how numbers were written, as Go's decoder does; a user's keeps their
   * values.
   */
  typedValue({ value, asWritten }: DecodedDocument): { readonly value: JsonValue; readonly asWritten: boolean } {
    if (asWritten === undefined || this.store.info.definition.origin !== 'builtin') return { value, asWritten: false };
    return { value: asWritten(), asWritten: true };
  }

  /**
   * Stores a new object, or performs one of a virtual kind. The object is taken over.
   *
   * @param requestName name in the path of the request: that of the object whose operation subresource this is
   * @throws ApiError as the verb `create` answers
   */
  async create(
    context: RequestContext,
    namespace: string,
    object: ApiObject,
    parameters: WriteParameters = {},
    requestName = '',
  ): Promise<StorageRecord> {
    const write = this.#writeOf(context, namespace, object.metadata.name ?? '', parameters, requestName);
    if (this.#parts.operation !== undefined) return this.#perform(this.#parts.operation, write, object);
    matchNamespace(object, write.namespace);
    return this.store.create(context, namespace, object, this.#steps(write));
  }

  /** Performs an object of a virtual kind: admission as for a create, then what the kind does. Nothing is stored. */
  async #perform({ perform, target, client }: Operation, write: Write, object: ApiObject): Promise<StorageRecord> {
    const { info } = this.store;
    const { context, namespace, requestName } = write;
    const posted =
      target === undefined
        ? write
        : { ...write, name: requestName, parameters: { ...write.parameters, subresource: target.subresource } };
    try {
      matchNamespace(object, namespace);
      const attributes = this.#attributes('CREATE', posted, object, undefined, target?.store.info);
      const pending = this.#parts.admission.mutate(attributes);
      if (pending !== undefined) await pending;
      this.#own(posted, object, undefined);
      const record = await target?.store.get(namespace, requestName, '', context.signal);
      validateOperationObject(info, object);
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
   * @param make makes the new object; runs again when another write came between. Its result is taken over
   * @param parameters `uid` is a precondition: the uid that the new object names, empty for none
   * @throws ApiError as the verb `update` answers
   */
  update(
    context: RequestContext,
    namespace: string,
    name: string,
    make: UpdateTransform,
    parameters: WriteParameters & { readonly uid?: string | undefined } = {},
  ): Promise<UpdateOutcome> {
    return this.#update(this.#writeOf(context, namespace, name, parameters), make, { uid: parameters.uid });
  }

  /** Replaces an object. The sequence, and its retries, are the registry's ({@link ResourceStore.update}). */
  async #update(
    write: Write,
    make: UpdateTransform,
    options: Pick<UpdateOptions, 'conflictEnds' | 'uid' | 'createMissing'>,
    owned = false,
  ): Promise<UpdateOutcome> {
    const { context, namespace, name, parameters } = write;
    const outcome = await this.store.update(context, namespace, name, make, {
      ...options,
      subresource: this.#partSubresource(parameters.subresource ?? '')?.strategy,
      ...this.#steps(write, owned),
    });
    if (outcome.old !== undefined && parameters.dryRun !== true) this.#parts.observe?.(outcome.object, outcome.old);
    return outcome;
  }

  /**
   * The steps of a write that are not the registry's.
   *
   * @param owned whether the new object says already which fields its managers own
   */
  #steps(write: Write, owned = false): Pick<WriteOptions, 'dryRun' | 'mutate' | 'admit'> {
    const { admission } = this.#parts;
    return {
      dryRun: write.parameters.dryRun,
      mutate: async (object, old) => {
        if (old === undefined) await write.parameters.authorizeCreate?.();
        matchNamespace(object, write.namespace);
        const pending = admission.mutate(this.#attributes(operationOf(old), write, object, old));
        if (pending !== undefined) await pending;
        if (!owned) this.#own(write, object, old);
      },
      admit: (object, old) => admission.validate(this.#attributes(operationOf(old), write, object, old)),
    };
  }

  /**
   * Changes an object by a patch. The patch runs again when another write came between.
   *
   * @param make makes the patched object of the present one; its result is taken over
   * @throws ApiError as the verb `patch` answers
   */
  patch(
    context: RequestContext,
    namespace: string,
    name: string,
    make: (old: StoredObject) => ApiObject,
    parameters: WriteParameters = {},
  ): Promise<UpdateOutcome> {
    const change = (old: StoredObject | undefined): ApiObject => {
      if (old === undefined) throw errors.notFound(this.store.info, name);
      return make(old);
    };
    return this.#update(this.#writeOf(context, namespace, name, parameters), change, { conflictEnds: false });
  }

  /**
   * Server-side apply: merges an intent into an object, or creates it.
   *
   * @param applied the intent, pruned but not defaulted; taken over, nobody may change it afterwards
   * @throws ApiError as the verb `patch` answers; 409 with a cause for each field that another manager owns
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
    const merge = (old: StoredObject | undefined): ApiObject => {
      if (old !== undefined && this.#unchangedApplies.has(old, intent))
        return cloneJson(old) as JsonObject as ApiObject;
      const nowMs = context.clock.now();
      const merged = this.fieldManager.apply({ live: old, applied, manager, force, subresource, nowMs });
      const { object } = this.read(merged.object, context, { keepNulls: true });
      if (old === undefined) refuseUid(this.store.info, name, object);
      checkName(object, name);
      object.metadata.managedFields = merged.managedFields;
      if (old !== undefined && !merged.changed && equalJson(object as JsonObject, old))
        this.#unchangedApplies.add(old, intent);
      return object;
    };
    const write = this.#writeOf(context, namespace, name, parameters);
    return this.#update(write, merge, { conflictEnds: false, createMissing: true }, true);
  }

  /** Deletes an object, or begins to. */
  delete(
    context: RequestContext,
    namespace: string,
    name: string,
    options: DeleteOptions = {},
  ): Promise<DeleteOutcome> {
    return this.store.delete(context, namespace, name, {
      ...options,
      admit: (old) => this.#admitDelete(this.#writeOf(context, namespace, name, options), old, options),
    });
  }

  /** Deletes what a list would show. */
  deleteCollection(
    context: RequestContext,
    namespace: string,
    list: ListOptions,
    options: DeleteOptions = {},
  ): Promise<ListOutcome> {
    return this.store.deleteCollection(context, namespace, list, {
      ...options,
      admit: (old) => {
        const { namespace: space = '', name = '' } = old.metadata;
        return this.#admitDelete(this.#writeOf(context, space, name, options), old, options);
      },
    });
  }

  /** The subresource of a name that writes a part of its object; undefined for the main resource. */
  #partSubresource(name: string): PartSubresource | undefined {
    if (name === '') return undefined;
    const definition = this.store.info.subresources.get(name);
    if (definition === undefined) throw errors.resourceNotFound();
    if (!('strategy' in definition)) throw errors.methodNotAllowed();
    return definition;
  }

  async #admitDelete(write: Write, old: StoredObject, deleteOptions: DeleteOptions): Promise<void> {
    const attributes = { ...this.#attributes('DELETE', write, undefined, old), deleteOptions };
    await this.#parts.admission.mutate(attributes);
    await this.#parts.admission.validate(attributes);
  }

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
      user: context.user,
      dryRun: parameters.dryRun === true,
      context,
    };
  }

  /** Records which fields the request's manager owns now. */
  #own({ context, parameters }: Write, object: ApiObject, old: StoredObject | undefined): void {
    const { subresource = '' } = parameters;
    const entries = this.fieldManager.update({
      live: old,
      object,
      manager: parameters.fieldManager ?? managerFromUserAgent(context.userAgent),
      nowMs: context.clock.now(),
      ...(subresource === '' ? {} : { subresource }),
    });
    if (entries.length === 0) delete object.metadata.managedFields;
    else object.metadata.managedFields = [...entries];
  }

  /** Keeps account of who owns which fields. */
  get fieldManager(): FieldManager {
    const { info, environment } = this.store;
    return (this.#fieldManager ??= createFieldManager({
      schema: info.schema,
      apiVersion: info.apiVersion,
      kind: info.kind,
      resetFields: resetFieldsOf(info),
      clientSideApply: environment.dialect.clientSideApply,
    }));
  }
}

/** An operation subresource of a kind: its name, and the operations of the virtual kind that is posted to it. */
export interface OperationSubresource {
  readonly subresource: string;
  readonly operations: ResourceOperations;
}

const operationOf = (old: StoredObject | undefined): AdmissionOperation => (old === undefined ? 'CREATE' : 'UPDATE');

/** Refuses to create an object that names a uid: it claims to exist already. @throws ApiError 409 */
function refuseUid(info: ResourceInfo, name: string, { metadata: { uid = '' } }: ApiObject): void {
  if (uid !== '')
    throw errors.conflict(
      info,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
}

/**
 * The object with its type and metadata in front, where stored texts have them. The client may leave the type out, but
 * not name another: callers have checked that.
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
 * Gives an object the namespace of its request.
 *
 * @throws ApiError 400 when it names another
 */
function matchNamespace(object: ApiObject, namespace: string): void {
  const named = object.metadata.namespace ?? '';
  if (namespace === '') delete object.metadata.namespace;
  else if (named === '') object.metadata.namespace = namespace;
  else if (named !== namespace)
    throw errors.badRequest('the namespace of the provided object does not match the namespace sent on the request');
}
