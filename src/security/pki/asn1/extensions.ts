/**
 * Parses certificate extensions (RFC 5280 section 4.2).
 *
 * @module
 */
import { contextTag, DerTag, type DerReader } from '../../../foundation/index.js';
import { parseAlternativeNames, type AlternativeNames } from '../names/alternative-names.js';
import { parseNameConstraints, type NameConstraints } from '../names/name-constraints.js';
import { malformed } from '../x509-error.js';
import { derReader } from './der.js';

/** Object identifiers of extensions. */
export const ExtensionType = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  authorityInformationAccess: '1.3.6.1.5.5.7.1.1',
} as const;

/** Key usages, in the order of the bits (RFC 5280 section 4.2.1.3). */
export const keyUsages = [
  'digitalSignature',
  'contentCommitment',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const satisfies readonly KeyUsage[];

/** A key usage. */
export type KeyUsage =
  | 'digitalSignature'
  | 'contentCommitment'
  | 'keyEncipherment'
  | 'dataEncipherment'
  | 'keyAgreement'
  | 'keyCertSign'
  | 'cRLSign'
  | 'encipherOnly'
  | 'decipherOnly';

/** Object identifiers of extended key usages (RFC 5280 section 4.2.1.12). */
export const ExtendedKeyUsage = {
  any: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  ipsecEndSystem: '1.3.6.1.5.5.7.3.5',
  ipsecTunnel: '1.3.6.1.5.5.7.3.6',
  ipsecUser: '1.3.6.1.5.5.7.3.7',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  microsoftServerGatedCrypto: '1.3.6.1.4.1.311.10.3.3',
  netscapeServerGatedCrypto: '2.16.840.1.113730.4.1',
} as const;

/** An undecoded extension. */
export interface CertificateExtension {
  /** Object identifier in dots. */
  readonly type: string;
  /** Whether a verifier that does not support the extension must refuse the certificate. */
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** Basic constraints: whether a certificate is a CA. */
export interface BasicConstraints {
  readonly isAuthority: boolean;
  /** Maximum number of CA certificates below it; undefined: unlimited. */
  readonly pathLength: number | undefined;
}

/** The decoded extensions of a certificate. */
export interface ExtensionFacts {
  /** Undefined when the extension is absent. */
  readonly basicConstraints?: BasicConstraints | undefined;
  /** Undefined when the extension is absent; empty when it names no usage. */
  readonly keyUsages?: ReadonlySet<KeyUsage> | undefined;
  /** Object identifiers of the extended key usages; empty when the certificate is valid for every purpose. */
  readonly extendedKeyUsages: readonly string[];
  readonly alternativeNames?: AlternativeNames | undefined;
  readonly nameConstraints?: NameConstraints | undefined;
  readonly subjectKeyIdentifier?: Uint8Array | undefined;
  readonly authorityKeyIdentifier?: Uint8Array | undefined;
  /** Object identifiers of the unsupported critical extensions. */
  readonly unhandledCritical: readonly string[];
}

/** The content of an extension, and whether all of it is supported. */
interface Reading {
  readonly facts?: Partial<ExtensionFacts> | undefined;
  readonly understood: boolean;
}

const types: ReadonlyMap<string, (extension: CertificateExtension) => Reading> = new Map<
  string,
  (extension: CertificateExtension) => Reading
>([
  [ExtensionType.basicConstraints, ({ value }) => understood({ basicConstraints: parseBasicConstraints(value) })],
  [ExtensionType.keyUsage, ({ value }) => understood({ keyUsages: parseKeyUsages(value) })],
  [ExtensionType.extendedKeyUsage, ({ value }) => understood({ extendedKeyUsages: parseExtendedKeyUsages(value) })],
  [ExtensionType.subjectAlternativeName, ({ value }) => readAlternativeNames(value)],
  [ExtensionType.nameConstraints, ({ value }) => readNameConstraints(value)],
  [
    ExtensionType.subjectKeyIdentifier,
    (extension) => understood({ subjectKeyIdentifier: parseSubjectKeyIdentifier(extension) }),
  ],
  [ExtensionType.authorityKeyIdentifier, (extension) => understood(authorityKeyFacts(extension))],
  // These extensions do not restrict the validity of a certificate.
  [ExtensionType.crlDistributionPoints, ({ value }) => sequenceOnly(value, 'x509: invalid CRL distribution points')],
  [ExtensionType.certificatePolicies, ({ value }) => sequenceOnly(value, 'x509: invalid certificate policies')],
  [ExtensionType.authorityInformationAccess, ({ value }) => sequenceOnly(value, 'x509: invalid authority info access')],
]);

function understood(facts: Partial<ExtensionFacts>): Reading {
  return { facts, understood: true };
}

/** Decodes extensions. @throws X509Error when a supported extension is malformed */
export function readExtensions(extensions: readonly CertificateExtension[]): ExtensionFacts {
  let facts: ExtensionFacts = { extendedKeyUsages: [], unhandledCritical: [] };
  const unhandledCritical: string[] = [];
  for (const extension of extensions) {
    const reading = types.get(extension.type)?.(extension) ?? { understood: false };
    facts = { ...facts, ...reading.facts };
    if (extension.critical && !reading.understood) unhandledCritical.push(extension.type);
  }
  return { ...facts, unhandledCritical };
}

/** Parses the extension list of a certificate or request. @throws X509Error when it is malformed or has duplicates */
export function parseExtensions(list: DerReader): CertificateExtension[] {
  const extensions = new Map<string, CertificateExtension>();
  while (!list.done) {
    const extension = parseExtension(list.enter(DerTag.sequence, 'x509: malformed extension'));
    if (extensions.has(extension.type))
      throw malformed(`x509: certificate contains duplicate extension with OID "${extension.type}"`);
    extensions.set(extension.type, extension);
  }
  return [...extensions.values()];
}

function parseExtension(reader: DerReader): CertificateExtension {
  const type = reader.objectIdentifier('x509: malformed extension OID field');
  const critical = reader.optionalBoolean('x509: malformed extension critical field');
  const value = reader.element(DerTag.octetString, 'x509: malformed extension value field').content;
  reader.end('x509: malformed extension');
  return { type, critical, value };
}

function parseBasicConstraints(value: Uint8Array): BasicConstraints {
  const problem = 'x509: invalid basic constraints';
  const reader = derReader(value).enterOnly(DerTag.sequence, problem);
  const isAuthority = reader.optionalBoolean(problem);
  const pathLength = reader.nextIs(DerTag.integer) ? reader.smallInteger(problem) : undefined;
  reader.end(problem);
  return { isAuthority, pathLength };
}

function parseKeyUsages(value: Uint8Array): ReadonlySet<KeyUsage> {
  const problem = 'x509: invalid key usage';
  const reader = derReader(value);
  const { bytes } = reader.bitString(problem);
  reader.end(problem);
  return new Set(keyUsages.filter((_usage, bit) => ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0));
}

function parseExtendedKeyUsages(value: Uint8Array): string[] {
  const problem = 'x509: invalid extended key usages';
  const reader = derReader(value).enterOnly(DerTag.sequence, problem);
  const usages: string[] = [];
  while (!reader.done) usages.push(reader.objectIdentifier(problem));
  return usages;
}

/** Decodes subject alternative names. The extension counts as unsupported when all names are of unsupported types. */
function readAlternativeNames(value: Uint8Array): Reading {
  const alternativeNames = parseAlternativeNames(value);
  const { dnsNames, emailAddresses, uris, ipAddresses } = alternativeNames;
  return {
    facts: { alternativeNames },
    understood: dnsNames.length + emailAddresses.length + uris.length + ipAddresses.length > 0,
  };
}

function readNameConstraints(value: Uint8Array): Reading {
  const nameConstraints = parseNameConstraints(value);
  return { facts: { nameConstraints }, understood: nameConstraints.complete };
}

function parseSubjectKeyIdentifier({ critical, value }: CertificateExtension): Uint8Array {
  if (critical) throw malformed('x509: subject key identifier incorrectly marked critical');
  return derReader(value).only(DerTag.octetString, 'x509: invalid subject key identifier').content;
}

function authorityKeyFacts({ critical, value }: CertificateExtension): Partial<ExtensionFacts> {
  if (critical) throw malformed('x509: authority key identifier incorrectly marked critical');
  const problem = 'x509: invalid authority key identifier';
  const identifier = derReader(value).enterOnly(DerTag.sequence, problem).optional(contextTag(0), problem);
  return identifier === undefined ? {} : { authorityKeyIdentifier: identifier.content };
}

function sequenceOnly(value: Uint8Array, problem: string): Reading {
  derReader(value).only(DerTag.sequence, problem);
  return { understood: true };
}
