import { goQuote } from '../../../foundation/index.js';
import { malformed } from '../x509-error.js';

const NUMBER = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}\\.${NUMBER}$`);

/**
 * Returns the octets of an IP address: 4 for IPv4, including IPv4-mapped IPv6 addresses, or 16 for IPv6.
 *
 * @param address text or octets
 * @throws X509Error when the address is invalid
 */
export function addressOctets(address: string | Uint8Array): Uint8Array {
  const octets = typeof address === 'string' ? octetsOfText(address) : address;
  if (octets?.length === 4) return octets;
  if (octets?.length !== 16)
    throw malformed(
      `x509: ${typeof address === 'string' ? goQuote(address) : `a value of ${address.length} octets`} is not an IP address`,
    );
  return octets.every((octet, index) => index >= 12 || octet === (index < 10 ? 0 : 0xff))
    ? octets.subarray(12)
    : octets;
}

function octetsOfText(text: string): Uint8Array | undefined {
  const four = IPV4.exec(text);
  if (four !== null) return Uint8Array.from(four.slice(1), Number);
  const groups = /^[0-9a-fA-F:.]+$/.test(text) ? groupsOf(text) : undefined;
  return groups && Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** Returns the eight groups of an IPv6 address. The platform's URL parser normalizes it first. */
function groupsOf(text: string): number[] | undefined {
  if (!URL.canParse(`http://[${text}]/`)) return undefined;
  const [before = '', after] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const numbersOf = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => parseInt(group, 16));
  const [head, tail] = [numbersOf(before), numbersOf(after ?? '')];
  return after === undefined
    ? head
    : [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}
