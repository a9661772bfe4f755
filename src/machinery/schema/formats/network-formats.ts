/**
 * The formats `ipv4`, `ipv6`, `cidr` and `mac`. As in Kubernetes, `ipv4` and `cidr` accept leading zeros, and `ipv4` an
 * IPv6 address that ends with one.
 *
 * @module
 */

const DECIMAL = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
/** Numbers as Go read them before version 1.17. */
const SLOPPY_DECIMAL = /^0*(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const SLOPPY_GROUP = /^0*[0-9a-f]{1,4}$/i;

/** How the numbers of an address are written. */
interface Notation {
  readonly decimal: RegExp;
  readonly group: RegExp;
}

const STRICT: Notation = { decimal: DECIMAL, group: GROUP };
const SLOPPY: Notation = { decimal: SLOPPY_DECIMAL, group: SLOPPY_GROUP };

function isIpv4(text: string, { decimal }: Notation): boolean {
  const parts = text.split('.', 5);
  return parts.length === 4 && parts.every((part) => decimal.test(part));
}

function isIpv6(text: string, notation: Notation): boolean {
  const halves = text.split('::', 3);
  if (!text.includes(':') || halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':', 9)));
  const last = groups.at(-1) ?? '';
  const hasIpv4 = last.includes('.');
  if (hasIpv4 && !isIpv4(last, notation)) return false;
  if (hasIpv4) groups.pop();
  if (!groups.every((group) => notation.group.test(group))) return false;
  const count = groups.length + (hasIpv4 ? 2 : 0);
  return halves.length === 2 ? count < 8 : count === 8;
}

/** Returns the length of an address in bits; undefined for another text. */
function sloppyBits(text: string): 32 | 128 | undefined {
  const separator = /[.:]/.exec(text)?.[0];
  if (separator === '.') return isIpv4(text, SLOPPY) ? 32 : undefined;
  return isIpv6(text, SLOPPY) ? 128 : undefined;
}

/** Returns whether a text is an IPv4 address. */
export const ipv4 = (text: string): boolean => text.includes('.') && sloppyBits(text) !== undefined;

/** Returns whether a text is an IPv6 address. */
export const ipv6 = (text: string): boolean => isIpv6(text, STRICT);

/** Returns whether a text is a network: an address with the length of its prefix. */
export function cidr(text: string): boolean {
  const slash = text.indexOf('/');
  const bits = slash < 0 ? undefined : sloppyBits(text.slice(0, slash));
  const length = text.slice(slash + 1);
  return bits !== undefined && /^\d+$/.test(length) && Number(length) <= bits;
}

/** The longest address, of 20 bytes. */
const MAX_MAC_LENGTH = 59;
const PAIRS = /^[0-9a-f]{2}(?:(?::[0-9a-f]{2})+|(?:-[0-9a-f]{2})+)$/i;
const QUADRUPLES = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i;
/** Bytes of the addresses of Ethernet, EUI-64 and InfiniBand. */
const MAC_BYTES: ReadonlySet<number> = new Set([6, 8, 20]);

/** Returns whether a text is a hardware address of 6, 8 or 20 bytes. */
export function mac(text: string): boolean {
  if (text.length > MAX_MAC_LENGTH) return false;
  if (PAIRS.test(text)) return MAC_BYTES.has((text.length + 1) / 3);
  return QUADRUPLES.test(text) && MAC_BYTES.has((2 * (text.length + 1)) / 5);
}
