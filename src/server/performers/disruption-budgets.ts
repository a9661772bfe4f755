/**
 * Disruption budgets as evictions use them: the budget of a pod, and the permission that it gives.
 *
 * @module
 */
import {
  ApiError,
  errors,
  formatTime,
  inSlices,
  resultOf,
  workOf,
  type MaybeSteps,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import { PodDisruptionBudget, type StoredPod } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { PerformRequest, ResourceStore } from '../../registry/index.js';
import { BudgetIndex, budgetOf, type Budget } from './budget-index.js';

type Status = NonNullable<Budget['status']>;

/** Maximum number of evicted pods that the controller of budgets has not seen yet. */
const MAX_DISRUPTED_PODS = 2000;
const RETRY_AFTER_SECONDS = 10;
const DISRUPTION_ALLOWED = 'DisruptionAllowed';
const NO_STATUS: Status = Object.freeze({
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
});

/** The kind as its errors name it: the singular, as in Kubernetes. */
const RESOURCE = { group: 'policy', resource: 'poddisruptionbudget' };

/** Returns whether the labels of a pod match the selector of a budget. An invalid selector matches nothing. */
function* selects({ spec }: Budget, { metadata }: StoredPod, work: Work): Steps<boolean> {
  try {
    const selector = yield* LabelSelector.fromObjectSteps(spec?.selector, work);
    work.spend(selector.requirements.length);
    return selector.matches(metadata.labels);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Units of work to look at a budget. */
const BUDGET_UNITS = 20;

/** The budgets of a server. */
export class Budgets {
  readonly #store: () => ResourceStore;
  #index: { readonly store: ResourceStore; readonly of: BudgetIndex } | undefined;

  /** @param store returns the store of budgets; called for each pod */
  constructor(store: () => ResourceStore) {
    this.#store = store;
  }

  /** Returns the budgets that protect a pod. */
  async of({ client, namespace, context }: PerformRequest, pod: StoredPod): Promise<Budget[]> {
    const work = workOf(context);
    const store = this.#store();
    const records = await this.#indexOf(store).find(namespace, pod.metadata.labels);
    if (records !== undefined) {
      const candidates = records.map((record) => store.readSteps(work, record));
      return inSlices(work, selecting(candidates, pod, work));
    }
    const { items } = await client.resource(PodDisruptionBudget).namespace(namespace).list();
    return inSlices(work, selecting(items, pod, work));
  }

  #indexOf(store: ResourceStore): BudgetIndex {
    if (this.#index?.store !== store) {
      this.#index?.of.close();
      this.#index = { store, of: new BudgetIndex(store) };
    }
    return this.#index.of;
  }
}

function* selecting(candidates: Iterable<MaybeSteps<StoredObject>>, pod: StoredPod, work: Work): Steps<Budget[]> {
  const found: Budget[] = [];
  for (const candidate of candidates) {
    if (work.spend(BUDGET_UNITS)) yield;
    const budget = budgetOf(yield* resultOf(candidate));
    if (yield* selects(budget, pod, work)) found.push(budget);
  }
  return found;
}

/** Returns whether a pod that is not ready may be evicted without counting as a disruption. */
export function mustNotCount({ spec, status = NO_STATUS }: Budget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

/** Throws when the budget forbids a disruption. @throws ApiError 429, 403 */
function checkAllowed({ metadata, status = NO_STATUS }: Budget): void {
  const { name = '', generation = 0 } = metadata;
  if ((status.observedGeneration ?? 0) < generation) {
    throw errors.disruptionRefused(
      `The disruption budget ${name} is still being processed by the server.`,
      RETRY_AFTER_SECONDS,
    );
  }
  if (status.disruptionsAllowed < 0) throw errors.forbidden(RESOURCE, name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS) {
    throw errors.forbidden(
      RESOURCE,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (status.disruptionsAllowed > 0) return;
  const condition = status.conditions?.find(({ type }) => type === DISRUPTION_ALLOWED);
  throw errors.disruptionRefused(
    condition?.reason === 'SyncFailed'
      ? `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`
      : `The disruption budget ${name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`,
    0,
  );
}

/** Returns the status after a disruption. */
function disrupted({ metadata, status = NO_STATUS }: Budget, pod: string, now: string): Status {
  const { generation, name: _name } = metadata;
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  const disruptedPods = { ...status.disruptedPods, [pod]: now };
  if (disruptionsAllowed > 0) return { ...status, disruptionsAllowed, disruptedPods };
  const old = status.conditions?.find(({ type }) => type === DISRUPTION_ALLOWED);
  const condition = {
    type: DISRUPTION_ALLOWED,
    status: 'False',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: old?.status === 'False' ? old.lastTransitionTime : now,
    reason: 'InsufficientPods',
    message: '',
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== DISRUPTION_ALLOWED);
  return { ...status, disruptionsAllowed, disruptedPods, conditions: [...others, condition] };
}

/**
 * Takes one disruption from a budget, or refuses. The controller of budgets sees from the status which pod is about to
 * be deleted.
 *
 * @param attempts number of attempts after conflicts with other writes
 * @throws ApiError 429 when the budget forbids it, 403 for a broken budget, 504 after too many conflicts
 */
export async function permitDisruption(
  { client, context, namespace }: PerformRequest,
  budget: Budget,
  eviction: { readonly pod: string; readonly dryRun: boolean },
  attempts: number,
): Promise<void> {
  const name = budget.metadata.name ?? '';
  const budgets = client.resource(PodDisruptionBudget).namespace(namespace);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const current = attempt === 1 ? budget : await budgets.get(name);
    checkAllowed(current);
    if (eviction.dryRun) return;
    const status = disrupted(current, eviction.pod, formatTime(context.clock.now()));
    try {
      await budgets.updateStatus({ ...current, status });
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'Conflict') throw error;
    }
  }
  throw errors.timeout(`couldn't update PodDisruptionBudget ${JSON.stringify(name)} due to conflicts`);
}
