import { X509Certificate, createPrivateKey } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../foundation/index.js';
import {
  checkServingCertificate,
  createServingCertificate,
  DEFAULT_ADDRESSES,
  DEFAULT_NAMES,
  dnsNameOf,
  type ServingCertificate,
  type ServingCertificateOptions,
} from './certificates.js';

const FILES = { caPem: 'ca.crt', certPem: 'apiserver.crt', keyPem: 'apiserver.key' } as const;

/** Minimum remaining fraction of a certificate's lifetime for reuse. */
const RENEW_BELOW = 0.2;

/**
 * Loads the serving certificate of a directory (`ca.crt`, `apiserver.crt`, `apiserver.key`), or creates one and stores
 * it there; only the owner can read the key. A certificate that does not cover the requested names, expires soon, or is
 * of another authority than a given one, is replaced.
 *
 * @throws TypeError that names an invalid option; Error of Node when the directory cannot be read or written
 */
export async function loadOrCreateServingCertificate(
  directory: string,
  options: ServingCertificateOptions = {},
): Promise<ServingCertificate> {
  checkServingCertificate('loadOrCreateServingCertificate', options);
  const stored = await load(directory);
  if (stored !== undefined && isUsable(stored, options)) return stored;
  const created = await createServingCertificate(options);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const part of ['keyPem', 'certPem', 'caPem'] as const) {
    const file = join(directory, FILES[part]);
    const mode = part === 'keyPem' ? 0o600 : 0o644;
    await writeFile(file, created[part], { mode });
    // `mode` above applies only to new files.
    await chmod(file, mode);
  }
  return created;
}

async function load(directory: string): Promise<ServingCertificate | undefined> {
  try {
    const [caPem, certPem, keyPem] = await Promise.all(
      [FILES.caPem, FILES.certPem, FILES.keyPem].map((file) => readFile(join(directory, file), 'utf8')),
    );
    return caPem === undefined || certPem === undefined || keyPem === undefined
      ? undefined
      : { caPem, certPem, keyPem };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isUsable(stored: ServingCertificate, options: ServingCertificateOptions): boolean {
  try {
    const certificate = new X509Certificate(stored.certPem);
    const from = Date.parse(certificate.validFrom);
    const to = Date.parse(certificate.validTo);
    const now = (options.clock ?? systemClock).now();
    return (
      now >= from &&
      to - now > (to - from) * RENEW_BELOW &&
      certificate.checkPrivateKey(createPrivateKey(stored.keyPem)) &&
      certificate.verify(new X509Certificate(stored.caPem).publicKey) &&
      (options.authority === undefined || stored.caPem === options.authority.certificatePem) &&
      (options.names ?? DEFAULT_NAMES).every((name) => certificate.checkHost(dnsNameOf(name)) !== undefined) &&
      (options.addresses ?? DEFAULT_ADDRESSES).every((address) => certificate.checkIP(address) !== undefined)
    );
  } catch {
    // Invalid certificates and keys are replaced.
    return false;
  }
}
