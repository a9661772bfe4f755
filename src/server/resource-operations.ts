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
import type { ResourceStore } from '../registry/store.js';
import type { UpdateOptions, UpdateOutcome } from '../registry/update.js';
import { refusalOf, validatePerformed } from '../registry/validation.js';
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
  /** Who changes the object; empty: the request's User-Agent. */
  readonly fieldManager?: string | undefined;
}

/** Is told of every update that came to be, dry runs left out. Changes nothing. */
export type UpdateObserver = (object: StoredObject, old: StoredObject) => void;

/** Revision of an answer that was never stored: none. */
const NOT_STORED = 0;

/** What the operations of a kind are made of besides its store. */
export interface OperationParts {
  readonly admission: AdmissionChain;
  /** Of a virtual kind: what it does. */
  readonly perform?: Perform;
  /** Of a virtual kind that is posted to a subresource: the kind that has it, and its name there. */
  readonly target?: { readonly store: ResourceStore; readonly subresource: string };
  /** Of a virtual kind: what it reaches other objects by. */
  readonly client?: () => OperationClient;
  /** The virtual kinds that are posted to subresources of this kind, by subresource. */
  readonly performed?: ReadonlyMap<string, ResourceOperations>;
  readonly observe?: UpdateObserver | undefined;
}

/**
 * The verbs of one kind as a request runs them: admission, field ownership, registry. Both the HTTP endpoints and the
 * in-process client end here; what differs between them is only how an object comes in and goes out.
 */
export class ResourceOperations {
  readonly store: ResourceStore;
  readonly #admission: AdmissionChain;
  readonly #unchangedApplies = new UnchangedApplies();
  readonly #perform: Perform | undefined;
  readonly #target: OperationParts['target'];
  readonly #client: OperationParts['client'];
  readonly #performed: ReadonlyMap<string, ResourceOperations> | undefined;
  readonly #observe: UpdateObserver | undefined;
  #fieldManager: FieldManager | undefined;

  constructor(store: ResourceStore, { admission, perform, target, client, performed, observe }: OperationParts) {
    this.store = store;
    this.#admission = admission;
    this.#perform = perform;
    this.#target = target;
    this.#client = client;
    this.#performed = performed;
    this.#observe = observe;
  }

  /** Whether objects of the kind are performed, and never stored. */
  get virtual(): boolean {
    return this.#perform !== undefined;
  }

  /** The operations of the virtual kind that is posted to a subresource; undefined where the subresource is a part of the object. */
  performed(subresource: string): ResourceOperations | undefined {
    return this.#performed?.get(subresource);
  }

