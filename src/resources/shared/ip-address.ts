/** Message for an invalid IP address. */
export const IP_TEXT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^[0-9]{1,3}$/.test(part) && Number(part) <= 255);
}

function isIPv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  // The last 32 bits may be written as an IPv4 address.
  const mapped = last.includes('.');
  if (mapped && !isIPv4(last)) return false;
  const plain = mapped ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const count = plain.length + (mapped ? 2 : 0);
  return halves.length === 2 ? count < 8 : count === 8;
}

/** Returns the family of an IP address, or undefined when it is invalid. Accepts leading zeros in IPv4 addresses. */
export function ipFamily(text: string): 'IPv4' | 'IPv6' | undefined {
  if (isIPv4(text)) return 'IPv4';
  return text.includes(':') && isIPv6(text) ? 'IPv6' : undefined;
}
