import type { Dialect } from '../../foundation/index.js';

/** A listener of the server, as others reach it. */
export interface AdvertisedListener {
  /** Such as `https://127.0.0.1:6443`. */
  readonly url: string;
  /** Addresses of its host, without those that only the host itself reaches. */
  readonly addresses: readonly string[];
  /** Name of its host; undefined where that is not known. */
  readonly hostname?: string | undefined;
}

/** The listeners of the server, and who it is among those that share a store. */
export interface ListenerSource {
  /** The listener that is advertised; undefined while there is none. */
  current(): AdvertisedListener | undefined;
  /** Calls a function after each change. */
  onChange(changed: () => void): void;
  /** Name of the server's Lease. */
  readonly name: string;
  /** Name of the holder of the Lease: another one after each start of the server. */
  readonly holder: string;
  /** Address of the Service of the server: the first one of the network of services. */
  readonly serviceIP: string;
}

/** Names that the servers of a store share, in a dialect. */
export interface ApiServerNames {
  /** Label of the Leases of servers. */
  readonly identity: string;
  /** Annotation of such a Lease: address and port of the server, `10.1.2.3:6443`. */
  readonly endpoint: string;
}

/** Returns the names. */
export const apiServerNames = ({ labelDomain }: Dialect): ApiServerNames => ({
  identity: `apiserver.${labelDomain}/identity`,
  endpoint: `apiserver.${labelDomain}/endpoint`,
});

/** An address and a port. */
export interface AddressAndPort {
  readonly address: string;
  readonly port: number;
}

/** Returns where others reach a listener; undefined when only its own host does. */
export function reachable({ url, addresses: [address] }: AdvertisedListener): AddressAndPort | undefined {
  if (address === undefined) return undefined;
  const { port, protocol } = new URL(url);
  return { address, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

/** Returns the text of an address and a port, `10.1.2.3:6443` or `[fd00::1]:6443`. */
export const endpointText = ({ address, port }: AddressAndPort): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`;

/** Parses such a text; undefined for another one. */
export function parseEndpoint(text: string): AddressAndPort | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  return address === undefined ? undefined : { address, port: Number(port) };
}
