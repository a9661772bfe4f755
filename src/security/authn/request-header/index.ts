/**
 * Authentication by a proxy: the proxy names the user in headers and proves its own identity with a client certificate
 * of its own authority.
 *
 * A client that can set these headers can impersonate any user. So they are read only here, behind the proxy's
 * certificate. Nothing else reads or forwards them, and data for audit and webhooks comes from the authenticated user.
 *
 * @module
 */
import { whenReady, type Clock } from '../../../foundation/index.js';
import type { Chain } from '../../pki/index.js';
import type { Authenticator, AuthResult } from '../authenticator.js';
import type { AuthoritiesOptions } from '../x509/authorities.js';
import { ClientCertificates } from '../x509/client-certificates.js';
import { identityReader, type IdentityHeaderNames } from './identity-headers.js';

export type { IdentityHeaderNames } from './identity-headers.js';

/** Options of {@link createRequestHeaderAuthenticator}. */
export interface RequestHeaderAuthenticatorOptions extends AuthoritiesOptions, IdentityHeaderNames {
  readonly clock: Clock;
  /** Allowed common names of the proxy's certificate; absent or empty allows any certificate of the authority. */
  readonly allowedNames?: readonly string[] | undefined;
  /** Maximum number of cached chains. Default 1,024. */
  readonly cacheSize?: number | undefined;
}

/** Result of checking a certificate. */
type ProxyCheck = { readonly error: Error } | 'proxy';

/**
 * Creates an authenticator for users named by an authenticating proxy. A request without a certificate, or from the
 * proxy without a user name, gives no opinion. As in Kubernetes, any other certificate is an error, unless a later
 * authenticator finds the user.
 *
 * @throws Error when the authorities are invalid, or a header name is blank
 */
export function createRequestHeaderAuthenticator(options: RequestHeaderAuthenticatorOptions): Authenticator {
  const read = identityReader(options);
  const allowed = new Set(options.allowedNames);
  const certificates = new ClientCertificates<ProxyCheck>({
    ...options,
    conclude: (chains) => checkProxy(chains, allowed),
    refuse: (error) => ({ error }),
  });
  return (request) => {
    const certificate = request.peer.certificate?.();
    if (certificate === undefined) return undefined;
    const user = (check: ProxyCheck | undefined): AuthResult => {
      if (check !== 'proxy') return check;
      const found = read(request.headers);
      return found === undefined ? undefined : { user: found };
    };
    return whenReady(certificates.evaluate(certificate), user);
  };
}

function checkProxy([chain]: readonly Chain[], allowed: ReadonlySet<string>): ProxyCheck {
  const name = chain?.[0]?.subject.commonName ?? '';
  return allowed.size === 0 || allowed.has(name)
    ? 'proxy'
    : { error: new Error(`x509: subject with cn=${name} is not in the allowed list`) };
}
