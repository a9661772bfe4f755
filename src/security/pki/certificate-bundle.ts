import { encodePem, parsePem, type PemLimits } from '../../foundation/index.js';
import { parseCertificate, type Certificate } from './certificate.js';

/**
 * Parses a certificate bundle as Kubernetes parses CA files: ignores blocks of other types, blocks with headers and
 * text between blocks. An invalid certificate is an error, and so is a bundle without certificates.
 *
 * @param pem any number of blocks `CERTIFICATE`
 * @throws X509Error when a certificate is invalid; Error when there is none; RangeError above the limit
 */
export function parseCertificateBundle(pem: string, limits?: PemLimits): Certificate[] {
  const blocks = parsePem(pem, limits).blocks.filter(
    ({ label, headers }) => label === 'CERTIFICATE' && headers.size === 0,
  );
  if (blocks.length === 0) throw new Error('data does not contain any valid RSA or ECDSA certificates');
  return blocks.map(({ bytes }) => parseCertificate(bytes));
}

/** A certificate of a bundle. */
export interface BundledCertificate {
  /** The certificate alone, in one form whatever the bundle has. */
  readonly pem: string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
}

/** Returns the certificates of a bundle that somebody else may have written: none if it cannot be read. */
export function readableCertificates(pem: string, limits?: PemLimits): readonly BundledCertificate[] {
  try {
    return parseCertificateBundle(pem, limits).map(({ raw, notAfter }) => ({
      pem: encodePem('CERTIFICATE', raw),
      notAfter,
    }));
  } catch {
    return [];
  }
}
