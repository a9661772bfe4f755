import { familyOfOctets, ipOctets, ipText, type IpFamily } from './ip-address.js';

/** Message for an invalid network in CIDR notation. */
export const CIDR_TEXT = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** A network in CIDR notation. */
export interface IpNetwork {
  readonly family: IpFamily;
  /** The first address of the network. */
  readonly base: Uint8Array;
  /** Length of the prefix in bits. */
  readonly prefix: number;
}

/** Returns a network, or undefined when the text is invalid. Bits after the prefix are cleared. */
export function parseNetwork(text: string): IpNetwork | undefined {
  const slash = text.indexOf('/');
  const octets = slash < 0 ? undefined : ipOctets(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (octets === undefined || !/^[0-9]{1,3}$/.test(length)) return undefined;
  // An IPv4-mapped address has the prefix of an IPv6 address.
  const mappedBits = octets.length === 4 && text.slice(0, slash).includes(':') ? 96 : 0;
  const prefix = Number(length) - mappedBits;
  if (prefix < 0 || prefix > octets.length * 8) return undefined;
  return { family: familyOfOctets(octets), base: masked(octets, prefix), prefix };
}

/** Returns a network as text, in the canonical form. */
export const networkText = ({ base, prefix }: IpNetwork): string => `${ipText(base)}/${prefix}`;

/** Returns whether a network contains an address. */
export function containsAddress({ base, prefix }: IpNetwork, octets: Uint8Array): boolean {
  if (base.length !== octets.length) return false;
  const first = masked(octets, prefix);
  return base.every((octet, index) => octet === first[index]);
}

/** Number of the bits of a network that are not its prefix. */
export const hostBits = ({ base, prefix }: IpNetwork): number => base.length * 8 - prefix;

/** Returns the address that is `offset` after the first address of a network. */
export function addressAt({ base }: IpNetwork, offset: number): Uint8Array {
  const octets = base.slice();
  let carry = offset;
  for (let index = octets.length - 1; carry > 0 && index >= 0; index -= 1) {
    carry += octets[index] ?? 0;
    octets[index] = carry % 256;
    carry = Math.floor(carry / 256);
  }
  return octets;
}

/** Returns how far an address is after the first address of its network; exact below 2^53. */
export function offsetOf({ base }: IpNetwork, octets: Uint8Array): number {
  let offset = 0;
  for (const [index, octet] of octets.entries()) offset = offset * 256 + octet - (base[index] ?? 0);
  return offset;
}

function masked(octets: Uint8Array, prefix: number): Uint8Array {
  return octets.map((octet, index) => {
    const kept = Math.min(8, Math.max(0, prefix - index * 8));
    return octet & (0xff00 >> kept) & 0xff;
  });
}