  /** The subresource that a virtual kind is posted to, with its operations; undefined when it is not. */
  performs(
    operation: ResourceDefinition,
  ): { readonly subresource: string; readonly operations: ResourceOperations } | undefined {
    for (const [subresource, operations] of this.#performed ?? [])
      if (operations.store.info.definition === operation) return { subresource, operations };
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
      throw refusalOf(info, object, error);
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
   * @throws ApiError as the verb `create` answers
   */
  async create(
    context: RequestContext,
    namespace: string,
    object: ApiObject,
    parameters: WriteParameters & { readonly on?: string } = {},
  ): Promise<StorageRecord> {
    matchNamespace(object, this.store.info.namespaced ? namespace : '');
    try {
      return await (this.#perform === undefined
        ? this.#store(context, namespace, object, parameters)
        : this.#run(this.#perform, context, namespace, object, parameters));
    } catch (error) {
      throw refusalOf(this.store.info, object, error);
    }
  }

  /** Stores a new object. */
  async #store(
    context: RequestContext,
    namespace: string,
    object: ApiObject,
    parameters: WriteParameters,
  ): Promise<StorageRecord> {
    const attributes = this.#attributes(
      'CREATE',
      context,
      namespace,
      object.metadata.name ?? '',
      object,
      undefined,
      parameters,
      '',
      '',
    );
    const pending = this.#admission.mutate(attributes);
    if (pending !== undefined) await pending;
    this.#own(context, undefined, object, parameters, '');
    return this.store.create(context, namespace, object, {
      dryRun: parameters.dryRun,
      admit: () => this.#admission.validate(attributes),
    });
  }

  /** Performs an object of a virtual kind: admission as for a create, then what the kind does, and nothing is stored. */
  async #run(
    perform: Perform,
    context: RequestContext,
    namespace: string,
    object: ApiObject,
    parameters: WriteParameters & { readonly on?: string },
  ): Promise<StorageRecord> {
    const target = this.#target;
    const name = parameters.on ?? '';
    const space = this.store.info.namespaced ? namespace : '';
    const subresource = target?.subresource ?? '';
    const attributes = {
      ...this.#attributes(
        'CREATE',
        context,
        space,
        target === undefined ? (object.metadata.name ?? '') : name,
        object,
        undefined,
        parameters,
        subresource,
        name,
      ),
      ...(target === undefined ? {} : { info: target.store.info }),
    };
    const pending = this.#admission.mutate(attributes);
    if (pending !== undefined) await pending;
    this.#own(context, undefined, object, parameters, subresource);
    const client = this.#client?.();
    if (client === undefined) throw new TypeError(`${this.store.info.kind} is performed, and has no client for that`);
    const record = await target?.store.get(namespace, name, '', context.signal);
    validatePerformed(this.store.info, object);
    const answer = await perform(object, {
      context,
      namespace: space,
      name,
      target: record === undefined ? undefined : target?.store.read(record),
      client,
      dryRun: parameters.dryRun === true,
      admit: () => this.#admission.validate(attributes),
    });
    return transientRecord('', answer, NOT_STORED);
  }

  /**
   * Replaces an object.
   *
   * @param make makes the new object; called again when another write came between. Its result is taken over
   * @param parameters `uid` is a precondition: the uid that the new object names, empty for none
   * @throws ApiError as the verb `update` answers
   */
  update(
    context: RequestContext,
    namespace: string,
    name: string,
    make: (old: StoredObject | undefined) => ApiObject | Promise<ApiObject>,
    parameters: WriteParameters & { readonly subresource?: string; readonly uid?: string | undefined } = {},
  ): Promise<UpdateOutcome> {
    return this.#write(context, namespace, name, make, parameters, { uid: parameters.uid });
  }

  #write(
    context: RequestContext,
    namespace: string,
    name: string,
    make: (old: StoredObject | undefined) => ApiObject | Promise<ApiObject>,
    parameters: WriteParameters & { readonly subresource?: string },
    options: Pick<UpdateOptions, 'conflictEnds' | 'uid' | 'createMissing'> & { readonly owned?: boolean },
  ): Promise<UpdateOutcome> {
    const subresource = parameters.subresource ?? '';
    const definition = this.#subresource(subresource);
    let attributes: AdmissionAttributes | undefined;
    const { owned, ...updateOptions } = options;
    const done = this.store.update(
      context,
      namespace,
      name,
      async (old) => {
        const object = await make(old);
        if (old === undefined) await parameters.authorizeCreate?.();
        matchNamespace(object, this.store.info.namespaced ? namespace : '');
        attributes = this.#attributes(
          old === undefined ? 'CREATE' : 'UPDATE',
          context,
          namespace,
          name,
          object,
          old,
          parameters,
          subresource,
        );
        const pending = this.#admission.mutate(attributes);
        if (pending !== undefined) await pending;
        if (owned !== true) this.#own(context, old, object, parameters, subresource);
        return object;
      },
      {
        ...updateOptions,
        dryRun: parameters.dryRun,
        subresource: definition?.strategy,
        admit: () => (attributes === undefined ? undefined : this.#admission.validate(attributes)),
      },
    );
    const refused = done.catch((error: unknown) => {
      throw refusalOf(this.store.info, attributes?.object, error);
    });
    const observe = this.#observe;
    if (observe === undefined || parameters.dryRun === true) return refused;
    return refused.then((outcome) => {
      // What was written is what admission saw last.
      if (attributes?.oldObject !== undefined) observe(attributes.object as StoredObject, attributes.oldObject);
      return outcome;
    });
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
    parameters: WriteParameters & { readonly subresource?: string } = {},
  ): Promise<UpdateOutcome> {
    const change = (old: StoredObject | undefined): ApiObject => {
      if (old === undefined) throw errors.notFound(this.store.info, name);
      return make(old);
    };
    return this.#write(context, namespace, name, change, parameters, { conflictEnds: false });
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
      readonly subresource?: string;
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
    return this.#write(context, namespace, name, merge, parameters, {
      conflictEnds: false,
      createMissing: true,
      owned: true,
    });
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
      admit: (old) => this.#admitDelete(context, namespace, name, old, options),
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
      admit: (old) => this.#admitDelete(context, old.metadata.namespace ?? '', old.metadata.name ?? '', old, options),
    });
  }

  /** The subresource of a name that writes a part of its object; undefined for the main resource. */
  #subresource(name: string): PartSubresource | undefined {
    if (name === '') return undefined;
    const definition = this.store.info.subresources.get(name);
    if (definition === undefined) throw errors.resourceNotFound();
    if (!('strategy' in definition)) throw errors.methodNotAllowed();
    return definition;
  }

  async #admitDelete(
    context: RequestContext,
    namespace: string,
    name: string,
    old: StoredObject,
    options: DeleteOptions,
  ): Promise<void> {
    const parameters = options.dryRun === undefined ? {} : { dryRun: options.dryRun };
    const attributes = {
      ...this.#attributes('DELETE', context, namespace, name, undefined, old, parameters),
      deleteOptions: options,
    };
    await this.#admission.mutate(attributes);
    await this.#admission.validate(attributes);
  }

  #attributes(
    operation: AdmissionOperation,
    context: RequestContext,
    namespace: string,
    name: string,
    object: ApiObject | undefined,
    oldObject: StoredObject | undefined,
    parameters: WriteParameters,
    subresource = '',
    requestName = name,
  ): AdmissionAttributes {
    const { info } = this.store;
    const space = info.namespaced ? namespace : '';
    return {
      operation,
      info,
      subresource,
      namespace: space,
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
  #own(
    context: RequestContext,
    old: StoredObject | undefined,
    object: ApiObject,
    parameters: WriteParameters,
    subresource: string,
  ): void {
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

/** Refuses to create an object that is said to be there already. @throws ApiError 409 */
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
