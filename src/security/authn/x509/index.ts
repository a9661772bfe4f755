/**
 * X.509 client certificates: the subject's common name is the user, its organizations are the groups.
 *
 * @module
 */
import { hexOfByte, toError, type Clock, type UserInfo } from '../../../foundation/index.js';
import type { Certificate, Chain } from '../../pki/index.js';
import type { Authenticator, AuthResult } from '../authenticator.js';
import type { CertificateAuthorities } from './certificate-authorities.js';
import { ClientCertificates } from './client-certificates.js';

export type { CertificateAuthorities } from './certificate-authorities.js';

/** Returns the user of a verified chain, or undefined when it names none. A thrown error refuses the certificate. */
export type UserConversion = (chain: Chain) => UserInfo | undefined;

/** Authentication by client certificates. */
export interface ClientCertificateOptions {
  /** PEM authorities of the certificates: a string, or a function that returns the current ones. */
  readonly certificateAuthorities: CertificateAuthorities;
  /** Called once for each later text that is invalid; the previous authorities stay in use. */
  readonly onReloadFailure?: ((error: Error) => void) | undefined;
  /**
   * Returns the user of a chain. Called once per chain, not per request. Default: the common name, with every
   * organization as a group.
   */
  readonly userConversion?: UserConversion | undefined;
  /** Maximum number of cached chains. Default 1,024. */
  readonly cacheSize?: number | undefined;
}

/** Options of {@link createX509Authenticator}. */
export interface X509AuthenticatorOptions extends ClientCertificateOptions {
  readonly clock: Clock;
  /**
   * Called for each request with a certificate that can be parsed, valid or not.
   *
   * @param remainingMs time until the client's own certificate expires, in milliseconds; negative once it has
   */
  readonly measureLifetime?: ((remainingMs: number) => void) | undefined;
}

/**
 * Returns the user of a certificate's subject: the common name, with every organization as a group. Undefined without a
 * common name.
 */
export function commonNameUser([leaf]: Chain): UserInfo | undefined {
  if (leaf === undefined || leaf.subject.commonName === '') return undefined;
  return { username: leaf.subject.commonName, groups: leaf.subject.organizations };
}

/**
 * Creates an authenticator for client certificates. A request without a certificate gives no opinion. An invalid
 * certificate is an error, unless a later authenticator finds the user.
 *
 * @throws Error when the authorities are invalid
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
    return certificate === undefined ? undefined : certificates.evaluate(certificate);
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

/** Identifies a certificate in the log. */
function identifierOf({ serialNumber, subjectKeyIdentifier, authorityKeyIdentifier }: Certificate): string {
  return `SN=${serialNumber}, SKID=${colonHex(subjectKeyIdentifier)}, AKID=${colonHex(authorityKeyIdentifier)}`;
}

/** Identifiers have 20 octets; longer ones are truncated. */
function colonHex(bytes: Uint8Array | undefined): string {
  return Array.from(bytes?.subarray(0, 64) ?? [], (octet) => hexOfByte(octet).toUpperCase()).join(':');
}
