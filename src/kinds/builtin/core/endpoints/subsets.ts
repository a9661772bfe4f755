/**
 * The canonical form of endpoint subsets: ports that the same addresses offer are one subset, and everything is sorted.
 * The server stores this form, and the controller compares in it. Release 1.31 orders ports and subsets by a hash of
 * their text; here they are ordered by their text.
 *
 * @module
 */
import { appendAll, compareText, sortedSteps, type Steps, type Work } from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';

type Subset = coreV1.EndpointSubset;
type Address = coreV1.EndpointAddress;
type Port = coreV1.EndpointPort;

/** Addresses with their readiness, by their keys. */
type Addresses = ReadonlyMap<string, { readonly address: Address; readonly isReady: boolean }>;

/** Ports that the same of the given subsets have, and so the same addresses offer. */
interface Offer {
  /** None for addresses without ports. */
  readonly ports: readonly Port[];
  readonly subsets: readonly Subset[];
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
  one.port - other.port ||
  compareText(one.appProtocol ?? '', other.appProtocol ?? '');

/** Units of work to place an address, and bytes of its place; units of work to place a port. */
const ADDRESS_UNITS = 8;
const ADDRESS_BYTES = 16;
const PORT_UNITS = 12;

/**
 * Returns subsets in the canonical form, in steps. An address that is given as ready and as not ready is not ready.
 * Addresses and the ports that other addresses offer multiply, so that the memory is reserved.
 *
 * @throws ApiError 429 when they do not fit
 */
export function* sortSubsets(subsets: readonly Subset[], work: Work): Steps<Subset[]> {
  const groups = new Map<string, Group>();
  for (const { ports, subsets: offering } of yield* offersOf(subsets, work)) {
    const addresses = yield* addressesOf(offering, work);
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
    appendAll(group.ports, ports);
  }
  const sorted: Subset[] = [];
  for (const [, { subset, ports }] of yield* sortedSteps([...groups], compareKeys, work))
    sorted.push(
      ports.length === 0 ? subset : { ...subset, ports: [...(yield* sortedSteps(ports, comparePorts, work))] },
    );
  return sorted;
}

const compareKeys = ([one]: [string, Group], [other]: [string, Group]): number => compareText(one, other);

/** Returns the addresses of an offer that are ready, or those that are not, by their keys. */
function* sortedAddresses(
  offered: Addresses,
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

/** Groups the ports by the subsets that have them. */
function* offersOf(subsets: readonly Subset[], work: Work): Steps<Iterable<Offer>> {
  const offering = new Map<string, { readonly port: Port | undefined; readonly subsets: number[] }>();
  for (const [index, { ports = [] }] of subsets.entries())
    for (const port of ports.length === 0 ? [undefined] : ports) {
      if (work.spend(PORT_UNITS)) yield;
      const key = port === undefined ? '' : portKey(port);
      const known = offering.get(key);
      if (known === undefined) offering.set(key, { port, subsets: [index] });
      // A port may be in a subset twice.
      else if (known.subsets.at(-1) !== index) known.subsets.push(index);
    }
  const offers = new Map<string, { readonly ports: Port[]; readonly subsets: readonly Subset[] }>();
  for (const { port, subsets: indexes } of offering.values()) {
    if (work.spend(PORT_UNITS + indexes.length)) yield;
    // The addresses that have no ports are never those of a port.
    const key = `${port === undefined ? '-' : ''}${indexes.join()}`;
    const offer = offers.get(key) ?? { ports: [], subsets: indexes.flatMap((index) => subsets[index] ?? []) };
    offers.set(key, offer);
    if (port !== undefined) offer.ports.push(port);
  }
  return offers.values();
}

/** Returns the addresses of subsets. */
function* addressesOf(subsets: readonly Subset[], work: Work): Steps<Addresses> {
  const found = new Map<string, { readonly address: Address; readonly isReady: boolean }>();
  for (const { addresses = [], notReadyAddresses = [] } of subsets) {
    work.reserve((addresses.length + notReadyAddresses.length) * ADDRESS_BYTES);
    for (const address of addresses) {
      if (work.spend(ADDRESS_UNITS)) yield;
      const place = addressKey(address);
      if (!found.has(place)) found.set(place, { address, isReady: true });
    }
    for (const address of notReadyAddresses) {
      if (work.spend(ADDRESS_UNITS)) yield;
      found.set(addressKey(address), { address, isReady: false });
    }
  }
  return found;
}
