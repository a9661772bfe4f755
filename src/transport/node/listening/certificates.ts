import { domainToASCII } from 'node:url';
import { encodePem, systemClock, systemEntropy, type Clock, type Entropy } from '../../../foundation/index.js';
import {
  CertificateAuthority,
  encodePrivateKey,
  encodePublicKey,
  ExtendedKeyUsage,
  generateKeyPair,
} from '../../../security/index.js';

/** Options of a generated serving certificate. */
export interface ServingCertificateOptions {
  /** DNS names, including internationalized ones. Default `localhost`. */
  readonly names?: readonly string[] | undefined;
  /** IP addresses. Default `127.0.0.1` and `::1`. */
  readonly addresses?: readonly string[] | undefined;
  /** Validity of both certificates, in days. Default 365. */
  readonly days?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Randomness of the serial numbers; keys always come from the host. */
  readonly entropy?: Entropy | undefined;
}

/** A serving certificate and its certificate authority, in PEM. */
export interface ServingCertificate {
  /** Certificate authority, for clients. */
  readonly caPem: string;
  readonly certPem: string;
  /** Private key in PKCS #8. */
  readonly keyPem: string;
}

/** Default names of a serving certificate. */
export const DEFAULT_NAMES: readonly string[] = ['localhost'];
/** Default addresses of a serving certificate. */
export const DEFAULT_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

const DAY_MS = 86_400_000;
/** How much certificates are backdated, because clocks of clients may be slow. */
const BACKDATE_MS = 60 * 60_000;

/**
 * Creates a certificate authority and a serving certificate signed by it, with ECDSA P-256. The authority's key is
 * discarded, so that nothing else can be signed with it.
 *
 * @throws X509Error for an invalid DNS name or IP address
 */
export async function createServingCertificate(options: ServingCertificateOptions = {}): Promise<ServingCertificate> {
  const {
    names = DEFAULT_NAMES,
    addresses = DEFAULT_ADDRESSES,
    days = 365,
    clock = systemClock,
    entropy = systemEntropy,
  } = options;
  const notBefore = clock.now() - BACKDATE_MS;
  const notAfter = clock.now() + days * DAY_MS;
  const commonName = `orch-apiserver-ca@${Math.floor(notBefore / 1000)}`;
  const authority = await CertificateAuthority.create({ commonName, notBefore, notAfter, maxPathLength: 0, entropy });
  const { privateKey, publicKey } = await generateKeyPair();
  const certificate = await authority.issue({
    subject: { commonName: names[0] ?? addresses[0] ?? 'orch-apiserver' },
    publicKey: await encodePublicKey(publicKey),
    notBefore,
    notAfter,
    keyUsages: ['digitalSignature'],
    extendedKeyUsages: [ExtendedKeyUsage.serverAuth],
    alternativeNames: { dnsNames: names.map(dnsNameOf), ipAddresses: addresses },
  });
  return {
    caPem: authority.certificatePem,
    certPem: encodePem('CERTIFICATE', certificate),
    keyPem: await encodePrivateKey(privateKey),
  };
}

/** Returns a name in the form of DNS and certificates: internationalized names in Punycode (RFC 3492). */
export function dnsNameOf(name: string): string {
  return /^[\x00-\x7f]*$/.test(name) ? name : domainToASCII(name) || name;
}
