import { createHash } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { OutboundTls } from '../../../foundation/index.js';

/** Returns the digest of TLS options, by which connections are kept: it contains no private key. */
export function digestOf({
  certificateAuthority,
  certificate,
  key,
  serverName,
  insecureSkipVerify,
}: OutboundTls): string {
  const options = [
    certificateAuthority ?? '',
    certificate ?? '',
    key ?? '',
    serverName ?? '',
    insecureSkipVerify === true,
  ];
  return createHash('sha256').update(JSON.stringify(options)).digest('base64');
}

/**
 * @param name name of the request in error messages
 * @throws Error for invalid certificates, or when key and certificate do not match
 */
export function secureContextOf(tls: OutboundTls, name: string): SecureContext {
  const { certificateAuthority = '', certificate = '', key = '' } = tls;
  // Node would trust no authority and fail only at the handshake, with a misleading message.
  if (certificateAuthority !== '' && !certificateAuthority.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error(`${name}: the certificate authority to trust is not a PEM certificate`);
  }
  if ((certificate === '') !== (key === ''))
    throw new Error(`${name}: a client certificate and its key must be given together`);
  try {
    return createSecureContext({
      // As Go does: a certificate that is trusted needs no issuer, be it an intermediate or that of the server itself.
      allowPartialTrustChain: true,
      ...(certificateAuthority === '' ? {} : { ca: certificateAuthority }),
      ...(key === '' ? {} : { cert: certificate, key }),
    });
  } catch (error) {
    throw new Error(
      `${name}: invalid TLS options: ${error instanceof Error && 'code' in error ? String(error.code) : 'malformed PEM'}`,
    );
  }
}
