import { ipOctets, ipText, type IpFamily } from '../../../shared/network/ip-address.js';
import {
  addressAt,
  containsAddress,
  hostBits,
  networkText,
  offsetOf,
  parseNetwork,
  type IpNetwork,
} from '../../../shared/network/ip-network.js';

/** A range of numbers, each of which at most one service has: addresses, or ports of nodes. */
export interface ServiceRange {
  /** Part of the storage keys of what is taken. */
  readonly name: string;
  /** The range as users write it: `10.0.0.0/24`, `30000-32767`. */
  readonly text: string;
  /** Count of the numbers. */
  readonly size: number;
  /** Count of the first numbers, which are only given to services that ask for none when all others are taken. */
  readonly staticSize: number;
  /** Returns the text of a number: an address, or a port. */
  textAt(offset: number): string;
  /** Returns the number of a text, or undefined when it is not in the range. */
  offsetOf(text: string): number | undefined;
}

/** The ranges of a server. */
export interface ServiceRanges {
  /** Networks of cluster IPs: one, or two of different families. The first one is that of services with one address. */
  readonly networks: readonly IpNetwork[];
  readonly nodePorts: PortRange;
}

/** A range of ports; both ends belong to it. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Default network of cluster IPs. */
export const DEFAULT_NETWORK = '10.0.0.0/24';
/** Default range of node ports. */
export const DEFAULT_NODE_PORTS: PortRange = { first: 30_000, last: 32_767 };

/** Most host bits of a network: larger ones would make the search for a free address slow. */
const MAX_HOST_BITS = 20;
const MIN_ADDRESSES = 8;
/** Most addresses that are given out of an IPv6 network. */
const MAX_IPV6_ADDRESSES = 65_536;

/**
 * Parses networks of cluster IPs: one, or two of different families, separated by a comma.
 *
 * @throws Error in the words of release 1.31 when the text is invalid
 */
export function parseClusterIPRanges(text: string): readonly IpNetwork[] {
  const parts = (text === '' ? DEFAULT_NETWORK : text).split(',');
  if (parts.length > 2) throw new Error('must not contain more than two entries');
  const networks = parts.map((part, index) => {
    const network = parseNetwork(part.trim());
    if (network === undefined) throw new Error(`entry ${index} is not a valid CIDR: ${JSON.stringify(part)}`);
    const bits = hostBits(network);
    const length = network.base.length * 8;
    if (bits > MAX_HOST_BITS)
      throw new Error(
        `${part} is too large; for ${length}-bit addresses, the mask must be >= ${length - MAX_HOST_BITS}`,
      );
    if (2 ** bits < MIN_ADDRESSES)
      throw new Error(`the service cluster IP range must be at least ${MIN_ADDRESSES} IP addresses`);
    return network;
  });
  if (networks.length === 2 && networks[0]?.family === networks[1]?.family)
    throw new Error('the two entries must be of different IP family');
  return networks;
}

/**
 * Parses a range of node ports: `30000-32767`, `30000+100`, or one port.
 *
 * @throws Error in the words of release 1.31 when the text is invalid
 */
export function parseNodePortRange(text: string): PortRange {
  const value = text.trim();
  if (value === '') return DEFAULT_NODE_PORTS;
  const [, low = '', sign = '', high = ''] = /^([0-9]{1,9})(?:([-+])([0-9]{1,9}))?$/.exec(value) ?? [];
  if (low === '') throw new Error(`unable to parse port range: ${value}`);
  const first = Number(low);
  const last = sign === '' ? first : sign === '-' ? Number(high) : first + Number(high);
  if (first > 65_535 || last > 65_535) throw new Error(`the port range cannot be greater than 65535: ${value}`);
  if (last < first) throw new Error(`end port cannot be less than start port: ${value}`);
  // Port 0 of a service means that it has none.
  if (first === 0) throw new Error(`the port range must not contain port 0: ${value}`);
  return { first, last };
}

const bounded = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** Returns the size of the lower part, 0 for a small range. @see KEP-3070, KEP-3668 */
const staticPart = (size: number, { step, most }: { readonly step: number; readonly most: number }): number =>
  size <= 16 ? 0 : bounded(Math.floor(size / step), 16, most);

/** Returns the range of the addresses of a network: all but the first one, and the last one of an IPv4 network. */
export function addressRange(network: IpNetwork, isPrimary: boolean): ServiceRange {
  const all = 2 ** hostBits(network);
  const size = network.family === 'IPv4' ? all - 2 : Math.min(all, MAX_IPV6_ADDRESSES) - 1;
  return {
    name: isPrimary ? 'serviceips' : 'secondaryserviceips',
    text: networkText(network),
    size,
    staticSize: staticPart(all, { step: 16, most: 256 }),
    textAt: (offset) => ipText(addressAt(network, offset + 1)),
    offsetOf(text) {
      const octets = ipOctets(text);
      if (octets === undefined || !containsAddress(network, octets)) return undefined;
      const offset = offsetOf(network, octets) - 1;
      return offset >= 0 && offset < size ? offset : undefined;
    },
  };
}

/** Returns the range of node ports. */
export function nodePortRange({ first, last }: PortRange): ServiceRange {
  const size = last - first + 1;
  return {
    name: 'servicenodeports',
    text: `${first}-${last}`,
    size,
    staticSize: staticPart(size, { step: 32, most: 128 }),
    textAt: (offset) => String(first + offset),
    offsetOf(text) {
      const port = Number(text);
      return Number.isInteger(port) && port >= first && port <= last ? port - first : undefined;
    },
  };
}

/** The ranges of addresses by family, in the order of the server's option. */
export const addressRanges = ({ networks }: ServiceRanges): ReadonlyMap<IpFamily, ServiceRange> =>
  new Map(networks.map((network, index) => [network.family, addressRange(network, index === 0)]));
