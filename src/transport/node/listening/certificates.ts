import { domainToASCII } from 'node:url';
import {
  aClock,
  aName,
  aPositiveDuration,
  checkOptions,
  durationMs,
  encodePem,
  listOf,
  systemClock,
  systemEntropy,
  withMethods,
  type Clock,
  type Duration,
  type Entropy,
  type OptionChecks,
} from '../../../foundation/index.js';
import {
  CertificateAuthority,
  encodePrivateKey,
  encodePublicKey,
  ExtendedKeyUsage,
  generateKeyPair,
} from '../../../security/index.js';
import type { ServingCertificate } from '../../serving-certificate.js';

export type { ServingCertificate } from '../../serving-certificate.js';

/** Options of a generated serving certificate. */
export interface ServingCertificateOptions {
  /** DNS names, including internationalized ones. Default `localhost`. */
  readonly names?: readonly string[] | undefined;
  /** IP addresses. Default `127.0.0.1` and `::1`. */
  readonly addresses?: readonly string[] | undefined;
  /** Validity of both certificates. Default `8760h`, a year. */
  readonly duration?: Duration | undefined;
  /** Authority that signs, such as one that several servers share. Default: a new one, whose key is discarded. */
  readonly authority?: CertificateAuthority | undefined;
  readonly clock?: Clock | undefined;
  /** Randomness of the serial numbers; keys always come from the host. */
  readonly entropy?: Entropy | undefined;
}

const checks: OptionChecks<ServingCertificateOptions> = {
  names: listOf(aName, 'a list of DNS names'),
  addresses: listOf(aName, 'a list of IP addresses'),
  duration: aPositiveDuration,
  authority: withMethods('a certificate authority', 'issue'),
  clock: aClock,
  entropy: withMethods('randomness', 'uuid', 'bytes'),
};

/**
 * Checks the options of a serving certificate.
 *
 * @param subject name of the called function
 * @throws TypeError that names the invalid option
 */
export function checkServingCertificate(subject: string, options: ServingCertificateOptions): void {
  if ('days' in options)
    throw new TypeError(`${subject}: the option days is duration now: milliseconds, or a string such as "720h"`);
  checkOptions(subject, options, checks);
}

/** Default names of a serving certificate. */
export const DEFAULT_NAMES: readonly string[] = ['localhost'];
/** Default addresses of a serving certificate. */
export const DEFAULT_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

const YEAR_MS = 365 * 86_400_000;
/** How much certificates are backdated, because clocks of clients may be slow. */
const BACKDATE_MS = 60 * 60_000;

/**
 * Creates a serving certificate, with ECDSA P-256. Without an authority it is signed by a new one, whose key is discarded,
 * so that nothing else can be signed with it.
 *
 * @throws TypeError that names an invalid option; X509Error for an invalid DNS name or IP address
 */
export async function createServingCertificate(options: ServingCertificateOptions = {}): Promise<ServingCertificate> {
  checkServingCertificate('createServingCertificate', options);
  const {
    names = DEFAULT_NAMES,
    addresses = DEFAULT_ADDRESSES,
    duration = YEAR_MS,
    clock = systemClock,
    entropy = systemEntropy,
  } = options;
  const notBefore = clock.now() - BACKDATE_MS;
  const notAfter = clock.now() + durationMs(duration);
  const commonName = `orch-apiserver-ca@${Math.floor(notBefore / 1000)}`;
  const authority =
    options.authority ??
    (await CertificateAuthority.create({ commonName, notBefore, notAfter, maxPathLength: 0, entropy }));
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
