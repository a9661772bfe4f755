import { quantityToBigInt } from '../../../../foundation/index.js';
import { allContainers } from './containers.js';
import type { PodSpec } from './types.js';

const PREFIX = 'hugepages-';
/** A thousandth, in which amounts are compared. */
const MILLI = -3;

/** Returns whether a resource is memory in pages of a certain size: `hugepages-2Mi`. */
export const isHugePages = (name: string): boolean => name.startsWith(PREFIX);

/** Returns whether an amount of huge pages is a whole number of pages. */
export function isWholePages(name: string, amount: string): boolean {
  const size = quantityToBigInt(name.slice(PREFIX.length), MILLI);
  const wanted = quantityToBigInt(amount, MILLI);
  if (size === undefined || wanted === undefined || size <= 0n || size % 1000n !== 0n) return false;
  return wanted % size === 0n;
}

/** Returns whether a pod asks for parts of huge pages. */
export function hasIndivisibleHugePages(spec: PodSpec): boolean {
  const amounts = [
    spec.overhead,
    ...allContainers(spec).flatMap(({ resources }) => [resources?.limits, resources?.requests]),
  ];
  return amounts.some((list) =>
    Object.entries(list ?? {}).some(([name, amount]) => isHugePages(name) && !isWholePages(name, amount)),
  );
}
