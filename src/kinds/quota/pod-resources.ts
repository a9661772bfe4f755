import type { Quantity } from '../../foundation/index.js';
import { addAmounts, raiseAmounts, readAmounts, type Amounts } from './amounts.js';
import type { MeasuredPodSpec } from './measured-pod.js';

/**
 * Returns the amounts that a pod requests: the greater of the sum of its containers and of each init container while it
 * runs, with the sidecars that were started before it, and the overhead of its runtime.
 */
export function podRequests(spec: MeasuredPodSpec): Map<string, Quantity> {
  const amounts = podAmounts(spec, 'requests');
  addAmounts(amounts, readAmounts(spec.overhead));
  return amounts;
}

/** Returns the amounts to which a pod is limited. Overhead counts where a container has a limit. */
export function podLimits(spec: MeasuredPodSpec): Map<string, Quantity> {
  const amounts = podAmounts(spec, 'limits');
  const overhead = [...readAmounts(spec.overhead)].filter(([name]) => amounts.has(name));
  addAmounts(amounts, new Map(overhead));
  return amounts;
}

function podAmounts(
  { containers, initContainers = [] }: MeasuredPodSpec,
  field: 'requests' | 'limits',
): Map<string, Quantity> {
  const running = new Map<string, Quantity>();
  for (const { resources } of containers ?? []) addAmounts(running, readAmounts(resources?.[field]));
  const sidecars = new Map<string, Quantity>();
  const starting = new Map<string, Quantity>();
  for (const { resources, restartPolicy } of initContainers) {
    const amounts = readAmounts(resources?.[field]);
    if (restartPolicy === 'Always') {
      addAmounts(running, amounts);
      addAmounts(sidecars, amounts);
    } else addAmounts(amounts, onlyOf(sidecars, amounts));
    // The sidecars before it have raised already the resources that a container does not ask for.
    raiseAmounts(starting, restartPolicy === 'Always' ? onlyOf(sidecars, amounts) : amounts);
  }
  raiseAmounts(running, starting);
  return running;
}

/** Returns the amounts of the names that others have, too. */
function onlyOf(amounts: Amounts, others: Amounts): Map<string, Quantity> {
  const shared = new Map<string, Quantity>();
  for (const name of others.keys()) {
    const amount = amounts.get(name);
    if (amount !== undefined) shared.set(name, amount);
  }
  return shared;
}
