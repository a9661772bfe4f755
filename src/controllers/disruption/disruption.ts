import { goQuote, messageOf } from '../../foundation/index.js';
import { Pod, PodDisruptionBudget } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { byNamespace, objectKey } from '../runtime/informer-cache.js';
import type { ServedKinds } from '../runtime/served-kinds.js';
import { WorkQueue, type WorkResult } from '../runtime/work-queue.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import { sameStatus } from '../workloads/shared/same-status.js';
import { scaledValue } from '../workloads/shared/scaled-value.js';
import type { WorkloadOptions } from '../workloads/shared/workload-options.js';
import { BudgetPods } from './budget-pods.js';
import { countHealthy, failedStatus, pendingDisruptions, statusOf, type BudgetCounts } from './budget-status.js';
import { OwnerScales } from './owner-scales.js';
import { staleTargets } from './stale-targets.js';
import type { Budget, BudgetStatus } from './types.js';

/** Options of {@link disruptionController}. */
export interface DisruptionOptions extends WorkloadOptions {
  readonly kinds: ServedKinds;
}

const UNMANAGED =
  'were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';

/** Keeps the status of disruption budgets: how many of their pods are healthy, and how many may be disrupted. */
export function disruptionController(options: DisruptionOptions): Controller {
  const { client, clock, informers, kinds, recorder, onError } = options;
  const events = recorder.of('controllermanager');
  const budgets = informers.of(PodDisruptionBudget);
  const pods = informers.of(Pod);
  pods.addIndex('byNamespace', byNamespace);
  const members = new BudgetPods((namespace) => pods.find('byNamespace', namespace));
  const scales = new OwnerScales(kinds);
  const queue = new WorkQueue<string>({ name: 'disruption', clock, process, onError: (_key, error) => onError(error) });
  const targets = staleTargets({ client, clock, pods, onError });

  const podChanged = (pod: PodObject): void => {
    const { matched, left } = members.add(pod);
    for (const key of [...matched, ...left]) queue.add(key);
    if (matched.length > 1) reportSeveral(pod, matched);
    targets.examine(pod);
  };

  function reportSeveral(pod: PodObject, [key = '']: readonly string[]): void {
    const { namespace = '', name = '' } = pod.metadata;
    const chosen = goQuote(budgets.get(key)?.metadata.name ?? '');
    events.event(
      pod,
      'Warning',
      'MultiplePodDisruptionBudgets',
      `Pod ${goQuote(namespace)}/${goQuote(name)} matches multiple PodDisruptionBudgets.  Chose ${chosen} arbitrarily.`,
    );
  }

  const budgetChanged = (budget: Budget): void => {
    queue.add(objectKey(budget));
    members.set(budget);
  };

  budgets.subscribe({
    added: budgetChanged,
    updated: budgetChanged,
    deleted: (budget) => members.delete(budget),
  });
  pods.subscribe({
    added: podChanged,
    updated: podChanged,
    deleted: (pod) => members.remove(pod).forEach((key) => queue.add(key)),
  });

  async function process(key: string): Promise<WorkResult> {
    const budget = budgets.get(key);
    if (budget === undefined) return;
    try {
      await synchronize(budget, key);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return;
      if (hasReason(error, 'Conflict')) return 'retry';
      // Nothing may be disrupted while the budget is not known.
      await write(budget, failedStatus(budget, messageOf(error), clock.now()));
    }
  }

  async function synchronize(budget: Budget, key: string): Promise<void> {
    const own = members.of(budget);
    if (own.length === 0) events.event(budget, 'Normal', 'NoPods', 'No matching pods found');
    const expected = await expectedCounts(budget, own);
    const now = clock.now();
    const disruptions = pendingDisruptions(budget, own, now);
    reportExpired(budget, disruptions.expired);
    const currentHealthy = countHealthy(own, disruptions, now);
    await write(budget, statusOf(budget, { currentHealthy, ...expected }, disruptions, now));
    // One millisecond later the disruption has expired.
    if (disruptions.nextExpiryMs !== Infinity) queue.addAfter(key, disruptions.nextExpiryMs - now + 1);
  }

  async function expectedCounts(
    budget: Budget,
    own: readonly PodObject[],
  ): Promise<Omit<BudgetCounts, 'currentHealthy'>> {
    const { minAvailable, maxUnavailable } = budget.spec ?? {};
    if (maxUnavailable !== undefined) {
      const expectedPods = await expectedScale(budget, own);
      return {
        expectedPods,
        desiredHealthy: Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, 'up')),
      };
    }
    if (typeof minAvailable === 'number') return { expectedPods: own.length, desiredHealthy: minAvailable };
    if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
    const expectedPods = await expectedScale(budget, own);
    return { expectedPods, desiredHealthy: scaledValue(minAvailable, expectedPods, 'up') };
  }

  async function expectedScale(budget: Budget, own: readonly PodObject[]): Promise<number> {
    try {
      const { count, unmanaged } = await scales.expectedPods(own);
      const selector = selectorText(budget);
      if (unmanaged.length > 0)
        events.event(
          budget,
          'Warning',
          'UnmanagedPods',
          `Pods selected by this PodDisruptionBudget (selector: ${selector}) ${UNMANAGED}`,
        );
      return count;
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
      events.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
      throw error;
    }
  }

  function reportExpired({ metadata: { namespace = '' } }: Budget, expired: readonly PodObject[]): void {
    // The name is that of the namespace in Kubernetes too.
    const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
    for (const pod of expired) events.event(pod, 'Warning', 'NotDeleted', message);
  }

  async function write(budget: Budget, status: BudgetStatus): Promise<void> {
    if (sameStatus(budget.status, status)) return;
    await client
      .resource(PodDisruptionBudget)
      .namespace(budget.metadata.namespace ?? '')
      .updateStatus({ ...budget, status });
  }

  return { name: 'disruption', informers: () => [pods, budgets], queues: [queue, targets.queue] };
}

/** Returns a selector as Go prints it. */
function selectorText({ spec }: Budget): string {
  const { matchLabels, matchExpressions = [] } = spec?.selector ?? {};
  const labels = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const labelsText = `map[string]string{${labels.join('')}}`;
  return `&LabelSelector{MatchLabels:${labelsText},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
