import type { StreamingConnection } from '../wire/http-connection.js';
import { systemCode } from './errors.js';

/** The remedies for a certificate of a server that the client refuses, by the code of Node. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ...[
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ].map(
    (code) =>
      [
        code,
        'the certificate of the server is of an authority that is not trusted: name it by the option authority, or as certificate-authority in the kubeconfig',
      ] as const,
  ),
  ['CERT_HAS_EXPIRED', 'the server needs a new one, or the clock of this machine is wrong'],
  ['CERT_NOT_YET_VALID', 'the clock of the server or of this machine is wrong'],
]);

/** The longest chain of causes that is searched. */
const MOST_CAUSES = 4;

/** Returns a connection whose errors say what to do about a certificate that is not trusted. */
export const trusting = (connection: StreamingConnection): StreamingConnection => ({
  server: connection.server,
  namespace: connection.namespace,
  request: (request) => connection.request(request).catch(explain),
  stream: (request) => connection.stream(request).catch(explain),
  webSocket: (request) => connection.webSocket(request).catch(explain),
});

function explain(error: unknown): never {
  let at = error;
  for (let depth = 0; depth < MOST_CAUSES && at instanceof Error; depth += 1, at = at.cause) {
    const remedy = REMEDIES.get(systemCode(at) ?? '');
    if (remedy !== undefined && error instanceof Error)
      throw new Error(`${error.message}: ${remedy}`, { cause: error.cause });
  }
  throw error;
}
