/**
 * X.509 client certificates: the subject's common name is the user, its organizations are the groups.
 *
 * @module
 */
import { hexOfByte } from '../../encoding/hex.js';
import type { Clock } from '../../meta/clock.js';
import { toError } from '../../meta/error-message.js';
import type { UserInfo } from '../../meta/object.js';
import type { Certificate, Chain } from '../../pki/index.js';
import type { Authenticator, AuthResult } from '../authenticator.js';
import type { AuthoritiesOptions } from './authorities.js';
import { ClientCertificates } from './client-certificates.js';

export type { CertificateAuthorities } from './authorities.js';

/** Makes a user of a verified chain; undefined when it names none. What it throws is a refusal. */
export type UserConversion = (chain: Chain) => UserInfo | undefined;

/** Options of {@link createX509Authenticator}. */
export interface X509AuthenticatorOptions extends AuthoritiesOptions {
  readonly clock: Clock;
  /** Default {@link commonNameUser}. Asked once for each chain, not for each request. */
  readonly userConversion?: UserConversion | undefined;
  /** Chains whose users are kept, so that a connection is verified once. Default 1024. */
  readonly cacheSize?: number | undefined;
}

/** The user of a certificate's subject: the common name, and every organization as a group. No common name, no user. */
export function commonNameUser([leaf]: Chain): UserInfo | undefined {
  if (leaf === undefined || leaf.subject.commonName === '') return undefined;
  return { username: leaf.subject.commonName, groups: leaf.subject.organizations };
}

/**
 * Knows the holders of certificates that the authorities have signed for client authentication. A request without a certificate
 * has no user; one whose certificate does not verify is refused, unless a later authenticator knows the user by other means.
 *
 * @throws Error when the authorities cannot be read
 */
export function createX509Authenticator({
  userConversion = commonNameUser,
  ...options
}: X509AuthenticatorOptions): Authenticator {
  const certificates = new ClientCertificates<AuthResult>({
    ...options,
    conclude: (chains) => firstUser(chains, userConversion),
    refuse: (error, leaf) => ({
      error: new Error(
        leaf === undefined ? error.message : `verifying certificate ${identifierOf(leaf)} failed: ${error.message}`,
        { cause: error },
      ),
    }),
  });
  return ({ peer }) => {
    const certificate = peer.certificate?.();
    return certificate === undefined ? undefined : certificates.judge(certificate);
  };
}

function firstUser(chains: readonly Chain[], userConversion: UserConversion): AuthResult {
  const failures: Error[] = [];
  for (const chain of chains) {
    try {
      const user = userConversion(chain);
      if (user !== undefined)
        return Object.freeze({ user: Object.freeze({ ...user, groups: Object.freeze([...user.groups]) }) });
    } catch (error) {
      failures.push(toError(error));
    }
  }
  const [first] = failures;
  return first === undefined ? undefined : { error: first };
}

/** Which certificate it was, for the log. */
function identifierOf({ serialNumber, subjectKeyIdentifier, authorityKeyIdentifier }: Certificate): string {
  return `SN=${serialNumber}, SKID=${colonHex(subjectKeyIdentifier)}, AKID=${colonHex(authorityKeyIdentifier)}`;
}

/** Identifiers have 20 octets; of one that somebody has made longer the beginning will do. */
function colonHex(bytes: Uint8Array | undefined): string {
  return Array.from(bytes?.subarray(0, 64) ?? [], (octet) => hexOfByte(octet).toUpperCase()).join(':');
}
