import { parseCertificate } from '../../pki/certificate.js';
import { encodePem, parsePem } from '../../encoding/pem.js';
import { mergeTrustBundles } from '../../pki/trust-bundle.js';

/**
 * What of a chain of certificates can stand in a trust bundle: the authorities in it, each once, and nothing else. A file with a serving
 * certificate has that certificate in it, too.
 *
 * @returns PEM; empty when there are none
 * @throws X509Error for a certificate that cannot be read
 */
export function anchorsOf(pem: string): string {
  const blocks = parsePem(pem).blocks.filter(({ label }) => label === 'CERTIFICATE');
  const authorities = blocks.filter(({ bytes }) => parseCertificate(bytes).basicConstraints?.isAuthority === true);
  return authorities.length === 0
    ? ''
    : mergeTrustBundles(authorities.map(({ bytes }) => encodePem('CERTIFICATE', bytes)));
}
