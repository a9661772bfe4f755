import { ApiError, cloneJson, errors, formatTime, type StoredObject } from '../../foundation/index.js';
import { isPodReady, withPodCondition, type policyV1, type StoredKind, type StoredPod } from '../../kinds/index.js';
import type { DeleteOptions, Perform, PerformRequest, ResourceStore } from '../../registry/index.js';
import { checkedDeleteOptions } from '../endpoints/options.js';
import { Budgets, mustNotCount, permitDisruption } from './disruption-budgets.js';
import { SUCCESS, uncheckedPodUpdate } from './pod-operation.js';

type StoredEviction = StoredKind<policyV1.Eviction>;

/** Attempts after conflicts with other writes, as in Kubernetes. */
const ATTEMPTS = 20;
/** Seconds that a client waits before it tries again. */
const RETRY_AFTER_SECONDS = 10;

const EVICTED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
};

const hasEnded = ({ status }: StoredPod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
const isBeingDeleted = ({ metadata }: StoredPod): boolean => metadata.deletionTimestamp !== undefined;

/** Returns whether a pod provides no service, so that its eviction disrupts nothing. */
const ignoresBudgets = (pod: StoredPod): boolean =>
  hasEnded(pod) || isBeingDeleted(pod) || pod.status?.phase === 'Pending';

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.reason === 'Conflict';

/** The objects that an eviction reads and writes. */
interface EvictionStores {
  readonly pods: ResourceStore;
  readonly budgets: Budgets;
}

/** One eviction. */
class Evicting {
  readonly #pods: ResourceStore;
  readonly #budgets: Budgets;
  readonly #request: PerformRequest;
  readonly #name: string;
  readonly #options: DeleteOptions;

  constructor({ pods, budgets }: EvictionStores, request: PerformRequest, options: DeleteOptions) {
    this.#pods = pods;
    this.#budgets = budgets;
    this.#request = request;
    this.#name = request.name;
    this.#options = options;
  }

  get #isBound(): boolean {
    return this.#options.preconditions?.resourceVersion !== undefined;
  }

  async run(): Promise<void> {
    const pod = await this.#deleteUnprotected();
    if (pod === undefined) return;
    const [budget, ...others] = await this.#budgets.of(this.#request, pod);
    if (budget === undefined) return this.#remove(this.#options);
    if (others.length > 0) {
      throw new ApiError({
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        code: 500,
      });
    }
    if (!isPodReady(pod) && mustNotCount(budget)) return this.#removeUnready(pod, budget.metadata.name ?? '');
    await permitDisruption(this.#request, budget, { pod: this.#name, dryRun: this.#options.dryRun === true }, ATTEMPTS);
    await this.#remove(this.#options);
  }

  /** Deletes a pod that no budget protects. Returns the pod when budgets count, undefined when it was deleted. */
  async #deleteUnprotected(): Promise<StoredPod | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const pod = await this.#current();
      if (!ignoresBudgets(pod)) return pod;
      // A pending pod may become ready meanwhile, and budgets would count for it.
      const mayChange = !hasEnded(pod) && !isBeingDeleted(pod);
      try {
        await this.#remove(mayChange && !this.#isBound ? this.#boundTo(pod) : this.#options);
        return undefined;
      } catch (error) {
        if (!isConflict(error) || this.#isBound || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Deletes a pod that is not ready. It must not become ready meanwhile. */
  async #removeUnready(pod: StoredPod, budget: string): Promise<void> {
    try {
      await this.#remove(this.#boundTo(pod));
    } catch (error) {
      if (isConflict(error) && !this.#isBound) throw beingProcessed(budget);
      throw error;
    }
  }

  #boundTo({ metadata }: StoredPod): DeleteOptions {
    const { resourceVersion } = metadata;
    return { ...this.#options, preconditions: { ...this.#options.preconditions, resourceVersion } };
  }

  async #current(): Promise<StoredPod> {
    const { namespace, context } = this.#request;
    return this.#pods.read(await this.#pods.get(namespace, this.#name, '', context.signal));
  }

  /** Marks the pod as evicted and deletes it. */
  async #remove(options: DeleteOptions): Promise<void> {
    const { context, namespace } = this.#request;
    if (options.dryRun === true) {
      await this.#pods.delete(context, namespace, this.#name, options);
      return;
    }
    const marked = await this.#mark(options);
    const bound =
      options.preconditions?.resourceVersion === undefined
        ? options
        : {
            ...options,
            preconditions: { ...options.preconditions, resourceVersion: marked.metadata.resourceVersion },
          };
    await this.#pods.delete(context, namespace, this.#name, bound);
  }

  async #mark({ preconditions = {} }: DeleteOptions): Promise<StoredObject> {
    const { context, namespace } = this.#request;
    const { record } = await this.#pods.update(
      context,
      namespace,
      this.#name,
      (current) => {
        if (current === undefined) throw errors.notFound(this.#pods.info, this.#name);
        checkPreconditions(current, preconditions);
        const pod = cloneJson(current) as StoredPod;
        pod.status = withPodCondition(pod.status ?? {}, EVICTED, formatTime(context.clock.now()));
        delete pod.metadata.resourceVersion;
        return pod;
      },
      { subresource: uncheckedPodUpdate },
    );
    return this.#pods.read(record);
  }
}

/** Refuses a pod that is not the one that the options name. @throws ApiError 409 */
function checkPreconditions(
  { metadata }: StoredObject,
  { uid, resourceVersion }: NonNullable<DeleteOptions['preconditions']>,
): void {
  const { name = '', uid: found = '', resourceVersion: version = '' } = metadata;
  const fail = (why: string): ApiError => errors.conflict({ group: '', resource: 'Pod' }, name, why);
  if (uid && uid !== found) {
    throw fail(
      `the UID in the precondition (${uid}) does not match the UID in record (${found}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion && resourceVersion !== version) {
    throw fail(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`,
    );
  }
}

/** Returns the refusal of an eviction that the budget cannot decide yet. */
function beingProcessed(budget: string): ApiError {
  return errors.disruptionRefused(
    `The disruption budget ${budget} is still being processed by the server.`,
    RETRY_AFTER_SECONDS,
  );
}

/**
 * Creates the operation of Eviction: deletes a pod, unless its disruption budget forbids that. It answers with a
 * Status.
 *
 * @param pods returns the store of pods; called for each request
 * @param budgets returns the store of disruption budgets; called for each request
 * @param metaGroup group of DeleteOptions, for its errors
 */
export function evictionPerformer(pods: () => ResourceStore, budgets: () => ResourceStore, metaGroup: string): Perform {
  const protecting = new Budgets(budgets);
  return async (object, request) => {
    const { deleteOptions = {}, metadata } = object as StoredEviction;
    if ((metadata.name ?? '') !== request.name)
      throw errors.badRequest('name in URL does not match name in Eviction object');
    const options = checkedDeleteOptions(deleteOptions, metaGroup);
    await request.admit();
    const dryRun = request.dryRun || options.dryRun === true;
    await new Evicting({ pods: pods(), budgets: protecting }, request, { ...options, dryRun }).run();
    return SUCCESS;
  };
}
