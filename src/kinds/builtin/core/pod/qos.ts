import { compareQuantities, parseQuantity, type Quantity } from '../../../../foundation/index.js';

/** Amounts of resources, by name. */
type Amounts = Readonly<Record<string, string | undefined>> | undefined;

/** The fields that the class depends on. A pod before validation may lack any of them. */
interface MeasuredContainer {
  readonly resources?: { readonly requests?: Amounts | undefined; readonly limits?: Amounts | undefined } | undefined;
}

/** The quality of service class: evicted last, in between, or first when the node runs out of resources. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** The resources that determine the class. */
const COMPUTE = ['cpu', 'memory'] as const;

type Totals = Map<string, Quantity>;

/** Adds positive quantities to the totals. Returns true when every compute resource had one. */
function addAmounts(totals: Totals, amounts: Amounts): boolean {
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
 * Returns the class of a pod by the requests and limits of its containers and init containers: BestEffort without any,
 * Guaranteed when every container limits all compute resources and the total requests equal the total limits, otherwise
 * Burstable.
 */
export function qosClass(spec: {
  readonly containers?: readonly MeasuredContainer[] | undefined;
  readonly initContainers?: readonly MeasuredContainer[] | undefined;
}): QosClass {
  const requests: Totals = new Map();
  const limits: Totals = new Map();
  let allLimited = true;
  for (const containers of [spec.containers ?? [], spec.initContainers ?? []]) {
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

/** Returns the exact sum of two quantities, in the format of the first. */
function addQuantities(a: Quantity, b: Quantity): Quantity {
  const scale = Math.min(a.scale, b.scale);
  return { unscaled: rescaled(a, scale) + rescaled(b, scale), scale, format: a.format };
}
