import { isIPv4 } from 'node:net';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Returns the addresses at which other hosts reach a listener: its own one; or that of a network interface of the host
 * when it listens on all addresses, or only on loopback. Kubernetes chooses the address that it advertises the same way.
 */
export function advertisedAddresses({ address }: AddressInfo): string[] {
  if (!isLocal(address)) return [address];
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const external = interfaces.filter(({ internal, address: other }) => !internal && !other.startsWith('fe80:'));
  const chosen = external.find(({ family }) => family === 'IPv4') ?? external[0];
  return chosen === undefined ? [] : [chosen.address];
}

const isLocal = (address: string): boolean =>
  address === '::' || address === '::1' || (isIPv4(address) && (address === '0.0.0.0' || address.startsWith('127.')));
