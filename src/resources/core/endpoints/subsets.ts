/**
 * The canonical form of endpoint subsets: ports that the same addresses offer are one subset, and everything is sorted.
 * The server stores this form, and the controller compares in it. Release 1.31 orders ports and subsets by a hash of
 * their text; here they are ordered by their text.
 *
 * @module
 */
import { compareText } from '../../../encoding/code-points.js';
import type { coreV1 } from '../../../kinds/index.js';

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

const compareAddresses = (one: Address, other: Address): number => compareText(addressKey(one), addressKey(other));

const comparePorts = (one: Port, other: Port): number =>
  compareText(one.name ?? '', other.name ?? '') ||
  compareText(one.protocol ?? '', other.protocol ?? '') ||
  one.port - other.port;

/** Returns subsets in the canonical form. An address that is given as ready and as not ready is not ready. */
export function sortedSubsets(subsets: readonly Subset[]): Subset[] {
  const groups = new Map<string, Group>();
  for (const { port, addresses } of offersOf(subsets)) {
    const ofReadiness = (wanted: boolean): Address[] =>
      [...addresses.values()]
        .filter(({ isReady }) => isReady === wanted)
        .map(({ address }) => address)
        .sort(compareAddresses);
    const ready = ofReadiness(true);
    const notReady = ofReadiness(false);
    const id = JSON.stringify([ready.map(addressKey), notReady.map(addressKey)]);
    const subset = {
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
    };
    const group: Group = groups.get(id) ?? { subset, ports: [] };
    groups.set(id, group);
    if (port !== undefined) group.ports.push(port);
  }
  return [...groups]
    .sort(([one], [other]) => compareText(one, other))
    .map(([, { subset, ports }]) => (ports.length === 0 ? subset : { ...subset, ports: ports.sort(comparePorts) }));
}

function offersOf(subsets: readonly Subset[]): Iterable<Offer> {
  const offers = new Map<string, Offer>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets)
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const key = port === undefined ? '' : portKey(port);
      const offer: Offer = offers.get(key) ?? { port, addresses: new Map() };
      offers.set(key, offer);
      for (const address of addresses)
        if (!offer.addresses.has(addressKey(address)))
          offer.addresses.set(addressKey(address), { address, isReady: true });
      for (const address of notReadyAddresses) offer.addresses.set(addressKey(address), { address, isReady: false });
    }
  return offers.values();
}
