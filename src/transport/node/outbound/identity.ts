import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from 'node:tls';
import { NO_ALTERNATIVE_NAME, type OutboundTls } from '../../../foundation/index.js';

/**
 * Returns the options for the expected name of the certificate. The name is explicit, because Node would prefer a
 * `host` header. An IP address must not be sent as server name (RFC 6066 section 3).
 */
export function identityOf(
  url: URL,
  tls: OutboundTls = {},
): Required<Pick<ConnectionOptions, 'servername' | 'checkServerIdentity'>> {
  const name =
    tls.serverName === undefined || tls.serverName === '' ? url.hostname.replace(/^\[(.*)\]$/, '$1') : tls.serverName;
  return {
    servername: isIP(name) === 0 ? name : '',
    checkServerIdentity: (_host, certificate) =>
      namesOnlySubject(certificate) ?? checkServerIdentity(name, certificate),
  };
}

/** Refuses a certificate that names its host only as the subject, as Go's client does; Node's accepts it. */
function namesOnlySubject({ subjectaltname, subject }: PeerCertificate): Error | undefined {
  if (subjectaltname !== undefined && subjectaltname !== '') return undefined;
  if (subject?.CN === undefined) return undefined;
  return Object.assign(new Error('the certificate has no subject alternative name'), { code: NO_ALTERNATIVE_NAME });
}
