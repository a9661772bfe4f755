/**
 * Network failures in the words of Go, which Kubernetes passes on to its users.
 *
 * @module
 */
import { ownMember } from '../collections/own-property.js';
import { messageOf } from '../errors/error-message.js';
import { codedCause, type CodedError } from './coded-cause.js';

const UNKNOWN_AUTHORITY = 'x509: certificate signed by unknown authority';

/** Code of the error of a certificate that names its host only as the subject. */
export const NO_ALTERNATIVE_NAME = 'CERT_WITHOUT_ALTERNATIVE_NAME';
/** Go's text for it. */
export const LEGACY_NAME_TEXT = 'x509: certificate relies on legacy Common Name field, use SANs instead';

/** Go's texts for the errors of TLS, by the codes of the host. */
const TLS_TEXTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  [NO_ALTERNATIVE_NAME]: LEGACY_NAME_TEXT,
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
};

/** Go's texts for the errors of a connection, by the codes of the host. */
const CONNECT_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

/**
 * Describes a failed request as Go's HTTP client does. An unknown failure keeps its own message.
 *
 * @param error the error of an `HttpClient`, whose cause has the code of the host
 */
export function networkErrorText(error: unknown): string {
  const cause = codedCause(error);
  if (cause === undefined) return messageOf(error);
  const { code } = cause;
  const tls = ownMember(TLS_TEXTS, code);
  if (tls !== undefined) return `tls: failed to verify certificate: ${tls}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: ${wrongNameText(cause)}`;
  const connect = ownMember(CONNECT_TEXTS, code);
  if (connect !== undefined) return `dial tcp ${addressOf(cause)}: ${connect}`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${textOf(cause, 'hostname')}: no such host`;
  if (code === 'EAI_AGAIN') return `dial tcp: lookup ${textOf(cause, 'hostname')}: server misbehaving`;
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET' ? 'EOF' : messageOf(cause.error);
}

/** Why the certificate of a server is refused, as far as Kubernetes counts it. */
export type CertificateFault = 'missing-san' | 'insecure-sha1';

/**
 * Returns the fault of a certificate for which a request failed; undefined for another failure.
 *
 * @param error the error of an `HttpClient`, whose cause has the code of the host
 */
export function certificateFault(error: unknown): CertificateFault | undefined {
  const cause = codedCause(error);
  if (cause === undefined) return undefined;
  if (cause.code === NO_ALTERNATIVE_NAME) return 'missing-san';
  // Node has no code for the reason of OpenSSL. SHA-1 is the strongest of the digests that it refuses.
  return cause.error.message.endsWith('signature digest algorithm too weak') ? 'insecure-sha1' : undefined;
}

function textOf({ error }: CodedError, member: string): string {
  const value: unknown = Object.getOwnPropertyDescriptor(error, member)?.value;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function addressOf(cause: CodedError): string {
  const address = textOf(cause, 'address');
  return `${address.includes(':') ? `[${address}]` : address}:${textOf(cause, 'port')}`;
}

/** Describes a certificate for other names. The host names them as `DNS:a, DNS:b, IP Address:c`. */
function wrongNameText(cause: CodedError): string {
  const certificate: unknown = Object.getOwnPropertyDescriptor(cause.error, 'cert')?.value;
  const names =
    typeof certificate === 'object' && certificate !== null && 'subjectaltname' in certificate
      ? String(certificate.subjectaltname).replaceAll(/(?:DNS|IP Address):/g, '')
      : '';
  return `certificate is valid for ${names}, not ${textOf(cause, 'host')}`;
}
