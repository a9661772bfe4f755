import { quantityToNumber } from '../../foundation/index.js';
import type { coreV1 } from '../../kinds/index.js';

/** Amounts by resource name, in thousandths of a core, byte or piece: whole numbers, so that sums are exact. */
export type Amounts = ReadonlyMap<string, number>;

type Resources = Readonly<Record<string, string>> | undefined;

const THOUSANDTHS = 1000;

/** Returns amounts as numbers. */
export function amountsOf(resources: Resources): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const name in resources)
    amounts.set(name, Math.round((quantityToNumber(resources[name] ?? '0') ?? 0) * THOUSANDTHS));
  return amounts;
}

/** Returns an amount as agents print it: processors in thousandths, all else in units. */
export const shownAmount = (name: string, amount: number): number =>
  name === 'cpu' ? amount : Math.ceil(amount / THOUSANDTHS);

/** Returns an amount of whole pieces. */
export const pieces = (count: number): number => count * THOUSANDTHS;

function add(sum: Map<string, number>, more: Amounts): void {
  for (const [name, amount] of more) sum.set(name, (sum.get(name) ?? 0) + amount);
}

function raise(maximum: Map<string, number>, other: Amounts): void {
  for (const [name, amount] of other) maximum.set(name, Math.max(maximum.get(name) ?? 0, amount));
}

const NONE: Amounts = new Map();

/** Returns what a container requests. The server has set missing requests to the limits. */
const requestsOf = ({ resources }: coreV1.Container): Amounts =>
  resources?.requests === undefined ? NONE : amountsOf(resources.requests);

/**
 * Returns what a pod requests of its node: the greater of what its containers need together, and what each of its init
 * containers needs besides the sidecars before it; and its overhead.
 *
 * @see release 1.31, `PodRequests` of `pkg/api/v1/resource`
 */
export function podRequests({ containers, initContainers = [], overhead }: coreV1.PodSpec): Amounts {
  const sum = new Map<string, number>();
  for (const container of containers) add(sum, requestsOf(container));
  const sidecars = new Map<string, number>();
  const start = new Map<string, number>();
  for (const container of initContainers) {
    const requests = requestsOf(container);
    if (container.restartPolicy === 'Always') {
      add(sum, requests);
      add(sidecars, requests);
    }
    // The sidecars before it have raised already the resources that a container does not ask for.
    for (const [name, amount] of requests) {
      const beside = sidecars.get(name) ?? 0;
      const together = container.restartPolicy === 'Always' ? beside : amount + beside;
      start.set(name, Math.max(start.get(name) ?? 0, together));
    }
  }
  raise(sum, start);
  if (overhead !== undefined) add(sum, amountsOf(overhead));
  return sum;
}
