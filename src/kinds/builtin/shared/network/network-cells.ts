import { compareText, joinedSteps, sortedSteps, type Steps, type Work } from '../../../../foundation/index.js';

/** Returns the addresses of a load balancer, sorted and without duplicates: of each entry the IP, else the host name. */
export function* balancerAddresses(
  ingresses: readonly { readonly ip?: string | undefined; readonly hostname?: string | undefined }[] = [],
  work: Work,
): Steps<string> {
  const addresses = new Set<string>();
  for (const { ip, hostname } of ingresses) {
    if (work.spend(ADDRESS_UNITS)) yield;
    const address = ip || hostname || '';
    if (address !== '') addresses.add(address);
  }
  return yield* joinedSteps(yield* sortedSteps([...addresses], compareText, work), String, ',', work);
}

/** Units of work to keep an address. */
const ADDRESS_UNITS = 4;

/** Most items of a list that a cell shows. */
export const MOST_ITEMS = 3;

/** Adds items to those that a cell shows, until there are enough. */
export function takeFirst(shown: string[], items: Iterable<string>): void {
  for (const item of items) {
    if (shown.length === MOST_ITEMS) return;
    shown.push(item);
  }
}

/**
 * Returns the first items of a list, and the number of the others: `a,b,c + 2 more...`.
 *
 * @param count number of items; default the length of the list
 */
export function firstItems(items: readonly string[], count: number = items.length): string {
  const shown = items.slice(0, MOST_ITEMS).join(',');
  return count > MOST_ITEMS ? `${shown} + ${count - MOST_ITEMS} more...` : shown;
}
