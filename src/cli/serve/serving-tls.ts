import { hostname, networkInterfaces } from 'node:os';
import { createSecureContext } from 'node:tls';
import type { Clock, Entropy } from '../../meta/index.js';
import { loadOrCreateServingCertificate } from '../../transport/node/index.js';
import { StartError, UsageError } from '../usage-error.js';
import { readFlagFile, reasonOf } from './files.js';

/** What the secure port shows, and what its clients trust; PEM. */
export interface ServingTls {
  readonly key: string;
  readonly cert: string;
  /** Authority for the kubeconfig. */
  readonly authority: string;
}

/**
 * The certificate of the two files; undefined when neither is given.
 *
 * @throws UsageError when only one of them is given, one cannot be read, or they do not belong together
 */
export async function givenTls(certFile: string, keyFile: string): Promise<ServingTls | undefined> {
  if (certFile === '' && keyFile === '') return undefined;
  if (certFile === '' || keyFile === '')
    throw new UsageError('--tls-cert-file and --tls-private-key-file go together: give both, or none');
  const cert = await readFlagFile('tls-cert-file', certFile);
  const key = await readFlagFile('tls-private-key-file', keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new UsageError(`--tls-cert-file, --tls-private-key-file: ${reasonOf(error)}`);
  }
  return { key, cert, authority: cert };
}

/** What a certificate is made of. */
export interface SelfMadeTlsOptions {
  readonly directory: string;
  readonly bindAddress: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/**
 * The certificate that is kept in the directory, or a new one.
 *
 * @throws StartError when the directory cannot be used
 */
export async function selfMadeTls({ directory, bindAddress, clock, entropy }: SelfMadeTlsOptions): Promise<ServingTls> {
  const addresses = ['127.0.0.1', '::1', ...reachedAt(bindAddress)];
  try {
    const made = await loadOrCreateServingCertificate(directory, {
      names: ['localhost', hostname()],
      addresses: [...new Set(addresses)],
      clock,
      entropy,
    });
    return { key: made.keyPem, cert: made.certPem, authority: made.caPem };
  } catch (error) {
    throw new StartError(`--cert-dir: ${reasonOf(error)}`);
  }
}

/** Addresses by which a listener is reached: its own, or those of the machine. */
function reachedAt(bindAddress: string): string[] {
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return [bindAddress];
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // The addresses of a link hold only together with its name, which a certificate has no place for.
  return all
    .filter(({ address, scopeid }) => !address.includes('%') && (scopeid ?? 0) === 0)
    .map(({ address }) => address);
}
