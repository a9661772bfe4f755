import type { AdmissionChain } from '../../admission/index.js';
import {
  errors,
  messageOf,
  type ApiObject,
  type ManagedFieldsEntry,
  type StoredObject,
} from '../../foundation/index.js';
import { decodeManagedFields, managerFromUserAgent } from '../../machinery/index.js';
import type {
  AdmissionAttributes,
  AdmissionOperation,
  Begun,
  DeleteOptions,
  FinishWrite,
  RequestContext,
  ResourceStore,
  SubresourceStrategy,
  UpdateOptions,
} from '../../registry/index.js';
import type { FieldOwnership } from './field-ownership.js';
import { deleteOptionsObject, writeOptionsObject } from './operation-options.js';

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

/** The kind that is written. */
export interface WrittenKind {
  readonly store: ResourceStore;
  readonly admission: AdmissionChain;
  readonly fieldOwnership: FieldOwnership;
}

/** The object that a write concerns. */
export interface WriteTarget {
  readonly context: RequestContext;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty until the name is generated. */
  readonly name: string;
  /** The name in the path of the request; empty for a POST. */
  readonly requestName: string;
  readonly parameters: WriteParameters;
}

/** The options that only updates have. */
export interface UpdateChoices extends Pick<UpdateOptions, 'failOnConflict' | 'uid' | 'createMissing'> {
  /** Whether the new object already contains its managed fields. */
  readonly owned?: boolean | undefined;
}

const NO_CHOICES: UpdateChoices = {};

/**
 * One write: the options that the registry takes for it, and the steps that the registry calls back, which are field
 * ownership and admission.
 */
export class Write implements WriteTarget, UpdateOptions {
  readonly context: RequestContext;
  readonly namespace: string;
  readonly name: string;
  readonly requestName: string;
  readonly parameters: WriteParameters;
  readonly dryRun: boolean | undefined;
  readonly failOnConflict: boolean | undefined;
  readonly uid: string | undefined;
  readonly createMissing: boolean | undefined;
  readonly subresource: SubresourceStrategy | undefined;
  readonly #kind: WrittenKind;
  readonly #owned: boolean;
  /** The attributes that mutating admission saw last. */
  #mutated: AdmissionAttributes | undefined;

  /** @param subresource the part of the object that is written; undefined for the main resource */
  constructor(kind: WrittenKind, target: WriteTarget, choices = NO_CHOICES, subresource?: SubresourceStrategy) {
    this.#kind = kind;
    this.context = target.context;
    this.namespace = target.namespace;
    this.name = target.name;
    this.requestName = target.requestName;
    this.parameters = target.parameters;
    this.dryRun = target.parameters.dryRun;
    this.failOnConflict = choices.failOnConflict;
    this.uid = choices.uid;
    this.createMissing = choices.createMissing;
    this.subresource = subresource;
    this.#owned = choices.owned === true;
  }

  /** Records the field ownership, and runs mutating admission. */
  mutate(object: ApiObject, old: StoredObject | undefined): void | Promise<void> {
    const authorized = old === undefined ? this.parameters.authorizeCreate?.() : undefined;
    return authorized === undefined ? this.#change(object, old) : authorized.then(() => this.#change(object, old));
  }

  #change(object: ApiObject, old: StoredObject | undefined): void | Promise<void> {
    matchNamespace(object, this.namespace);
    // As in Kubernetes, what admission changes belongs to no manager: its owner would be the client, who did not send it.
    const owning = this.#owned ? undefined : this.recordOwnership(object, old);
    return owning === undefined ? this.#runMutation(object, old) : owning.then(() => this.#runMutation(object, old));
  }

  #runMutation(object: ApiObject, old: StoredObject | undefined): void | Promise<void> {
    const { managedFields } = object.metadata;
    this.#mutated = this.attributes(operationOf(old), object, old);
    const pending = this.#kind.admission.mutate(this.#mutated);
    // A webhook may have replaced any field.
    return pending?.then(() => {
      matchNamespace(object, this.namespace);
      keepValidManagers(object, managedFields, this.context);
    });
  }

  /** Runs validating admission. Returns the function that tells plugins how the write has ended, if one waits for it. */
  admit(object: StoredObject, old: StoredObject | undefined): Begun | Promise<Begun> {
    const waiting: FinishWrite[] = [];
    const onFinish = (one: FinishWrite): void => void waiting.push(one);
    const refused = async (error: unknown): Promise<never> => {
      await finishingAll(waiting)?.('refused');
      throw error;
    };
    try {
      const pending = this.#kind.admission.validate({ ...this.#attributesOf(object, old), onFinish });
      return pending === undefined ? finishingAll(waiting) : pending.then(() => finishingAll(waiting), refused);
    } catch (error) {
      return refused(error);
    }
  }

  /** Returns the attributes that mutating admission saw, if it saw these objects. */
  #attributesOf(object: StoredObject, old: StoredObject | undefined): AdmissionAttributes {
    const known = this.#mutated;
    if (known !== undefined && known.object === object && known.oldObject === old) return known;
    return this.attributes(operationOf(old), object, old);
  }

  /**
   * Returns what admission learns about the write.
   *
   * @param info kind in the path of the request; default the kind that is written
   */
  attributes(
    operation: AdmissionOperation,
    object: ApiObject | undefined,
    oldObject: StoredObject | undefined,
    info = this.#kind.store.info,
    deleteOptions?: DeleteOptions,
  ): AdmissionAttributes {
    const { context, parameters } = this;
    return {
      operation,
      info,
      subresource: parameters.subresource ?? '',
      namespace: this.namespace,
      name: this.name,
      requestName: this.requestName,
      object,
      oldObject,
      options: () =>
        deleteOptions === undefined
          ? writeOptionsObject(operation, parameters, context)
          : deleteOptionsObject(deleteOptions, context),
      user: context.user,
      dryRun: parameters.dryRun === true,
      context,
      deleteOptions,
      // Validation copies the attributes: see "Shapes" in docs/architecture.md.
      onFinish: undefined,
    };
  }

  /** Records the field ownership of the request's manager in the object. */
  recordOwnership(object: ApiObject, old: StoredObject | undefined): void | Promise<void> {
    const { context, parameters } = this;
    const write = {
      live: old,
      object,
      manager: parameters.fieldManager ?? managerFromUserAgent(context.userAgent),
      now: context.clock.now(),
      subresource: parameters.subresource,
    };
    const entries = this.#kind.fieldOwnership.update(write, context.work);
    if (!(entries instanceof Promise)) return setManagedFields(object, entries);
    return entries.then((known) => setManagedFields(object, known));
  }
}

const operationOf = (old: StoredObject | undefined): AdmissionOperation => (old === undefined ? 'CREATE' : 'UPDATE');

/** Returns a function that calls those that wait for the end of a write, each once; undefined when there are none. */
function finishingAll(waiting: FinishWrite[]): FinishWrite | undefined {
  if (waiting.length === 0) return undefined;
  return async (outcome) => {
    for (const one of waiting.splice(0)) await one(outcome);
  };
}

/**
 * Sets the namespace of an object to that of the request.
 *
 * @throws ApiError 400 when the object names another namespace
 */
export function matchNamespace(object: ApiObject, namespace: string): void {
  const named = object.metadata.namespace ?? '';
  if (namespace === '') {
    if (object.metadata.namespace !== undefined) delete object.metadata.namespace;
  } else if (named === '') object.metadata.namespace = namespace;
  else if (named !== namespace)
    throw errors.badRequest('the namespace of the provided object does not match the namespace sent on the request');
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
