import { compareText } from '../../../../foundation/index.js';
import { NONE } from '../columns.js';

/** Returns the addresses of a load balancer, sorted and without duplicates: of each entry the IP, else the host name. */
export function balancerAddresses(
  ingresses: readonly { readonly ip?: string | undefined; readonly hostname?: string | undefined }[] = [],
): string {
  const addresses = ingresses.map(({ ip, hostname }) => ip || hostname || '').filter((address) => address !== '');
  return [...new Set(addresses)].sort(compareText).join(',');
}

/** Returns labels as tables print them: `a=1,b=2`, sorted. */
export function labelsText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.keys(labels)
    .sort(compareText)
    .map((key) => `${key}=${labels[key] ?? ''}`);
  return pairs.join(',') || NONE;
}

/** Most items of a list that a cell shows. */
const MOST_ITEMS = 3;

/**
 * Returns the first items of a list, and the number of the others: `a,b,c + 2 more...`.
 *
 * @param count number of items; default the length of the list
 */
export function firstItems(items: readonly string[], count: number = items.length): string {
  const shown = items.slice(0, MOST_ITEMS).join(',');
  return count > MOST_ITEMS ? `${shown} + ${count - MOST_ITEMS} more...` : shown;
}
