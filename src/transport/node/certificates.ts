import { domainToASCII } from 'node:url';
import { systemClock, systemEntropy, type Clock, type Entropy } from '../../meta/index.js';
import {
  CertificateAuthority,
  encodePem,
  encodePrivateKey,
  encodePublicKey,
  ExtendedKeyUsage,
  generateKeyPair,
} from '../../pki/index.js';

/** What a self-made serving certificate is for. */
export interface ServingCertificateOptions {
  /** DNS names, those of other scripts too. Default `localhost`. */
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

const DAY_MS = 86_400_000;
/** Clocks of clients may be behind. */
const BACKDATE_MS = 60 * 60_000;

/**
 * Makes a certificate authority and a serving certificate by it, ECDSA P-256. The authority's key is forgotten, so that
 * nothing else can ever be signed with what clients have been told to trust.
 *
 * @throws X509Error for a name that none of DNS stands for, and an address that is none
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

/** A name as DNS and certificates have it: one with other than ASCII characters is written in those (RFC 3492). */
export function dnsNameOf(name: string): string {
  return /^[\x00-\x7f]*$/.test(name) ? name : domainToASCII(name) || name;
}
