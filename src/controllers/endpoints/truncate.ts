import type { coreV1 } from '../../kinds/index.js';

/** Maximum number of addresses of one Endpoints object. */
const MAX_ADDRESSES = 1000;

type Subset = coreV1.EndpointSubset;

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/**
 * Returns subsets with at most 1,000 addresses, ready ones first; undefined when nothing has to be left out. Each subset
 * keeps its share, rounded up.
 */
export function truncated(subsets: readonly Subset[]): Subset[] | undefined {
  const ready = sum(subsets.map(({ addresses = [] }) => addresses.length));
  const notReady = sum(subsets.map(({ notReadyAddresses = [] }) => notReadyAddresses.length));
  if (ready + notReady <= MAX_ADDRESSES) return undefined;
  const onlyReady = ready > MAX_ADDRESSES;
  const most = onlyReady ? MAX_ADDRESSES : MAX_ADDRESSES - ready;
  const total = onlyReady ? ready : notReady;
  let left = most;
  return subsets.map(({ addresses = [], notReadyAddresses = [], ...ports }) => {
    const list = onlyReady ? addresses : notReadyAddresses;
    const kept = list.slice(0, Math.min(Math.ceil((list.length / total) * most), left));
    left -= kept.length;
    const [nowReady, nowNotReady] = onlyReady ? [kept, []] : [addresses, kept];
    return {
      ...(nowReady.length === 0 ? {} : { addresses: nowReady }),
      ...(nowNotReady.length === 0 ? {} : { notReadyAddresses: nowNotReady }),
      ...ports,
    };
  });
}
