import { invalid, type FieldError } from '../../../../foundation/index.js';
import { ipOctets } from './ip-address.js';

/** Message for an IP address whose form is not shown. */
export const PLAIN_IP_TEXT = 'must be a valid IP address';

const RANGES: readonly (readonly [contains: (octets: Uint8Array) => boolean, text: string])[] = [
  [
    (octets) => (isIPv4(octets) ? octets[0] === 127 : isOnlyLast(octets, 1)),
    'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    (octets) => (isIPv4(octets) ? startsWith(octets, 169, 254) : octets[0] === 0xfe && (at(octets, 1) & 0xc0) === 0x80),
    'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  ],
  [
    (octets) =>
      isIPv4(octets) ? startsWith(octets, 224, 0, 0) : octets[0] === 0xff && (at(octets, 1) & 0x0f) === 0x02,
    'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ],
];

const isIPv4 = (octets: Uint8Array): boolean => octets.length === 4;

const at = (octets: Uint8Array, index: number): number => octets[index] ?? 0;

const startsWith = (octets: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((octet, index) => octets[index] === octet);

const isOnlyLast = (octets: Uint8Array, last: number): boolean =>
  octets.at(-1) === last && octets.subarray(0, -1).every((octet) => octet === 0);

/**
 * Refuses an address that no other machine can reach, for the addresses of endpoints.
 *
 * @see release 1.31, `ValidateNonSpecialIP` of core
 */
export function ordinaryAddress(errors: FieldError[], path: string, address: string): void {
  const octets = ipOctets(address);
  if (octets === undefined) return void errors.push(invalid(path, address, PLAIN_IP_TEXT));
  if (octets.every((octet) => octet === 0)) errors.push(invalid(path, address, `may not be unspecified (${address})`));
  for (const [contains, text] of RANGES) if (contains(octets)) errors.push(invalid(path, address, text));
}
