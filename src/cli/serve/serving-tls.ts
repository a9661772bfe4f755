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

/** Where the certificate comes from. */
export interface ServingTlsOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly directory: string;
  readonly bindAddress: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/**
 * The certificate of the two files, or a self-made one.
 *
 * @throws UsageError when only one of the files is given, or they do not belong together
 * @throws StartError when the directory of the self-made one cannot be used
 */
export function servingTls(options: ServingTlsOptions): Promise<ServingTls> {
  if (options.certFile === '' && options.keyFile === '') return selfMade(options);
  if (options.certFile === '' || options.keyFile === '') throw new UsageError('--tls-cert-file and --tls-private-key-file go together: give both, or none');
  return given(options);
}

async function given({ certFile, keyFile }: ServingTlsOptions): Promise<ServingTls> {
  const cert = await readFlagFile('tls-cert-file', certFile);
  const key = await readFlagFile('tls-private-key-file', keyFile);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new UsageError(`--tls-cert-file, --tls-private-key-file: ${reasonOf(error)}`);
  }
  return { key, cert, authority: cert };
}

async function selfMade({ directory, bindAddress, clock, entropy }: ServingTlsOptions): Promise<ServingTls> {
  const addresses = ['127.0.0.1', '::1', ...reachedAt(bindAddress)];
  try {
    const made = await loadOrCreateServingCertificate(directory, { names: ['localhost', hostname()], addresses: [...new Set(addresses)], clock, entropy });
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
  return all.filter(({ address, scopeid }) => !address.includes('%') && (scopeid ?? 0) === 0).map(({ address }) => address);
}
