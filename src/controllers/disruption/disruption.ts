import { goQuote, inSlices, messageOf, SharedWork, shownText, type Steps, type Work } from '../../foundation/index.js';
import { Pod, PodDisruptionBudget } from '../../kinds/index.js';
import type { RecordingHost } from '../runtime/controller-host.js';
import { joined, type Controller } from '../runtime/controller.js';
import type { EventSink } from '../runtime/event-recorder.js';
import { isNotFound, retryingConflicts } from '../runtime/failures.js';
import { byNamespace } from '../runtime/informer-cache.js';
import type { Run } from '../runtime/keyed-runner.js';
import { reconciler } from '../runtime/reconciler.js';
import { selectorWords } from '../runtime/selector-words.js';
import type { ServedKinds } from '../runtime/served-kinds.js';
import { watchedInSlices } from '../runtime/sliced-watch.js';
import type { WorkResult } from '../runtime/work-queue.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import { sameStatus } from '../workloads/shared/same-status.js';
import { scaledValue } from '../workloads/shared/scaled-value.js';
import { BudgetPods, BY_NAMESPACE } from './budget-pods.js';
import { countPods, failedStatus, statusOf, type BudgetCounts } from './budget-status.js';
import { OwnerScales } from './owner-scales.js';
import { staleTargets } from './stale-targets.js';
import type { Budget, BudgetStatus } from './types.js';

/** Options of {@link disruptionController}. */
export interface DisruptionOptions extends RecordingHost {
  readonly kinds: ServedKinds;
}

const UNMANAGED =
  'were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';

/** Keeps the status of disruption budgets: how many of their pods are healthy, and how many may be disrupted. */
export function disruptionController(options: DisruptionOptions): Controller {
  const { informers } = options;
  const pods = informers.of(Pod);
  pods.addIndex(BY_NAMESPACE, byNamespace);
  const members = new BudgetPods(pods);
  const budgets = new Budgets(options, members);
  const controller = reconciler(options, {
    name: 'disruption',
    queue: 'disruption',
    kind: PodDisruptionBudget,
    watches: [watchedInSlices(Pod, podChanged)],
    reconcile: (budget, run) => budgets.reconcile(budget, run),
    gone: (key) => members.delete(key),
  });
  return joined('disruption', controller, staleTargets(options));

  function* podChanged(pod: PodObject | undefined, old: PodObject | undefined, work: Work): Steps<Iterable<string>> {
    const changed = pod ?? old;
    if (changed === undefined) return [];
    const { before, now } = yield* members.update(changed, old, work);
    if (pod !== undefined && now.size > 1) budgets.reportSeveral(pod, [...now]);
    return new Set([...now, ...before]);
  }
}

class Budgets {
  readonly #host: DisruptionOptions;
  readonly #members: BudgetPods;
  readonly #scales: OwnerScales;
  readonly #events: EventSink;

  constructor(host: DisruptionOptions, members: BudgetPods) {
    this.#host = host;
    this.#members = members;
    this.#scales = new OwnerScales(host.kinds);
    this.#events = host.recorder.of('controllermanager');
  }

  /** Reports that several budgets match a pod. */
  reportSeveral(pod: PodObject, [key = '']: readonly string[]): void {
    const { namespace = '', name = '' } = pod.metadata;
    const chosen = goQuote(this.#host.informers.of(PodDisruptionBudget).get(key)?.metadata.name ?? '');
    this.#events.event(
      pod,
      'Warning',
      'MultiplePodDisruptionBudgets',
      `Pod ${goQuote(namespace)}/${goQuote(name)} matches multiple PodDisruptionBudgets.  Chose ${chosen} arbitrarily.`,
    );
  }

  async reconcile(budget: Budget, run: Run): Promise<WorkResult> {
    try {
      return await retryingConflicts(this.#synchronize(budget, run), isNotFound);
    } catch (error) {
      // Nothing may be disrupted while the budget is not known.
      await this.#write(budget, failedStatus(budget, shownText(messageOf(error)), this.#host.clock.now()));
    }
  }

  async #synchronize(budget: Budget, { requeueAfter }: Run): Promise<void> {
    const work = new SharedWork();
    await inSlices(work, this.#members.set(budget, work));
    const own = this.#members.of(budget);
    if (own.length === 0) this.#events.event(budget, 'Normal', 'NoPods', 'No matching pods found');
    const expected = await this.#expectedCounts(budget, own);
    const now = this.#host.clock.now();
    const { currentHealthy, ...disruptions } = await inSlices(work, countPods(budget, own, now, work));
    this.#reportExpired(budget, disruptions.expired);
    await this.#write(budget, statusOf(budget, { currentHealthy, ...expected }, disruptions, now));
    // One millisecond later the disruption has expired.
    requeueAfter(disruptions.nextExpiryMs - now + 1);
  }

  async #expectedCounts(budget: Budget, own: readonly PodObject[]): Promise<Omit<BudgetCounts, 'currentHealthy'>> {
    const { minAvailable, maxUnavailable } = budget.spec ?? {};
    if (maxUnavailable !== undefined) {
      const expectedPods = await this.#expectedScale(budget, own);
      return {
        expectedPods,
        desiredHealthy: Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, 'up')),
      };
    }
    if (typeof minAvailable === 'number') return { expectedPods: own.length, desiredHealthy: minAvailable };
    if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
    const expectedPods = await this.#expectedScale(budget, own);
    return { expectedPods, desiredHealthy: scaledValue(minAvailable, expectedPods, 'up') };
  }

  async #expectedScale(budget: Budget, own: readonly PodObject[]): Promise<number> {
    try {
      const { count, unmanaged } = await this.#scales.expectedPods(own);
      if (unmanaged.length > 0)
        this.#events.event(
          budget,
          'Warning',
          'UnmanagedPods',
          `Pods selected by this PodDisruptionBudget (selector: ${selectorWords(budget.spec?.selector)}) ${UNMANAGED}`,
        );
      return count;
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
      this.#events.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
      throw error;
    }
  }

  #reportExpired({ metadata: { namespace = '' } }: Budget, expired: readonly PodObject[]): void {
    // The name is that of the namespace in Kubernetes too.
    const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
    for (const pod of expired) this.#events.event(pod, 'Warning', 'NotDeleted', message);
  }

  async #write(budget: Budget, status: BudgetStatus): Promise<void> {
    if (sameStatus(budget.status, status)) return;
    await this.#host.client
      .resource(PodDisruptionBudget)
      .namespace(budget.metadata.namespace ?? '')
      .updateStatus({ ...budget, status });
  }
}
