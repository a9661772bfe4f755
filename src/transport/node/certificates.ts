import { systemClock, systemEntropy, type Clock, type Entropy } from '../../meta/index.js';
import { x509Library, type X509Library } from './x509-library.js';

/** What a self-made serving certificate is for. */
export interface ServingCertificateOptions {
  /** DNS names. Default `localhost`. */
  readonly names?: readonly string[];
  /** IP addresses. Default `127.0.0.1` and `::1`. */
  readonly addresses?: readonly string[];
  /** Days for which both certificates are valid. Default 365. */
  readonly days?: number;
  readonly clock?: Clock;
  /** Source of the serial numbers; keys always come from the host. */
  readonly entropy?: Entropy;
}

/** A serving certificate and what clients need to trust it, PEM. */
export interface ServingCertificate {
  /** For clients. */
  readonly caPem: string;
  readonly certPem: string;
  /** PKCS #8. */
  readonly keyPem: string;
}

/** Names that a serving certificate is for when none are given. */
export const DEFAULT_NAMES: readonly string[] = ['localhost'];
/** Addresses that a serving certificate is for when none are given. */
export const DEFAULT_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Clocks of clients may be behind. */
const BACKDATE_MS = 60 * 60_000;

/**
 * Makes a certificate authority and a serving certificate by it, ECDSA P-256. The authority's key is forgotten, so that
 * nothing else can ever be signed with what clients have been told to trust.
 */
export async function createServingCertificate(options: ServingCertificateOptions = {}): Promise<ServingCertificate> {
  const x509 = x509Library();
  const clock = options.clock ?? systemClock;
  const terms: Terms = {
    notBefore: new Date(clock.now() - BACKDATE_MS),
    notAfter: new Date(clock.now() + (options.days ?? 365) * DAY_MS),
    serialNumber: () => serialNumber(options.entropy ?? systemEntropy),
  };
  const authorityKeys = await generateKeys();
  const keys = await generateKeys();
  const authority = await createAuthority(x509, authorityKeys, terms);
  const certificate = await createLeaf(x509, { keys, authority, authorityKeys, terms, options });
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { caPem: pem(authority.toString('pem')), certPem: pem(certificate.toString('pem')), keyPem: pem(x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')) };
}

interface Terms {
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly serialNumber: () => string;
}

type Authority = Awaited<ReturnType<typeof createAuthority>>;

function generateKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** 127 random bits in hexadecimal, positive and not zero (RFC 5280 section 4.1.2.2). */
function serialNumber(entropy: Entropy): string {
  const bytes = entropy.bytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

async function createAuthority(x509: X509Library, keys: CryptoKeyPair, terms: Terms) {
  const { KeyUsageFlags } = x509;
  return x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: terms.serialNumber(),
      name: [{ CN: [`orch-apiserver-ca@${Math.floor(terms.notBefore.getTime() / 1000)}`] }],
      notBefore: terms.notBefore,
      notAfter: terms.notAfter,
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, crypto),
      ],
    },
    crypto,
  );
}

interface LeafInput {
  readonly keys: CryptoKeyPair;
  readonly authority: Authority;
  readonly authorityKeys: CryptoKeyPair;
  readonly terms: Terms;
  readonly options: ServingCertificateOptions;
}

async function createLeaf(x509: X509Library, { keys, authority, authorityKeys, terms, options }: LeafInput) {
  const { KeyUsageFlags } = x509;
  const names = options.names ?? DEFAULT_NAMES;
  const addresses = options.addresses ?? DEFAULT_ADDRESSES;
  const alternatives = [...names.map((value) => ({ type: 'dns' as const, value })), ...addresses.map((value) => ({ type: 'ip' as const, value }))];
  return x509.X509CertificateGenerator.create(
    {
      serialNumber: terms.serialNumber(),
      subject: [{ CN: [names[0] ?? addresses[0] ?? 'orch-apiserver'] }],
      issuer: authority.subject,
      notBefore: terms.notBefore,
      notAfter: terms.notAfter,
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: authorityKeys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(alternatives),
        await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey, false, crypto),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, crypto),
      ],
    },
    crypto,
  );
}

function pem(text: string): string {
  return text.endsWith('\n') ? text : text + '\n';
}
