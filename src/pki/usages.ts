/**
 * The usages that requests for certificates name, and what they are in certificates.
 *
 * @module
 */
import { goQuote } from '../meta/go-text.js';
import { ExtendedKeyUsage, keyUsages as keyUsageBits, type ExtensionFacts, type KeyUsage } from './extensions.js';

/** Usages of keys. */
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

/** Purposes, in the order in which production writes them. */
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

/** Every usage that a request can name. */
export const requestUsages: readonly string[] = [...keyUsageNames.keys(), ...purposeNames.keys()];

/** Usages as a certificate has them. */
export interface CertificateUsages {
  /** In the order of the bits. */
  readonly keyUsages: readonly KeyUsage[];
  /** Object identifiers, each once, in production's order. */
  readonly extendedKeyUsages: readonly string[];
}

/**
 * The usages that names stand for, in whatever order they come.
 *
 * @throws Error naming those that are none
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

/** The names of a certificate's usages, each once: those of the key first. Purposes that requests cannot name are left out. */
export function usageNamesOf({
  keyUsages,
  extendedKeyUsages,
}: Pick<ExtensionFacts, 'keyUsages' | 'extendedKeyUsages'>): string[] {
  const keyNames = keyUsageBits.filter((usage) => keyUsages?.has(usage)).map((usage) => namesByUsage.get(usage));
  const names = [...namesByPurpose].filter(([purpose]) => extendedKeyUsages.includes(purpose)).map(([, name]) => name);
  return [...keyNames.filter((name) => name !== undefined), ...names];
}

/** Other names of a usage that has one. */
const synonyms: ReadonlySet<string> = new Set(['signing', 's/mime']);

function invert<Usage>(names: ReadonlyMap<string, Usage>): ReadonlyMap<Usage, string> {
  return new Map(
    [...names].filter(([name]) => !synonyms.has(name)).map(([name, usage]): [Usage, string] => [usage, name]),
  );
}

const namesByUsage = invert(keyUsageNames);
const namesByPurpose = invert(purposeNames);
