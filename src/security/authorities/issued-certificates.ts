import type { Clock } from '../../foundation/index.js';
import type { Authenticator } from '../authn/authenticator.js';
import { createX509Authenticator, type UserConversion } from '../authn/x509/index.js';
import type { GeneratedAuthority } from './generated-authority.js';

/** Options of {@link issuedCertificates}. */
export interface IssuedCertificatesOptions {
  /** Conversion of a certificate to a user; default that of all client certificates. */
  readonly userConversion: UserConversion | undefined;
  readonly clock: Clock;
  /** As in {@link createX509Authenticator}. */
  readonly measureLifetime: ((remainingMs: number) => void) | undefined;
}

/**
 * Returns the authenticator for client certificates that the server's own authority has issued. The authority is read
 * from the storage with the first client certificate.
 */
export function issuedCertificates(
  authority: GeneratedAuthority,
  { userConversion, clock, measureLifetime }: IssuedCertificatesOptions,
): Authenticator {
  const known = createX509Authenticator({
    certificateAuthorities: authority.certificates,
    clock,
    userConversion,
    measureLifetime,
  });
  return (request) => {
    if (request.peer.certificate?.() === undefined) return undefined;
    const reading = authority.ready();
    return reading === undefined ? known(request) : reading.then(() => known(request));
  };
}
