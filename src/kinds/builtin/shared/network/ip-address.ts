/** Message for an invalid IP address. */
export const IP_TEXT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Family of an IP address. */
export type IpFamily = 'IPv4' | 'IPv6';

const IPV4_GROUP = /^[0-9]{1,3}$/;
const IPV6_GROUP = /^[0-9a-fA-F]{1,4}$/;
const IPV6_GROUPS = 8;

function ipv4Octets(text: string): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => IPV4_GROUP.test(part) && Number(part) <= 255)) return undefined;
  return Uint8Array.from(parts, Number);
}

function ipv6Octets(text: string): Uint8Array | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(groupsOf);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const known = head.length + (tail?.length ?? 0);
  if (tail === undefined ? known !== IPV6_GROUPS : known >= IPV6_GROUPS) return undefined;
  const zeros = Array.from({ length: IPV6_GROUPS - known }, () => 0);
  return Uint8Array.from([...head, ...zeros, ...(tail ?? [])].flatMap((group) => [group >> 8, group & 0xff]));
}

/** Returns the 16-bit groups of a part of an IPv6 address; its last 32 bits may be written as an IPv4 address. */
function groupsOf(text: string, index: number, halves: readonly string[]): number[] | undefined {
  if (text === '') return halves.length === 2 ? [] : undefined;
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const isEnd = index === halves.length - 1;
  const mapped = isEnd && last.includes('.') ? ipv4Octets(last) : undefined;
  const plain = mapped === undefined ? parts : parts.slice(0, -1);
  if (!plain.every((group) => IPV6_GROUP.test(group))) return undefined;
  const groups = plain.map((group) => parseInt(group, 16));
  if (mapped === undefined) return groups;
  const [a = 0, b = 0, c = 0, d = 0] = mapped;
  return [...groups, (a << 8) | b, (c << 8) | d];
}

/** Returns the family of an IP address, or undefined when it is invalid. Accepts leading zeros in IPv4 addresses. */
export function ipFamily(text: string): IpFamily | undefined {
  if (ipv4Octets(text) !== undefined) return 'IPv4';
  return text.includes(':') && ipv6Octets(text) !== undefined ? 'IPv6' : undefined;
}

/**
 * Returns the octets of an IP address: 4 for IPv4, including IPv4-mapped IPv6 addresses, or 16 for IPv6. Undefined when
 * the text is invalid. Accepts leading zeros in IPv4 addresses.
 */
export function ipOctets(text: string): Uint8Array | undefined {
  const four = ipv4Octets(text);
  if (four !== undefined) return four;
  const octets = text.includes(':') ? ipv6Octets(text) : undefined;
  return octets !== undefined && isMapped(octets) ? octets.subarray(12) : octets;
}

const isMapped = (octets: Uint8Array): boolean =>
  octets[10] === 0xff && octets[11] === 0xff && octets.subarray(0, 10).every((octet) => octet === 0);

/** Returns the family of the octets of an address. */
export const familyOfOctets = (octets: Uint8Array): IpFamily => (octets.length === 4 ? 'IPv4' : 'IPv6');

/** Returns an IP address as text; IPv6 in the canonical form of RFC 5952. */
export function ipText(octets: Uint8Array): string {
  if (octets.length === 4) return octets.join('.');
  const groups = Array.from({ length: IPV6_GROUPS }, (_, index) => {
    const [high = 0, low = 0] = octets.subarray(index * 2, index * 2 + 2);
    return (high << 8) | low;
  });
  const zeros = longestZeroRun(groups);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (zeros.length < 2) return hex(groups);
  return `${hex(groups.slice(0, zeros.start))}::${hex(groups.slice(zeros.start + zeros.length))}`;
}

function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  return best;
}
