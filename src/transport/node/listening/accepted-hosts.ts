import { BlockList, isIP, isIPv6 } from 'node:net';
import type { NodeRequest } from '../peer.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** The loopback names that nearly all requests have: the check of a list of addresses costs as much as a small answer. */
const isCommonLoopback = (name: string): boolean => name === '127.0.0.1' || name === 'localhost' || name === '::1';

/** Returns whether an address or name is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return isCommonLoopback(host) || loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** Returns the hosts in a request: the Host fields and `:authority` of HTTP/2. An HTTP/1.0 request may have none. */
export function hostsOf({ rawHeaders }: NodeRequest): readonly string[] {
  const hosts: string[] = [];
  let authority: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] as string);
    else if (name === ':authority') authority = rawHeaders[at + 1];
  }
  // Both may be sent with the same value (RFC 9113 section 8.3.1).
  return authority === undefined || hosts.includes(authority) ? hosts : [authority, ...hosts];
}

/**
 * Returns whether a plaintext request on the loopback address may have this host. This prevents DNS rebinding: a
 * malicious web page can let its domain name resolve to this machine to read the responses, but it cannot change the
 * Host header, which contains its name.
 *
 * @param accepted additional host names, in lower case
 */
export function acceptsHost(accepted: ReadonlySet<string>, host: string): boolean {
  const name = withoutPort(host).toLowerCase();
  return (
    isCommonLoopback(name) ||
    accepted.has(name) ||
    name.endsWith('.localhost') ||
    (isIP(name) !== 0 && isLoopback(name))
  );
}

/** Removes the port: `[::1]:80` becomes `::1`. */
function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'));
  const colon = host.lastIndexOf(':');
  return colon < 0 ? host : host.slice(0, colon);
}
