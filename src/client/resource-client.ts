import { ApiError, errors, type Status } from '../meta/api-error.js';
import { cloneJson, type JsonObject, type JsonValue } from '../meta/json.js';
import type { ApiObject, ObjectMeta } from '../meta/object.js';
import { shown } from '../meta/options.js';
import { report } from '../meta/report.js';
import type { RequestContext } from '../registry/context.js';
import type { DeleteOptions } from '../registry/delete.js';
import type { ListOptions } from '../registry/list-options.js';
import { listMeta } from '../registry/list.js';
import type { WatchNotice } from '../registry/watch.js';
import { checkFieldSelector } from '../registry/selectable-fields.js';
import { changeByApply, changeByPatch, type ChangeTarget } from '../server/patching.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../registry/definition.js';
import type { OperationSubresource, ResourceOperations } from '../server/resource-operations.js';
import { deleteAnswer } from '../server/delete-answer.js';
import { DecodeTypeError } from '../schema/index.js';
import { FieldSelector, LabelSelector } from '../selectors/index.js';
import type { StorageRecord } from '../storage/storage.js';
import { once } from '../resources/shared/once.js';
import type { ClientBackend } from './backend.js';
import { checkName, checkObject, checkParameters, nameWithin } from './check-call.js';
import {
  patchMediaTypes,
  type ApplyParameters,
  type PartialObject,
  type PatchBody,
  type PatchParameters,
} from './patch-parameters.js';
import type {
  DeleteParameters,
  GetParameters,
  ListParameters,
  ObjectList,
  ResolvedClientOptions,
  WatchEvent,
  WatchParameters,
  WriteParameters,
} from './client.js';
import { openInTime } from './open-in-time.js';

/** Loaded with the first patch. */
const patches = once(() => import('../patch/index.js'));

type Placed = { metadata?: { namespace?: string } };

/** The verbs of one kind, in one namespace or over all. */
export class ResourceClient<Item, Input> {
  readonly #backend: ClientBackend;
  readonly #operations: ResourceOperations;
  readonly #options: ResolvedClientOptions;
  readonly #namespace: string;

  constructor(
    backend: ClientBackend,
    operations: ResourceOperations,
    options: ResolvedClientOptions,
    namespace: string,
  ) {
    this.#backend = backend;
    this.#operations = operations;
    this.#options = options;
    this.#namespace = namespace;
  }

  /** The same verbs in a namespace. */
  namespace(name: string): ResourceClient<Item, Input> {
    if (typeof name !== 'string')
      throw new TypeError(`namespace: the first argument must be the name of a namespace, got ${shown(name)}`);
    return new ResourceClient(this.#backend, this.#operations, this.#options, name);
  }

