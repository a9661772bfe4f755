import { parseCertificate, type Certificate } from './certificate.js';
import { parsePem, type PemLimits } from '../encoding/pem.js';

/**
 * Reads the certificates of a bundle, as production reads files of authorities: blocks of other kinds, blocks with headers and text
 * between blocks are passed over, a certificate that cannot be read is an error, and so is a bundle without any.
 *
 * @param pem text with any number of blocks `CERTIFICATE`
 * @throws X509Error for a certificate that cannot be read; Error when there is none; RangeError past the limit
 */
export function parseCertificateBundle(pem: string, limits?: PemLimits): Certificate[] {
  const blocks = parsePem(pem, limits).blocks.filter(
    ({ label, headers }) => label === 'CERTIFICATE' && headers.size === 0,
  );
  if (blocks.length === 0) throw new Error('data does not contain any valid RSA or ECDSA certificates');
  return blocks.map(({ bytes }) => parseCertificate(bytes));
}
