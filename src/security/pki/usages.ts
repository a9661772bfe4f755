/**
 * Maps the usages of CertificateSigningRequests to the usages of certificates.
 *
 * @module
 */
import { goQuote } from '../../foundation/index.js';
import { ExtendedKeyUsage, keyUsages as keyUsageBits, type ExtensionFacts, type KeyUsage } from './asn1/extensions.js';

/** Key usages by API name. */
const keyUsageNames: ReadonlyMap<string, KeyUsage> = new Map<string, KeyUsage>([
  ['signing', 'digitalSignature'],
  ['digital signature', 'digitalSignature'],
  ['content commitment', 'contentCommitment'],
  ['key encipherment', 'keyEncipherment'],
  ['key agreement', 'keyAgreement'],
  ['data encipherment', 'dataEncipherment'],
  ['cert sign', 'keyCertSign'],
  ['crl sign', 'cRLSign'],
  ['encipher only', 'encipherOnly'],
  ['decipher only', 'decipherOnly'],
]);

/** Extended key usages by API name, in the order of Kubernetes. */
const purposeNames: ReadonlyMap<string, string> = new Map<string, string>([
  ['any', ExtendedKeyUsage.any],
  ['server auth', ExtendedKeyUsage.serverAuth],
  ['client auth', ExtendedKeyUsage.clientAuth],
  ['code signing', ExtendedKeyUsage.codeSigning],
  ['email protection', ExtendedKeyUsage.emailProtection],
  ['s/mime', ExtendedKeyUsage.emailProtection],
  ['ipsec end system', ExtendedKeyUsage.ipsecEndSystem],
  ['ipsec tunnel', ExtendedKeyUsage.ipsecTunnel],
  ['ipsec user', ExtendedKeyUsage.ipsecUser],
  ['timestamping', ExtendedKeyUsage.timeStamping],
  ['ocsp signing', ExtendedKeyUsage.ocspSigning],
  ['microsoft sgc', ExtendedKeyUsage.microsoftServerGatedCrypto],
  ['netscape sgc', ExtendedKeyUsage.netscapeServerGatedCrypto],
]);

/** All usages that a request can name. */
export const requestUsages: readonly string[] = [...keyUsageNames.keys(), ...purposeNames.keys()];

/** The usages of a certificate. */
export interface CertificateUsages {
  /** Key usages in the order of the bits. */
  readonly keyUsages: readonly KeyUsage[];
  /** Object identifiers without duplicates, in the order of Kubernetes. */
  readonly extendedKeyUsages: readonly string[];
}

/**
 * Returns the usages with the given API names, which may be in any order.
 *
 * @throws Error that lists the unknown names
 */
export function usagesOf(names: readonly string[]): CertificateUsages {
  const unrecognized = names.filter((name) => !keyUsageNames.has(name) && !purposeNames.has(name));
  if (unrecognized.length > 0) throw new Error(`unrecognized usage values: [${unrecognized.map(goQuote).join(' ')}]`);
  const bits = new Set(names.map((name) => keyUsageNames.get(name)));
  const purposes = new Set(names.map((name) => purposeNames.get(name)));
  return {
    keyUsages: keyUsageBits.filter((usage) => bits.has(usage)),
    extendedKeyUsages: [...new Set(purposeNames.values())].filter((purpose) => purposes.has(purpose)),
  };
}

/**
 * Returns the API names of a certificate's usages without duplicates, key usages first. Usages without an API name are
 * omitted.
 */
export function usageNamesOf({
  keyUsages,
  extendedKeyUsages,
}: Pick<ExtensionFacts, 'keyUsages' | 'extendedKeyUsages'>): string[] {
  const keyNames = keyUsageBits.filter((usage) => keyUsages?.has(usage)).map((usage) => namesByUsage.get(usage));
  const names = [...namesByPurpose].filter(([purpose]) => extendedKeyUsages.includes(purpose)).map(([, name]) => name);
  return [...keyNames.filter((name) => name !== undefined), ...names];
}

/** Secondary names of usages with two names. */
const synonyms: ReadonlySet<string> = new Set(['signing', 's/mime']);

function invert<Usage>(names: ReadonlyMap<string, Usage>): ReadonlyMap<Usage, string> {
  return new Map(
    [...names].filter(([name]) => !synonyms.has(name)).map(([name, usage]): [Usage, string] => [usage, name]),
  );
}

const namesByUsage = invert(keyUsageNames);
const namesByPurpose = invert(purposeNames);
