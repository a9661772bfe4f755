import type { Authenticator } from '../authn/authenticator.js';
import { createX509Authenticator, type UserConversion } from '../authn/x509/index.js';
import type { Clock } from '../meta/clock.js';
import type { MadeAuthority } from './made-authority.js';

/** How users are made of the certificates that a server has issued. */
export interface IssuedCertificatesOptions {
  /** Default: as that of all client certificates. */
  readonly userConversion: UserConversion | undefined;
  readonly clock: Clock;
}

/** Knows whom the server itself has issued a certificate. What it has issued before is read when somebody first shows one. */
export function issuedCertificates(
  made: MadeAuthority,
  { userConversion, clock }: IssuedCertificatesOptions,
): Authenticator {
  const known = createX509Authenticator({
    certificateAuthorities: made.certificates,
    clock,
    userConversion,
  });
  return (request) => {
    if (request.peer.certificate?.() === undefined) return undefined;
    const reading = made.ready();
    return reading === undefined ? known(request) : reading.then(() => known(request));
  };
}
