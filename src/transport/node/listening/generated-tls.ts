import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServingCertificate, DEFAULT_ADDRESSES, DEFAULT_NAMES } from './certificates.js';
import type { TlsOptions } from './listen-options.js';

/** A generated certificate. */
export interface GeneratedTls {
  readonly tls: TlsOptions;
  /** Certificate authority, for clients, in PEM. */
  readonly authority: string;
}

/** Creates a certificate for all names and addresses at which a listener on a host is reached. */
export async function generateTls(host: string): Promise<GeneratedTls> {
  const isAddress = isIP(host) !== 0;
  const names = isAddress || DEFAULT_NAMES.includes(host) ? DEFAULT_NAMES : [...DEFAULT_NAMES, host];
  const addresses = [...DEFAULT_ADDRESSES, ...(isAddress ? reachedAt(host) : [])];
  const { caPem, certPem, keyPem } = await createServingCertificate({ names, addresses: [...new Set(addresses)] });
  return { tls: { key: keyPem, cert: certPem }, authority: caPem };
}

/** Returns the addresses of a listener: those of the host for an unspecified one. */
function reachedAt(address: string): readonly string[] {
  if (address !== '0.0.0.0' && address !== '::') return [address];
  return Object.values(networkInterfaces())
    .flatMap((interfaces = []) => interfaces)
    .map((one) => one.address)
    .filter((one) => !one.startsWith('fe80:'));
}
