import { BlockList, isIP, isIPv6 } from 'node:net';
import type { NodeRequest } from './peer.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an address or name can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/**
 * Every host that a request names, without its port: by Host, or by `:authority` of HTTP/2. A request of HTTP/1.0 may name none.
 */
export function hostsOf({ rawHeaders }: NodeRequest): readonly string[] {
  const hosts: string[] = [];
  let authority: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] as string);
    else if (name === ':authority') authority = rawHeaders[at + 1];
  }
  // The two may both be sent and say the same (RFC 9113 section 8.3.1).
  return authority === undefined || hosts.includes(authority) ? hosts : [authority, ...hosts];
}

/**
 * Whether a request in the clear on the loopback address may name this host. A web page of anyone's may have its own name lead to this
 * machine (DNS rebinding) and would then read answers as if they were its own; its name is in Host, which it cannot change.
 *
 * @param accepted names besides those of the loopback address, in lower case
 */
export function acceptsHost(accepted: ReadonlySet<string>, host: string): boolean {
  const name = withoutPort(host).toLowerCase();
  return (
    accepted.has(name) ||
    name.endsWith('.localhost') ||
    (name === 'localhost' || isIP(name) !== 0 ? isLoopback(name) : false)
  );
}

/** `[::1]:80` is `::1`. */
function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'));
  const colon = host.lastIndexOf(':');
  return colon < 0 ? host : host.slice(0, colon);
}
