/**
 * Parses X.509 certificates (RFC 5280) as Go does: strict DER, any version. Verifies nothing.
 *
 * @module
 */
import { constructedContextTag, contextTag, DerTag, equalBytes, type DerReader } from '../../foundation/index.js';
import { derReader } from './asn1/der.js';
import { parseExtensions, readExtensions, type CertificateExtension, type ExtensionFacts } from './asn1/extensions.js';
import { parseAlgorithmIdentifier, parsePublicKey, type PublicKey } from './keys/public-key.js';
import { signatureAlgorithmOf, type SignatureAlgorithm } from './keys/signature-algorithm.js';
import { parseDistinguishedName, type DistinguishedName } from './names/distinguished-name.js';
import { parseValidity, type Validity } from './validity.js';
import { malformed, X509Error } from './x509-error.js';

/** A parsed certificate. Nothing in it is verified. */
export interface Certificate extends Validity, ExtensionFacts {
  /** The whole certificate, DER. */
  readonly raw: Uint8Array;
  /** The part that is signed. */
  readonly signed: Uint8Array;
  readonly version: 1 | 2 | 3;
  readonly serialNumber: bigint;
  readonly issuer: DistinguishedName;
  readonly subject: DistinguishedName;
  readonly publicKey: PublicKey;
  readonly extensions: readonly CertificateExtension[];
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signature: Uint8Array;
}

/** Maximum size of a certificate, in bytes. */
const MAX_BYTES = 64 * 1024;

/**
 * Parses a certificate.
 *
 * @param der the certificate; copied, so later changes have no effect
 * @throws X509Error `Malformed` with Go's message; `Limit` above 64 KiB
 */
export function parseCertificate(der: Uint8Array): Certificate {
  if (der.length > MAX_BYTES)
    throw new X509Error('Limit', `x509: certificate of ${der.length} bytes is longer than ${MAX_BYTES}`);
  const raw = new Uint8Array(der);
  const whole = derReader(raw);
  const outer = whole.enter(DerTag.sequence, 'x509: malformed certificate');
  whole.end('x509: trailing data');
  const signed = outer.element(DerTag.sequence, 'x509: malformed tbs certificate');
  const algorithm = outer.element(DerTag.sequence, 'x509: malformed algorithm identifier').content;
  const { bytes: signature, unusedBits } = outer.bitString('x509: malformed signature');
  outer.end('x509: malformed certificate');
  if (unusedBits !== 0) throw malformed('x509: malformed signature');
  return { raw, signed: signed.raw, ...readSigned(derReader(signed.content), algorithm), signature };
}

/** @param outerAlgorithm algorithm beside the signature; the signed algorithm must be the same */
function readSigned(reader: DerReader, outerAlgorithm: Uint8Array): Omit<Certificate, 'raw' | 'signed' | 'signature'> {
  const version = readVersion(reader);
  const serialNumber = reader.integer('x509: malformed serial number');
  const algorithm = reader.element(DerTag.sequence, 'x509: malformed signature algorithm identifier').content;
  if (!equalBytes(algorithm, outerAlgorithm))
    throw malformed("x509: inner and outer signature algorithm identifiers don't match");
  const signatureAlgorithm = signatureAlgorithmOf(parseAlgorithmIdentifier(derReader(algorithm)));
  const issuer = parseDistinguishedName(reader.element(DerTag.sequence, 'x509: malformed issuer'));
  const validity = parseValidity(reader.enter(DerTag.sequence, 'x509: malformed validity'));
  const subject = parseDistinguishedName(reader.element(DerTag.sequence, 'x509: malformed subject'));
  const publicKey = parsePublicKey(reader.element(DerTag.sequence, 'x509: malformed spki'));
  const extensions = readExtensionList(reader, version);
  return {
    version,
    serialNumber,
    signatureAlgorithm,
    issuer,
    subject,
    publicKey,
    ...validity,
    ...readExtensions(extensions),
    extensions,
  };
}

function readVersion(reader: DerReader): 1 | 2 | 3 {
  const problem = 'x509: malformed version';
  if (!reader.nextIs(constructedContextTag(0))) return 1;
  const field = reader.enter(constructedContextTag(0), problem);
  const version = field.smallInteger(problem);
  field.end(problem);
  if (version > 2) throw malformed('x509: invalid version');
  return version === 2 ? 3 : version === 1 ? 2 : 1;
}

/** Reads the extensions of version 3. As in Go, data after the key of an older version is ignored. */
function readExtensionList(reader: DerReader, version: 1 | 2 | 3): readonly CertificateExtension[] {
  if (version < 3) return [];
  reader.optional(contextTag(1), 'x509: malformed issuerUniqueID');
  reader.optional(contextTag(2), 'x509: malformed subjectUniqueID');
  const problem = 'x509: malformed extensions';
  const field = reader.optional(constructedContextTag(3), problem);
  reader.end(problem);
  if (field === undefined) return [];
  return parseExtensions(derReader(field.content).enterOnly(DerTag.sequence, problem));
}

/** Returns true when issuer and subject are equal, whatever key signed the certificate. */
export function isSelfIssued({ issuer, subject }: Certificate): boolean {
  return equalBytes(issuer.raw, subject.raw);
}
