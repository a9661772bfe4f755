/**
 * The authenticating proxy: it has found out who a request is from, says so in headers, and proves itself by a client certificate
 * of its own authority.
 *
 * Whoever can set the headers is whoever they say. So they are read here alone, and only behind the proxy's certificate; nothing
 * else of the server reads them, nothing hands the fields of a request on, and what is passed on about a request (to audit, to
 * webhooks) is made from the user that was found.
 *
 * @module
 */
import type { Clock } from '../../meta/clock.js';
import type { Chain } from '../../pki/index.js';
import type { Authenticator, AuthResult } from '../authenticator.js';
import type { AuthoritiesOptions } from '../x509/authorities.js';
import { ClientCertificates } from '../x509/client-certificates.js';
import { identityReader, type IdentityHeaderNames } from './identity-headers.js';

export type { IdentityHeaderNames } from './identity-headers.js';

/** Options of {@link createRequestHeaderAuthenticator}. */
export interface RequestHeaderAuthenticatorOptions extends AuthoritiesOptions, IdentityHeaderNames {
  readonly clock: Clock;
  /** Common names that the proxy's certificate may have; none given, or none in the list: any that the authority has signed. */
  readonly allowedNames?: readonly string[];
  /** Chains that are remembered, so that a connection is verified once. Default 1024. */
  readonly cacheSize?: number;
}

/** Whether a certificate is the proxy's. */
type Standing = { readonly error: Error } | 'proxy';

/**
 * Knows the users that an authenticating proxy names. A request without a certificate, or of the proxy but without a name, has no
 * user; one with a certificate of anybody else is refused, as in production, unless a later authenticator knows its user.
 *
 * @throws Error when the authorities cannot be read, or the name of a header is blank
 */
export function createRequestHeaderAuthenticator(options: RequestHeaderAuthenticatorOptions): Authenticator {
  const read = identityReader(options);
  const allowed = new Set(options.allowedNames);
  const certificates = new ClientCertificates<Standing>({
    ...options,
    conclude: (chains) => standingOf(chains, allowed),
    refuse: (error) => ({ error }),
  });
  return (request) => {
    const certificate = request.peer.certificate?.();
    if (certificate === undefined) return undefined;
    const user = (standing: Standing | undefined): AuthResult => {
      if (standing !== 'proxy') return standing;
      const found = read(request.headers);
      return found === undefined ? undefined : { user: found };
    };
    const standing = certificates.judge(certificate);
    return standing instanceof Promise ? standing.then(user) : user(standing);
  };
}

function standingOf([chain]: readonly Chain[], allowed: ReadonlySet<string>): Standing {
  const name = chain?.[0]?.subject.commonName ?? '';
  return allowed.size === 0 || allowed.has(name)
    ? 'proxy'
    : { error: new Error(`x509: subject with cn=${name} is not in the allowed list`) };
}