  /**
   * One object.
   *
   * @throws ApiError 404
   */
  get(name: string, parameters?: GetParameters): Promise<Item> {
    const check = (): void => {
      checkName('get', name);
      checkParameters('get', parameters);
    };
    return this.#bounded(check, parameters, async () => {
      const pending = this.#begin('get', name, '', parameters?.signal);
      if (pending !== undefined) await pending;
      const record = await this.#operations.store.get(
        this.#namespace,
        name,
        parameters?.resourceVersion,
        parameters?.signal,
      );
      return this.#copy(record);
    });
  }

  /** A collection, or a page of it. */
  list(parameters: ListParameters = {}): Promise<ObjectList<Item>> {
    return this.#bounded(
      () => checkParameters('list', parameters),
      parameters,
      async () => {
        await this.#begin('list', selectedName(parameters), '', parameters.signal);
        const { store } = this.#operations;
        const page = await store.list(this.#namespace, this.#listOptions(parameters), parameters.signal);
        const metadata = listMeta(page);
        return {
          apiVersion: store.info.apiVersion,
          kind: store.info.listKind,
          metadata,
          items: page.records.map((record) => this.#copy(record)),
        };
      },
    );
  }

  /**
   * What happens from now on, or from a version. The iterator ends with its signal, its time, or the server; leaving the
   * loop ends it too.
   */
  async *watch(parameters: WatchParameters = {}): AsyncGenerator<WatchEvent<Item>, void, undefined> {
    checkParameters('watch', parameters);
    const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
      answer.catch((error: unknown) => answerTo(error, parameters.signal));
    const alive = parameters.keepAlive === false ? undefined : this.#backend.keepAlive();
    let notices: AsyncIterableIterator<WatchNotice> | undefined;
    try {
      alive?.hold();
      notices = await answered(openInTime(this.#backend, this.#openWatch(parameters)));
      for (let next = await answered(notices.next()); next.done !== true; next = await answered(notices.next())) {
        // Who works on an event does not wait for one.
        alive?.release();
        yield this.#event(next.value);
        alive?.hold();
      }
    } finally {
      alive?.end();
      await notices?.return?.();
    }
  }

  async #openWatch(parameters: WatchParameters): Promise<AsyncIterableIterator<WatchNotice>> {
    await this.#begin('watch', selectedName(parameters), '');
    const { allowWatchBookmarks, sendInitialEvents, timeoutSeconds, signal } = parameters;
    const options = {
      ...this.#listOptions(parameters),
      allowWatchBookmarks,
      sendInitialEvents,
      timeoutSeconds,
    };
    return this.#operations.store.watch(this.#namespace, options, signal);
  }

  /**
   * Stores a new object.
   *
   * @throws ApiError 409 when the name is taken, 422 when a rule is broken
   */
  create(object: Input, parameters: WriteParameters = {}): Promise<Item> {
    const check = (): void => {
      checkObject('create', object);
      checkParameters('create', parameters);
    };
    return this.#bounded(check, parameters, async () => {
      const namespace = this.#namespaceOf(object);
      const pending = this.#begin('create', '', '', parameters.signal, namespace);
      if (pending !== undefined) await pending;
      const context = this.#context(parameters);
      const own = readOwn(this.#operations, object, context, parameters);
      return this.#copy(await this.#operations.create(context, namespace, own, this.#writeParameters(parameters)));
    });
  }

  /**
   * Posts an operation to the subresource of an object that takes it: `accounts.perform('robot', TokenRequest, { spec: {} })`.
   *
   * @returns the operation with what came of it
   * @throws TypeError when no subresource of the kind takes it; ApiError as the operation answers
   */
  perform<Operation extends ResourceDefinition>(
    name: string,
    operation: Operation,
    object: Omit<InputOf<Operation>, 'metadata'> & { metadata?: ObjectMeta },
    parameters: WriteParameters = {},
  ): Promise<ObjectOf<Operation>> {
    const check = (): void => {
      checkName('perform', name);
      checkObject('perform', object);
      checkParameters('perform', parameters);
      this.#operationSubresource(operation);
    };
    return this.#bounded(check, parameters, async () => {
      const found = this.#operationSubresource(operation);
      const pending = this.#begin('create', name, found.subresource, parameters.signal);
      if (pending !== undefined) await pending;
      const context = this.#context(parameters);
      const own = readOwn(found.operations, object, context, parameters);
      const record = await found.operations.create(
        context,
        this.#namespace,
        own,
        this.#writeParameters(parameters),
        name,
      );
      return copyOf<ObjectOf<Operation>>(found.operations, record);
    });
  }

  /**
   * Replaces an object. With a resourceVersion in it the write is bound to that version.
   *
   * @throws ApiError 404, 409 when the version is not the present one, 422 when a rule is broken
   */
  update(object: Item | Input, parameters: WriteParameters = {}): Promise<Item> {
    return this.#update(object, '', parameters);
  }

  /** Replaces the status of an object. */
  updateStatus(object: Item | Input, parameters: WriteParameters = {}): Promise<Item> {
    return this.#update(object, 'status', parameters);
  }

  /** Replaces the part of an object that a subresource writes. */
  updateSubresource(subresource: string, object: Item | Input, parameters: WriteParameters = {}): Promise<Item> {
    return this.#update(object, subresource, parameters);
  }

  /**
   * Changes an object by a patch. Without a type a list of operations is a JSON Patch, and anything else a merge patch.
   *
   * @throws ApiError 404, 409, 422 as the verb `patch` answers
   */
  patch(name: string, patch: PatchBody<Input>, parameters: PatchParameters = {}): Promise<Item> {
    const check = (): void => {
      checkName('patch', name);
      if (typeof patch !== 'object' || patch === null)
        throw new TypeError(`patch: the patch must be an object, or a list of operations, got ${shown(patch)}`);
      checkParameters('patch', parameters);
    };
    return this.#bounded(check, parameters, async () => {
      const subresource = parameters.subresource ?? '';
      await this.#begin('patch', name, subresource, parameters.signal);
      const { patchTypeOf } = await patches();
      const type = patchTypeOf(patchMediaTypes[parameters.type ?? (Array.isArray(patch) ? 'json' : 'merge')]);
      if (type === undefined) throw new TypeError(`there is no patch type ${parameters.type}`);
      const document = { value: patch as JsonValue, duplicates: [], duplicateForm: 'path' } as const;
      const outcome = await changeByPatch(
        this.#operations,
        this.#context(parameters),
        this.#target(name, subresource, parameters),
        type,
        () => document,
      );
      return this.#copy(outcome.record);
    });
  }

  /**
   * Server-side apply: the object says what its manager wants of it, and nothing else; it is created when it is missing.
   *
   * @throws ApiError 409 with a cause for each field that another manager owns, unless `force` is set
   */
  apply(intent: PartialObject<Input>, parameters: ApplyParameters): Promise<Item> {
    const check = (): void => {
      nameWithin('apply', intent);
      checkParameters('apply', parameters);
      if (parameters?.fieldManager === undefined)
        throw new TypeError(
          "apply: the option fieldManager is required: who wants what the object says, as { fieldManager: 'my-controller' }",
        );
    };
    return this.#bounded(check, parameters, async () => {
      const name = nameWithin('apply', intent);
      const subresource = parameters.subresource ?? '';
      await this.#begin('patch', name, subresource, parameters.signal);
      const { apiVersion, kind } = this.#operations.store.info;
      const document = {
        value: { apiVersion, kind, ...(intent as JsonObject) },
        duplicates: [],
        duplicateForm: 'path',
      } as const;
      const target = {
        ...this.#target(name, subresource, parameters),
        fieldManager: parameters.fieldManager,
        force: parameters.force === true,
        ...this.#createToo(name, subresource),
      };
      const outcome = await changeByApply(this.#operations, this.#context(parameters), target, document);
      return this.#copy(outcome.record);
    });
  }

  /**
   * Deletes an object, or begins to.
   *
   * @returns the object while it ends, or as it was for kinds that answer so; else a Status
   * @throws ApiError 404, or 409 when a precondition does not hold
   */
  delete(name: string, parameters: DeleteParameters = {}): Promise<Item | Status> {
    const check = (): void => {
      checkName('delete', name);
      checkParameters('delete', parameters);
    };
    return this.#bounded(check, parameters, async () => {
      await this.#begin('delete', name, '', parameters.signal);
      const outcome = await this.#operations.delete(
        this.#context(parameters),
        this.#namespace,
        name,
        deleteOptions(parameters),
      );
      const status = deleteAnswer(this.#operations.store, outcome);
      return status ?? this.#copy(outcome.record);
    });
  }

  /** Deletes what a list would show; the objects as they were. */
  deleteCollection(parameters: ListParameters & DeleteParameters = {}): Promise<Item[]> {
    return this.#bounded(
      () => checkParameters('deleteCollection', parameters),
      parameters,
      async () => {
        await this.#begin('deletecollection', '', '', parameters.signal);
        const page = await this.#operations.deleteCollection(
          this.#context(parameters),
          this.#namespace,
          this.#listOptions(parameters),
          deleteOptions(parameters),
        );
        return page.records.map((record) => this.#copy(record));
      },
    );
  }

  #update(object: Item | Input, subresource: string, parameters: WriteParameters): Promise<Item> {
    const check = (): void => {
      nameWithin('update', object);
      checkParameters('update', parameters);
    };
    return this.#bounded(check, parameters, async () => {
      const name = nameWithin('update', object);
      const namespace = this.#namespaceOf(object);
      await this.#begin('update', name, subresource, parameters.signal, namespace);
      const context = this.#context(parameters);
      const own = readOwn(this.#operations, object, context, parameters);
      const outcome = await this.#operations.update(
        context,
        namespace,
        name,
        () => cloneJson(own as JsonObject) as typeof own,
        {
          ...this.#writeParameters(parameters),
          ...this.#createToo(name, subresource, namespace),
          subresource,
          uid: own.metadata.uid,
        },
      );
      return this.#copy(outcome.record);
    });
  }

  /** Checks a call, and runs it within the time that a request may take. What user code throws becomes an answer. */
  async #bounded<Answer>(
    check: () => void,
    parameters: GetParameters | undefined,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    check();
    return this.#backend.bounded(run().catch((error: unknown) => answerTo(error, parameters?.signal)));
  }

  /** The subresource that takes an operation. @throws TypeError when there is none */
  #operationSubresource(operation: ResourceDefinition): OperationSubresource {
    const found = this.#operations.operationSubresourceFor(operation);
    if (found !== undefined) return found;
    const what: unknown = operation;
    throw new TypeError(
      `${this.#operations.store.info.kind} has no subresource that takes ${typeof what === 'object' && what !== null && 'kind' in what ? `a ${String(what.kind)}` : shown(what)}`,
    );
  }

  /** What asks for `create` when a write finds nothing and makes it; the process itself is not asked. */
  #createToo(name: string, subresource: string, namespace?: string): { authorizeCreate?: () => Promise<void> } {
    return this.#options.user === undefined
      ? {}
      : { authorizeCreate: async () => this.#begin('create', name, subresource, undefined, namespace) };
  }

  /** The namespace that an object is written in: its own where the client is for all of them. */
  #namespaceOf(object: Item | Input): string {
    return this.#namespace === '' ? ((object as Placed).metadata?.namespace ?? '') : this.#namespace;
  }

  /**
   * Waits for the server and asks whether the user may; undefined when there is nothing to wait for.
   *
   * @throws the reason of a signal that has aborted already
   */
  #begin(
    verb: string,
    name: string,
    subresource: string,
    signal?: AbortSignal,
    namespace = this.#namespace,
  ): Promise<void> | undefined {
    signal?.throwIfAborted();
    const starting = this.#backend.started(this.#operations.store.info.definition)?.catch((error: unknown) => {
      throw new NotStarted(error);
    });
    const { user } = this.#options;
    if (user === undefined) return starting;
    const authorize = (): Promise<void> =>
      this.#backend.authorize({ user, verb, operations: this.#operations, namespace, name, subresource });
    return starting === undefined ? authorize() : starting.then(authorize);
  }

  #context(parameters: { readonly signal?: AbortSignal }): RequestContext {
    const { user, fieldManager, onWarning } = this.#options;
    return this.#backend.context(
      user ?? this.#backend.owner,
      fieldManager ?? 'in-process',
      (text) => report(() => onWarning?.(text)),
      parameters.signal,
    );
  }

  #target(name: string, subresource: string, parameters: WriteParameters): ChangeTarget {
    return {
      ...this.#writeParameters(parameters),
      namespace: this.#namespace,
      name,
      subresource,
      fieldValidation: parameters.fieldValidation ?? 'Warn',
    };
  }

  #writeParameters(parameters: WriteParameters): { dryRun?: boolean | undefined; fieldManager?: string | undefined } {
    return {
      dryRun: parameters.dryRun,
      fieldManager: parameters.fieldManager,
    };
  }

  #listOptions(parameters: ListParameters): ListOptions {
    const {
      labelSelector,
      fieldSelector,
      limit,
      continue: token,
      resourceVersion,
      resourceVersionMatch,
      onUnreadable,
    } = parameters;
    const fields = fieldSelector === undefined ? undefined : FieldSelector.parse(fieldSelector);
    if (fields !== undefined) checkFieldSelector(this.#operations.store.info, fields);
    return {
      labelSelector: labelSelector === undefined ? undefined : LabelSelector.parse(labelSelector),
      fieldSelector: fields,
      limit,
      continue: token,
      resourceVersion,
      resourceVersionMatch,
      onUnreadable,
    };
  }

  #copy(record: StorageRecord): Item {
    return copyOf<Item>(this.#operations, record);
  }

  #event(notice: WatchNotice): WatchEvent<Item> {
    if (notice.type === 'ERROR') return { type: 'ERROR', object: notice.status };
    const { info } = this.#operations.store;
    if (notice.type === 'BOOKMARK') {
      const annotations = notice.initialEventsEnd
        ? { annotations: { [this.#backend.dialect.initialEventsEndAnnotation]: 'true' } }
        : {};
      const object = {
        apiVersion: info.apiVersion,
        kind: info.kind,
        metadata: { resourceVersion: String(notice.revision), ...annotations },
      };
      return { type: 'BOOKMARK', object } as WatchEvent<Item>;
    }
    return new SharedWatchEvent(notice.type, () => {
      try {
        return this.#noticeObject(notice.record, notice.revision);
      } catch (error) {
        return answerTo(error, undefined);
      }
    });
  }

  #noticeObject(record: StorageRecord, revision: number): Item {
    const object = cloneJson(this.#operations.store.read(record));
    if (record.modRevision !== revision)
      (object['metadata'] as { resourceVersion?: string }).resourceVersion = String(revision);
    return object as Item;
  }
}

/** A server that could not start. */
class NotStarted {
  constructor(readonly reason: unknown) {}
}

/**
 * What a caller is told of a failure that is no answer, such as what a hook, a plugin or an authorizer has thrown: an answer,
 * with the failure as its cause. A signal's own reason, and why a server did not start, are told as they are.
 *
 * @throws always
 */
function answerTo(error: unknown, signal: AbortSignal | undefined): never {
  if (error instanceof NotStarted) throw error.reason;
  if (error instanceof ApiError || (signal?.aborted === true && error === signal.reason)) throw error;
  throw errors.unexpected(error);
}

/** An event whose object is copied when it is looked at: most watchers look at few. */
class SharedWatchEvent<Item> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly #make: () => Item;
  #object: Item | undefined;

  constructor(type: 'ADDED' | 'MODIFIED' | 'DELETED', make: () => Item) {
    this.type = type;
    this.#make = make;
  }

  /** The object; the caller's own. */
  get object(): Item {
    return (this.#object ??= this.#make());
  }
}

/** The caller's own copy of a record's object. Its type is the definition's, by which the object was read. */
function copyOf<Item>(operations: ResourceOperations, record: StorageRecord): Item {
  return cloneJson(operations.store.read(record)) as Item;
}

/** A caller's object as the server reads one. @throws ApiError 400 when a value has the wrong type, or a field is unknown and may not be */
function readOwn(
  operations: ResourceOperations,
  object: unknown,
  context: RequestContext,
  parameters: WriteParameters,
): ApiObject {
  const { info } = operations.store;
  try {
    const result = operations.read(object as JsonValue, context);
    reportUnknown(result.unknownFields, parameters.fieldValidation ?? 'Warn', context, info.kind, info.version);
    return result.object;
  } catch (error) {
    if (!(error instanceof DecodeTypeError)) throw error;
    throw errors.badRequest(
      `${info.kind} in version ${JSON.stringify(info.version)} cannot be handled as a ${info.kind}: ${error.message}`,
    );
  }
}

/** The one name that a list or watch is narrowed to, by which it is authorized; empty when it is not. */
function selectedName({ fieldSelector }: ListParameters): string {
  return fieldSelector === undefined ? '' : (FieldSelector.parse(fieldSelector).exact('metadata.name') ?? '');
}

function reportUnknown(
  paths: readonly string[],
  level: 'Ignore' | 'Warn' | 'Strict',
  context: RequestContext,
  kind: string,
  version: string,
): void {
  if (paths.length === 0 || level === 'Ignore') return;
  const texts = paths.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (level === 'Strict')
    throw errors.badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: strict decoding error: ${texts.join(', ')}`,
    );
  for (const text of texts) context.warn(text);
}

function deleteOptions(parameters: DeleteParameters): DeleteOptions {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = parameters;
  return {
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    dryRun,
  };
}

/** True for a Status, as {@link ResourceClient.delete} may return. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}
