import { hostname, networkInterfaces } from 'node:os';
import { createSecureContext } from 'node:tls';
import type { Clock, Dialect, Entropy } from '../../../foundation/index.js';
import type { CertificateAuthority } from '../../../security/index.js';
import { importGeneratedAuthority } from '../../../security/late.js';
import type { Storage } from '../../../storage/index.js';
import { loadOrCreateServingCertificate } from '../../../transport/node.js';
import { StartError, UsageError } from '../../usage-error.js';
import { readFlagFile, reasonOf } from '../files.js';

/** Key and certificate of the secure port, and the authority that clients trust (PEM). */
export interface ServingTls {
  readonly key: string;
  readonly cert: string;
  /** Authority for the kubeconfig. */
  readonly authority: string;
}

/** Returns the certificate from the two files; undefined when neither is given.
 *
 * @throws UsageError when only one of them is given, one cannot be read, or they do not match
 */
export async function tlsFromFiles(certFile: string, keyFile: string): Promise<ServingTls | undefined> {
  if (certFile === '' && keyFile === '') return undefined;
  if (certFile === '' || keyFile === '')
    throw new UsageError('--tls-cert-file and --tls-private-key-file must be given together');
  const cert = await readFlagFile('tls-cert-file', certFile);
  const key = await readFlagFile('tls-private-key-file', keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new UsageError(`--tls-cert-file, --tls-private-key-file: ${reasonOf(error)}`);
  }
  return { key, cert, authority: cert };
}

/** Options of {@link generatedTls}. */
export interface GeneratedTlsOptions {
  readonly directory: string;
  readonly bindAddress: string;
  /** The authority that signs; undefined for one that only this server has. */
  readonly authority: CertificateAuthority | undefined;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** Returns the certificate stored in the directory, or generates a new one.
 *
 * @throws StartError when the directory is unusable
 */
export async function generatedTls({
  directory,
  bindAddress,
  authority,
  clock,
  entropy,
}: GeneratedTlsOptions): Promise<ServingTls> {
  const addresses = ['127.0.0.1', '::1', ...addressesOf(bindAddress)];
  try {
    const made = await loadOrCreateServingCertificate(directory, {
      names: ['localhost', hostname()],
      addresses: [...new Set(addresses)],
      authority,
      clock,
      entropy,
    });
    return { key: made.keyPem, cert: made.certPem, authority: made.caPem };
  } catch (error) {
    throw new StartError(`--cert-dir: ${reasonOf(error)}`);
  }
}

/**
 * Returns the authority of the serving certificates of all servers that share a store, which keeps it.
 *
 * @throws StorageError when the storage fails
 */
export async function sharedAuthority(parts: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly dialect: Dialect;
}): Promise<CertificateAuthority> {
  const { GeneratedAuthority, servingPurpose } = await importGeneratedAuthority();
  const stored = new GeneratedAuthority({ ...parts, purpose: servingPurpose });
  try {
    return await stored.current();
  } finally {
    stored.close();
  }
}

/** Returns the addresses of a listener: its own, or all addresses of the machine. */
function addressesOf(bindAddress: string): string[] {
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return [bindAddress];
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // Link-local addresses need a zone name, which a certificate cannot contain.
  return all
    .filter(({ address, scopeid }) => !address.includes('%') && (scopeid ?? 0) === 0)
    .map(({ address }) => address);
}
