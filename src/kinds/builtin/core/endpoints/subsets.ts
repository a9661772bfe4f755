/**
 * The canonical form of endpoint subsets: ports that the same addresses offer are one subset, and everything is sorted.
 * The server stores this form, and the controller compares in it. Release 1.31 orders ports and subsets by a hash of
 * their text; here they are ordered by their text.
 *
 * @module
 */
import {
  atOnce,
  compareText,
  sortedSteps,
  UNBOUNDED_WORK,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';

type Subset = coreV1.EndpointSubset;
type Address = coreV1.EndpointAddress;
type Port = coreV1.EndpointPort;

/** The addresses that offer a port, with their readiness. */
interface Offer {
  /** Undefined for addresses without ports. */
  readonly port: Port | undefined;
  readonly addresses: Map<string, { readonly address: Address; readonly isReady: boolean }>;
}

/** A subset and its ports. */
interface Group {
  readonly subset: Subset;
  readonly ports: Port[];
}

/** Key of an address: the endpoints of different pods may have one IP. */
const addressKey = ({ ip, targetRef }: Address): string => `${ip} ${targetRef?.uid ?? ''}`;

const portKey = ({ name = '', port, protocol = '', appProtocol = '' }: Port): string =>
  JSON.stringify([name, protocol, port, appProtocol]);

const comparePorts = (one: Port, other: Port): number =>
  compareText(one.name ?? '', other.name ?? '') ||
  compareText(one.protocol ?? '', other.protocol ?? '') ||
  one.port - other.port;

/** Units of work to place an address, and bytes of its place. */
const ADDRESS_UNITS = 8;
const ADDRESS_BYTES = 16;

/** Returns subsets in the canonical form. An address that is given as ready and as not ready is not ready. */
export const sortedSubsets = (subsets: readonly Subset[]): Subset[] => atOnce(sortSubsets(subsets, UNBOUNDED_WORK));

/**
 * Does the same as {@link sortedSubsets}, in steps. Ports and addresses multiply, so that the memory is reserved.
 *
 * @throws ApiError 429 when they do not fit
 */
export function* sortSubsets(subsets: readonly Subset[], work: Work): Steps<Subset[]> {
  const groups = new Map<string, Group>();
  for (const { port, addresses } of (yield* offersOf(subsets, work)).values()) {
    const ready = yield* sortedAddresses(addresses, true, work);
    const notReady = yield* sortedAddresses(addresses, false, work);
    const id = JSON.stringify([ready.keys, notReady.keys]);
    if (work.spend(id.length / ADDRESS_UNITS)) yield;
    const subset = {
      ...(ready.keys.length === 0 ? {} : { addresses: ready.addresses }),
      ...(notReady.keys.length === 0 ? {} : { notReadyAddresses: notReady.addresses }),
    };
    const group: Group = groups.get(id) ?? { subset, ports: [] };
    groups.set(id, group);
    if (port !== undefined) group.ports.push(port);
  }
  return [...groups]
    .sort(([one], [other]) => compareText(one, other))
    .map(([, { subset, ports }]) => (ports.length === 0 ? subset : { ...subset, ports: ports.sort(comparePorts) }));
}

/** Returns the addresses of an offer that are ready, or those that are not, by their keys. */
function* sortedAddresses(
  offered: Offer['addresses'],
  wanted: boolean,
  work: Work,
): Steps<{ readonly keys: readonly string[]; readonly addresses: Address[] }> {
  const unsorted: string[] = [];
  for (const [key, { isReady }] of offered) {
    if (work.spend(1)) yield;
    if (isReady === wanted) unsorted.push(key);
  }
  const keys = yield* sortedSteps(unsorted, compareText, work);
  const addresses: Address[] = [];
  for (const key of keys) {
    if (work.spend(1)) yield;
    const offer = offered.get(key);
    if (offer !== undefined) addresses.push(offer.address);
  }
  return { keys, addresses };
}

function* offersOf(subsets: readonly Subset[], work: Work): Steps<ReadonlyMap<string, Offer>> {
  const offers = new Map<string, Offer>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets)
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const key = port === undefined ? '' : portKey(port);
      const offer: Offer = offers.get(key) ?? { port, addresses: new Map() };
      offers.set(key, offer);
      work.reserve((addresses.length + notReadyAddresses.length) * ADDRESS_BYTES);
      for (const address of addresses) {
        if (work.spend(ADDRESS_UNITS)) yield;
        const place = addressKey(address);
        if (!offer.addresses.has(place)) offer.addresses.set(place, { address, isReady: true });
      }
      for (const address of notReadyAddresses) {
        if (work.spend(ADDRESS_UNITS)) yield;
        offer.addresses.set(addressKey(address), { address, isReady: false });
      }
    }
  return offers;
}
