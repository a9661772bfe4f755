import type { AuthCertificate, AuthRequest } from '../../../src/security/authn/authenticator.js';
import type { Identity } from '../pki/support/issue.js';

/** The facts of a connection: one record for its whole life. */
export function presented(...chain: readonly Identity[]): AuthCertificate {
  return { chain: chain.map(({ der }) => der), authorized: false };
}

/** A request with header fields as sent, over a connection with or without a certificate. */
export function requestWith(
  certificate: AuthCertificate | undefined,
  fields: readonly (readonly [string, string])[] = [],
): AuthRequest {
  const all = (name: string): string[] =>
    fields.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);
  return {
    path: '/api',
    headers: {
      get: (name) => (all(name).length === 0 ? undefined : all(name).join(', ')),
      getAll: all,
      names: () => new Set(fields.map(([name]) => name.toLowerCase())),
    },
    peer: { address: '127.0.0.1', tls: true, certificate: () => certificate },
    signal: new AbortController().signal,
  };
}
