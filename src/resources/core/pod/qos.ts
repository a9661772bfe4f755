import { parseQuantity, type Quantity, compareQuantities } from '../../../meta/quantity.js';
import type { PodSpec, ResourceRequirements } from './types.js';

/** How a pod fares when its node runs out: the last to go, in between, the first to go. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** The resources that count. */
const COMPUTE = ['cpu', 'memory'] as const;

type Totals = Map<string, Quantity>;

/** Adds the amounts above zero; true when every compute resource had one. */
function addAmounts(totals: Totals, amounts: ResourceRequirements['limits']): boolean {
  let complete = true;
  for (const resource of COMPUTE) {
    const amount = amounts === undefined ? undefined : parseQuantity(amounts[resource] ?? '');
    if (amount === undefined || amount.unscaled <= 0n) {
      complete = false;
      continue;
    }
    const total = totals.get(resource);
    totals.set(resource, total === undefined ? amount : addQuantities(total, amount));
  }
  return complete;
}

/**
 * The class of a pod by what its containers and init containers ask for and are limited to: BestEffort without any of
 * either, Guaranteed when every container limits all compute resources and the sums asked for equal the limits.
 */
export function qosClass(spec: Pick<PodSpec, 'containers' | 'initContainers'>): QosClass {
  const requests: Totals = new Map();
  const limits: Totals = new Map();
  let allLimited = true;
  for (const containers of [spec.containers, spec.initContainers ?? []]) {
    for (const { resources } of containers) {
      addAmounts(requests, resources?.requests);
      if (!addAmounts(limits, resources?.limits)) allLimited = false;
    }
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  if (!allLimited || requests.size !== limits.size) return 'Burstable';
  for (const [resource, request] of requests) {
    const limit = limits.get(resource);
    if (limit === undefined || compareQuantities(request, limit) !== 0) return 'Burstable';
  }
  return 'Guaranteed';
}

const rescaled = ({ unscaled, scale }: Quantity, to: number): bigint => unscaled * 10n ** BigInt(scale - to);

/** The exact sum of two amounts, in the form of the first. */
function addQuantities(a: Quantity, b: Quantity): Quantity {
  const scale = Math.min(a.scale, b.scale);
  return { unscaled: rescaled(a, scale) + rescaled(b, scale), scale, format: a.format };
}
