import { matching, type OptionCheck } from '../../foundation/index.js';
import { addressAt, hostBits, ipFamily, ipOctets, ipText, parseNetwork, type IpFamily } from '../../kinds/index.js';

/** The addresses of a fake cloud: `203.0.113.0/24`, `2001:db8::/120`, or single addresses. */
export type AddressRanges = readonly string[];

/** Maximum number of addresses that are used of one network. */
const MAX_ADDRESSES = 65_536;

/** Checks a list of addresses and networks. */
export const addressRanges: OptionCheck = matching(
  'a list of addresses and networks, such as ["203.0.113.0/24"]',
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((range) => typeof range === 'string' && (ipFamily(range) ?? parseNetwork(range)) !== undefined),
);

/** The addresses of load balancers that are in use. */
export class TakenAddresses {
  readonly #owners = new Map<string, string>();

  /**
   * Returns the first address of a family that nobody has; the one that the owner has already, if it is in the ranges.
   * Undefined when all are taken.
   */
  take(owner: string, family: IpFamily, ranges: AddressRanges, wanted?: string): string | undefined {
    for (const address of wanted === undefined ? addressesOf(ranges, family) : [canonical(wanted)]) {
      const holder = this.#owners.get(address);
      if (holder !== undefined && holder !== owner) continue;
      this.#owners.set(address, owner);
      return address;
    }
    return undefined;
  }

  /** Marks an address as taken. */
  keep(owner: string, address: string): void {
    this.#owners.set(canonical(address), owner);
  }

  /** Releases the addresses of an owner. @returns whether it had any */
  release(owner: string): boolean {
    const before = this.#owners.size;
    for (const [address, holder] of this.#owners) if (holder === owner) this.#owners.delete(address);
    return this.#owners.size < before;
  }
}

function canonical(address: string): string {
  const octets = ipOctets(address);
  return octets === undefined ? address : ipText(octets);
}

/** Yields the addresses of a family. The first and the last of an IPv4 network are not addresses of hosts. */
function* addressesOf(ranges: AddressRanges, family: IpFamily): Generator<string> {
  for (const range of ranges) {
    const network = parseNetwork(range);
    if (network === undefined) {
      if (ipFamily(range) === family) yield canonical(range);
      continue;
    }
    if (network.family !== family) continue;
    const size = 2 ** Math.min(hostBits(network), 17);
    const edge = size > 2 ? 1 : 0;
    for (let offset = edge; offset < Math.min(size - edge, MAX_ADDRESSES + edge); offset += 1)
      yield ipText(addressAt(network, offset));
  }
}
