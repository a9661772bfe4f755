import type { AuthCertificate, AuthRequest } from '../../src/authn/authenticator.js';
import type { Identity } from '../pki/support/issue.js';

/** What a connection has: one record for its whole life. */
export function presented(...chain: readonly Identity[]): AuthCertificate {
  return { chain: chain.map(({ der }) => der), authorized: false };
}

/** A request with header fields as they were sent, over a connection with a certificate or without. */
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
