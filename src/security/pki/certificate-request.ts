/**
 * Parses certificate requests (PKCS #10, RFC 2986) as Go 1.22 does (`x509.ParseCertificateRequest`). Verifies nothing.
 *
 * @module
 */
import { constructedContextTag, DerTag, parsePem, type DerElement } from '../../foundation/index.js';
import {
  Asn1Reader,
  checkInteger,
  readBitString,
  readObjectIdentifier,
  readOptionalBoolean,
} from './asn1/asn1-reader.js';
import { derReader } from './asn1/der.js';
import { ExtensionType, type CertificateExtension } from './asn1/extensions.js';
import { parseAlgorithmIdentifier, parsePublicKey, type PublicKey } from './keys/public-key.js';
import { signatureAlgorithmOf, type SignatureAlgorithm } from './keys/signature-algorithm.js';
import { parseAlternativeNames, type AlternativeNames } from './names/alternative-names.js';
import { parseRequestedName, type DistinguishedName } from './names/distinguished-name.js';
import { X509Error } from './x509-error.js';

/** A parsed certificate request with its requested subject alternative names. Nothing in it is verified. */
export interface CertificateRequest extends AlternativeNames {
  /** The whole request, DER. */
  readonly raw: Uint8Array;
  /** The part that is signed. */
  readonly signed: Uint8Array;
  readonly subject: DistinguishedName;
  readonly publicKey: PublicKey;
  /** Requested extensions. Only the subject alternative names are decoded. */
  readonly extensions: readonly CertificateExtension[];
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signature: Uint8Array;
}

/** PEM label of a request. */
const LABEL = 'CERTIFICATE REQUEST';

/** Maximum size of a request, in bytes. */
const MAX_BYTES = 64 * 1024;

/** Type of the attribute with the requested extensions (RFC 2985 section 5.4.2). */
export const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

/**
 * Parses a PEM request as the API does: the first block must be a request. Text before it, its headers and everything
 * after it are ignored.
 *
 * @throws X509Error `Malformed` with the message of Kubernetes when the request is missing or malformed; `Limit` above 64 KiB
 * @throws RangeError when the PEM is longer than the limit of {@link parsePem}
 */
export function readCertificateRequestPem(pem: string): CertificateRequest {
  const [block] = parsePem(pem, { blocks: 1 }).blocks;
  if (block?.label !== LABEL) throw new X509Error('Malformed', `PEM block type must be ${LABEL}`);
  return parseCertificateRequest(block.bytes);
}

/**
 * Parses a request.
 *
 * @param der the request; copied, so later changes have no effect
 * @throws X509Error `Malformed` with Go's message; `Limit` above 64 KiB
 */
export function parseCertificateRequest(der: Uint8Array): CertificateRequest {
  if (der.length > MAX_BYTES)
    throw new X509Error('Limit', `x509: certificate request of ${der.length} bytes is longer than ${MAX_BYTES}`);
  const raw = new Uint8Array(der);
  const whole = new Asn1Reader(raw);
  const outer = whole.enter(DerTag.sequence, 'certificateRequest');
  const signed = outer.element(DerTag.sequence, 'tbsCertificateRequest');
  const parts = readSigned(new Asn1Reader(signed.content));
  const algorithm = outer.element(DerTag.sequence, 'AlgorithmIdentifier').content;
  const signature = readBitString(outer);
  whole.end();
  const signatureAlgorithm = signatureAlgorithmOf(parseAlgorithmIdentifier(derReader(algorithm)));
  const publicKey = parsePublicKey(parts.publicKey);
  const subject = parseRequestedName(parts.subject);
  const extensions = requestedExtensions(parts.attributes);
  return {
    raw,
    signed: signed.raw,
    signatureAlgorithm,
    signature,
    publicKey,
    subject,
    extensions,
    ...namesIn(extensions),
  };
}

interface SignedParts {
  readonly subject: DerElement;
  readonly publicKey: DerElement;
  readonly attributes: readonly DerElement[];
}

/**
 * Reads the signed part. Any version is accepted. As in Go, the subject is decoded last, so other errors are reported
 * first.
 */
function readSigned(reader: Asn1Reader): SignedParts {
  checkInteger(reader.element(DerTag.integer, 'int').content);
  const subject = reader.any();
  const publicKey = reader.element(DerTag.sequence, 'publicKeyInfo');
  return { subject, publicKey, attributes: reader.enter(constructedContextTag(0), '').list() };
}

/** Collects the extensions of all extension request attributes. Each type may occur once. */
function requestedExtensions(attributes: readonly DerElement[]): CertificateExtension[] {
  const extensions = new Map<string, CertificateExtension>();
  for (const attribute of attributes) {
    const value = extensionRequestIn(attribute);
    if (value === undefined) continue;
    for (const { content } of new Asn1Reader(value.raw).enter(DerTag.sequence, '').list(DerTag.sequence)) {
      const extension = readExtension(new Asn1Reader(content));
      if (extensions.has(extension.type))
        throw new X509Error('Malformed', 'x509: certificate request contains duplicate requested extensions');
      extensions.set(extension.type, extension);
    }
  }
  return [...extensions.values()];
}

/** Returns the first value of an extension request attribute. Ignores other and malformed attributes. */
function extensionRequestIn({ raw }: DerElement): DerElement | undefined {
  try {
    const attribute = new Asn1Reader(raw).enter(DerTag.sequence, '');
    const type = readObjectIdentifier(attribute);
    const [value] = attribute.enter(DerTag.set, '').list();
    return type === EXTENSION_REQUEST ? value : undefined;
  } catch (error) {
    if (error instanceof X509Error) return undefined;
    throw error;
  }
}

function readExtension(reader: Asn1Reader): CertificateExtension {
  const type = readObjectIdentifier(reader);
  const critical = readOptionalBoolean(reader);
  return { type, critical, value: reader.element(DerTag.octetString, '').content };
}

function namesIn(extensions: readonly CertificateExtension[]): AlternativeNames {
  const names = extensions.find(({ type }) => type === ExtensionType.subjectAlternativeName);
  return names === undefined
    ? { dnsNames: [], emailAddresses: [], uris: [], ipAddresses: [], others: 0 }
    : parseAlternativeNames(names.value);
}
