import { decodeBase64Url, encodeHex, parsePem } from '../../foundation/index.js';
import { digestOf } from '../../security/index.js';
import type { Authentication } from '../authentication/authentication.js';
import type { ServiceAccountTokens } from '../authentication/service-account-tokens.js';
import type { Certificates } from '../authentication/certificates.js';
import type { ResourceKeys } from '../../storage/index.js';
import type { ServerParts } from '../instance/server-parts.js';
import { ENCRYPTION_KEYS, encryptionTrust } from './encryption-keys.js';
import { STORED_KEYS, type AgreedTrust, type AgreedValue, type Statement, type Trust } from './statement.js';
import { layoutTrust, READ_LAYOUTS } from './store-layout.js';

/** The parts of a server that its statement describes. */
export interface StatedParts extends Pick<ServerParts, 'serviceAllocation'> {
  readonly authentication: Authentication;
  readonly certificates: Certificates;
  /** The authorities of client certificates that the options contain, PEM. */
  readonly clientAuthorities: () => string;
  /** The encryption keys of the store; undefined when its codec does not say. */
  readonly encryptionKeys: () => readonly ResourceKeys[] | undefined;
}

/** Name of the authority that the servers of a store create and follow together. */
const STORED_AUTHORITY = 'stored';

/** Returns what a server states to the others of its store. */
export async function ownStatement(parts: StatedParts): Promise<Statement> {
  const { clusterIPs, nodePorts } = parts.serviceAllocation.rangeTexts;
  const serviceAccounts = await parts.authentication.serviceAccounts.tokens();
  const { issuers } = serviceAccounts;
  const values: Record<AgreedValue, string> = { clusterIPRange: clusterIPs, nodePortRange: nodePorts };
  const trust: Record<AgreedTrust, Trust> = {
    serviceAccountKeys: await tokenKeys(serviceAccounts),
    issuers: { uses: issuers.slice(0, 1), accepts: issuers },
    clientAuthorities: clientAuthorities(parts),
  };
  const keys = parts.encryptionKeys();
  const encryption = keys === undefined ? [] : [[ENCRYPTION_KEYS, encryptionTrust(keys)] as const];
  return {
    values: new Map(Object.entries(values)),
    trust: new Map([...Object.entries(trust), [READ_LAYOUTS, layoutTrust()], ...encryption]),
  };
}

/** Servers that follow the key of the storage accept each other's, whatever it is at the moment. */
async function tokenKeys(serviceAccounts: ServiceAccountTokens): Promise<Trust> {
  const { uses, accepts } = await serviceAccounts.keyIds();
  return { uses, accepts: serviceAccounts.stored === undefined ? accepts : [...accepts, STORED_KEYS] };
}

/** A server that signs client certificates without accepting them leaves that to others on purpose. */
function clientAuthorities({ certificates, clientAuthorities: given }: StatedParts): Trust {
  const stored = certificates.generated === undefined ? [] : [STORED_AUTHORITY];
  const accepts = [...stored, ...fingerprints(given())];
  const signing = certificates.configured('apiServerClient');
  const uses = signing === 'made' ? stored : signing === 'none' ? [] : fingerprints(signing.certificatePem);
  return { uses: uses.filter((fingerprint) => accepts.includes(fingerprint)), accepts };
}

/** Returns the SHA-256 fingerprints of the certificates of a text, in hexadecimal. */
const fingerprints = (pem: string): string[] =>
  parsePem(pem)
    .blocks.filter(({ label }) => label === 'CERTIFICATE')
    .map(({ bytes }) => encodeHex(decodeBase64Url(digestOf(bytes)) ?? bytes));
