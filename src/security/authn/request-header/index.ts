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
import type { CertificateAuthorities } from '../x509/certificate-authorities.js';
import { ClientCertificates } from '../x509/client-certificates.js';
import { identityReader } from './identity-headers.js';

export type { IdentityHeaderNames } from './identity-headers.js';

/** Authentication by a proxy that names the user in headers. */
export interface RequestHeaderOptions {
  /** PEM authorities of the proxy's certificate: a string, or a function that returns the current ones. */
  readonly certificateAuthorities: CertificateAuthorities;
  /** Called once for each later text that is invalid; the previous authorities stay in use. */
  readonly onReloadFailure?: ((error: Error) => void) | undefined;
  /** Headers with the user name; the first one with a value is used. Default `X-Remote-User`. */
  readonly usernameHeaders?: readonly string[] | undefined;
  /** Headers with groups; all values of all headers are used. Default `X-Remote-Group`. */
  readonly groupHeaders?: readonly string[] | undefined;
  /** Prefixes of `extra` headers; the rest of the header name is the key. Default `X-Remote-Extra-`. */
  readonly extraHeaderPrefixes?: readonly string[] | undefined;
  /** Allowed common names of the proxy's certificate; absent or empty allows any certificate of the authority. */
  readonly allowedNames?: readonly string[] | undefined;
  /** Maximum number of cached chains. Default 1,024. */
  readonly cacheSize?: number | undefined;
}

/** Options of {@link createRequestHeaderAuthenticator}. */
export interface RequestHeaderAuthenticatorOptions extends RequestHeaderOptions {
  readonly clock: Clock;
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
