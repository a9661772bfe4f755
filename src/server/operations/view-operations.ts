import { AdmissionChain } from '../../admission/index.js';
import {
  atOnce,
  cloneJson,
  errors,
  isJsonObject,
  isSteps,
  runSteps,
  SharedWork,
  workOf,
  type ApiObject,
  type JsonObject,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import {
  ResourceStore,
  transientRecord,
  type RequestContext,
  type ServedView,
  type StoreEnvironment,
  type UpdateOutcome,
  type UpdateTransform,
  type WhileWaiting,
} from '../../registry/index.js';
import type { Revision, StorageRecord } from '../../storage/index.js';
import { ResourceOperations, type ApplyChoices } from './resource-operations.js';
import type { WriteParameters } from './write.js';

/** The parts that {@link ViewOperations} needs. */
export interface ViewParts {
  /** Returns the operations of the kind that the subresource belongs to. */
  readonly parent: () => ResourceOperations;
  /** Name of the subresource. */
  readonly subresource: string;
  readonly served: ServedView;
  readonly environment: StoreEnvironment;
}

/** Revision of a view, which is never stored. */
const NOT_STORED = 0;

/** Views of the stored objects of another kind. */
class ViewStore extends ResourceStore {
  readonly #parts: Pick<ViewParts, 'served' | 'environment'>;
  /** Returns the store of the kind that the subresource belongs to. */
  readonly #parent: () => ResourceStore;
  /** The work of reads, which is not that of their requests. */
  readonly #reads = new SharedWork();

  constructor(parts: Pick<ViewParts, 'served' | 'environment'>, parent: () => ResourceStore) {
    super(parts.served.responseKind, parts.environment);
    this.#parts = parts;
    this.#parent = parent;
  }

  override at(revision: Revision): ResourceStore {
    return new ViewStore(this.#parts, () => this.#parent().at(revision));
  }

  override async get(
    namespace: string,
    name: string,
    resourceVersion = '',
    signal?: AbortSignal,
    whileWaiting?: WhileWaiting,
  ): Promise<StorageRecord> {
    const store = this.#parent();
    const record = await store.get(namespace, name, resourceVersion, signal, whileWaiting);
    return transientRecord('', await this.viewOf(store.read(record), false, this.#reads), NOT_STORED);
  }

  /** Returns the view of an object, as an object of the view's kind. */
  async viewOf(object: StoredObject, forWrite: boolean, work: Work): Promise<StoredObject> {
    const { kind, apiVersion } = this.info;
    const { view } = this.#parts.served;
    const shown = view.showSteps?.(object, forWrite, work) ?? view.show(object, forWrite);
    // A view is plain data.
    return { kind, apiVersion, ...(isSteps(shown) ? await runSteps(work, shown) : shown) };
  }
}

/** The verbs of a view subresource, such as `scale`: reads and writes parts of an object as an object of another kind. */
export class ViewOperations extends ResourceOperations {
  readonly #parts: ViewParts;
  readonly #views: ViewStore;

  constructor(parts: ViewParts) {
    const views = new ViewStore(parts, () => parts.parent().store);
    super(views, { admission: new AdmissionChain([]) });
    this.#parts = parts;
    this.#views = views;
  }

  override async update(
    context: RequestContext,
    namespace: string,
    name: string,
    make: UpdateTransform,
    parameters: WriteParameters & { readonly uid?: string | undefined } = {},
  ): Promise<UpdateOutcome> {
    const { parent, subresource } = this.#parts;
    const change = async (old: StoredObject | undefined): Promise<ApiObject> => {
      if (old === undefined) throw errors.notFound(this.store.info, name);
      return this.#changed(old, await make(await this.#views.viewOf(old, true, workOf(context))), context);
    };
    return this.#outcome(
      context,
      await parent().update(context, namespace, name, change, { ...parameters, subresource }),
    );
  }

  override async patch(
    context: RequestContext,
    namespace: string,
    name: string,
    make: (old: StoredObject) => ApiObject | Promise<ApiObject>,
    parameters: WriteParameters = {},
  ): Promise<UpdateOutcome> {
    const { parent, subresource } = this.#parts;
    const change = async (old: StoredObject): Promise<ApiObject> =>
      this.#changed(old, await make(await this.#views.viewOf(old, true, workOf(context))), context);
    return this.#outcome(
      context,
      await parent().patch(context, namespace, name, change, { ...parameters, subresource }),
    );
  }

  /**
   * Applies the part of the parent that the intent describes.
   *
   * @throws ApiError as the verb `patch` does; 400 and 500 for an intent that is not one of the view's kind
   */
  override async apply(
    context: RequestContext,
    namespace: string,
    name: string,
    applied: JsonObject,
    parameters: ApplyChoices,
    merged?: () => void,
  ): Promise<UpdateOutcome> {
    const { parent, subresource, served } = this.#parts;
    await this.#checkIntent(context, applied, parameters);
    const { kind, apiVersion } = parent().store.info;
    const metadata = isJsonObject(applied['metadata']) ? applied['metadata'] : {};
    const intent = { apiVersion, kind, metadata: cloneJson(metadata) } as ApiObject;
    served.view.write(intent, applied as ApiObject);
    const choices = { ...parameters, subresource };
    return this.#outcome(
      context,
      await parent().apply(context, namespace, name, intent as JsonObject, choices, merged),
    );
  }

  /** Merges an intent into nothing, as the merge of the parent sees only the part that the view has. */
  async #checkIntent(context: RequestContext, applied: JsonObject, { fieldManager: manager, force }: ApplyChoices) {
    const now = context.clock.now();
    await this.fieldOwnership.apply({ live: undefined, applied, manager, force, now }, context.work);
  }

  /** Returns the object with a changed view. @throws ApiError 422 for an invalid view */
  #changed(old: StoredObject, view: ApiObject, context: RequestContext): ApiObject {
    // A view has few fields.
    const problems = atOnce(this.store.info.strategy?.validate?.(view, context) ?? []);
    if (problems.length > 0) throw errors.invalid(this.store.info, view.metadata.name ?? '', problems);
    const object = cloneJson(old) as JsonObject as ApiObject;
    object.metadata.resourceVersion = view.metadata.resourceVersion ?? '';
    this.#parts.served.view.write(object, view);
    return object;
  }

  async #outcome(context: RequestContext, { object, old }: UpdateOutcome): Promise<UpdateOutcome> {
    const work = workOf(context);
    const view = await this.#views.viewOf(object, false, work);
    return {
      record: transientRecord('', view, NOT_STORED),
      object: view,
      old: old === undefined ? undefined : await this.#views.viewOf(old, true, work),
    };
  }
}
