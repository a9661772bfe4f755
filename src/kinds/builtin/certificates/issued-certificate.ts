import {
  decodeBase64Latin1,
  forbidden,
  goQuote,
  invalid,
  messageOf,
  parsePem,
  type FieldError,
} from '../../../foundation/index.js';
import { derReader, parseCertificate, type Certificate } from '../../../security/index.js';
import { APPROVED, DENIED, FAILED, hasCondition } from './conditions.js';
import type { CertificateSigningRequestFields } from './request-fields.js';

const PATH = 'status.certificate';
const BLOCK = 'CERTIFICATE';

/** Parses the certificates in a block, which may contain several in sequence. @throws X509Error with Go's text */
export function certificatesIn(block: Uint8Array): Certificate[] {
  const found: Certificate[] = [];
  for (const reader = derReader(block); !reader.done;)
    found.push(parseCertificate(reader.any('x509: malformed certificate').raw));
  return found;
}

/**
 * Returns Kubernetes' message when a text is not a PEM certificate chain, or undefined. Text around the blocks is
 * ignored.
 */
function problemOf(pem: string): string | undefined {
  const { blocks } = parsePem(pem);
  if (blocks.length === 0) return `must contain at least one ${BLOCK} PEM block`;
  for (const { label, headers, bytes } of blocks) {
    if (label !== BLOCK) return `only ${BLOCK} PEM blocks are allowed, found ${goQuote(label)}`;
    if (headers.size > 0) return 'no PEM block headers are permitted';
    try {
      if (certificatesIn(bytes).length === 0) return `found ${BLOCK} PEM block containing 0 certificates`;
    } catch (error) {
      return messageOf(error);
    }
  }
  return undefined;
}

/** Validates an issued certificate. An unchanged one is not validated again. */
export function certificateErrors(
  errors: FieldError[],
  { certificate = '' }: CertificateSigningRequestFields['status'],
  old: CertificateSigningRequestFields['status'] | undefined,
): void {
  if (certificate === '' || certificate === old?.certificate) return;
  const problem = problemOf(decodeBase64Latin1(certificate) ?? '');
  if (problem !== undefined) errors.push(invalid(PATH, '<certificate data>', problem));
}

/**
 * Validates a change of the certificate (identity-resources.md, "CertificateSigningRequest"): it is written once, for a
 * request that is approved and neither denied nor failed. As in Kubernetes, the certificate may come from any signer.
 */
export function certificateChangeErrors(
  errors: FieldError[],
  status: CertificateSigningRequestFields['status'],
  old: CertificateSigningRequestFields['status'],
): void {
  const { certificate = '', conditions = [] } = status;
  const { certificate: before = '' } = old;
  if (certificate !== before && before !== '')
    errors.push(forbidden(PATH, 'updates may not modify existing certificate content'));
  else if (certificate !== before) {
    for (const type of [DENIED, FAILED])
      if (hasCondition(conditions, type))
        errors.push(
          forbidden(PATH, `updates may not set certificate content with a condition of type ${goQuote(type)}`),
        );
    if (!hasCondition(conditions, APPROVED))
      errors.push(
        forbidden(PATH, `updates may not set certificate content without a condition of type ${goQuote(APPROVED)}`),
      );
  }
  const fails = hasCondition(conditions, FAILED) && !hasCondition(old.conditions ?? [], FAILED);
  if (fails && before !== '')
    errors.push(
      forbidden(
        'status.conditions',
        `updates may not add a condition of type ${goQuote(FAILED)} once certificate content is set`,
      ),
    );
}
