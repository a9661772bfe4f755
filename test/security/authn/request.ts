import type { AuthRequest } from '../../../src/security/index.js';

/** A request with the given header fields. */
export function request(
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  path = '/api',
  warn?: (text: string) => void,
): AuthRequest {
  const all = (name: string): readonly string[] => [headers[name] ?? []].flat();
  return {
    path,
    headers: {
      get: (name) => (name in headers ? all(name).join(', ') : undefined),
      getAll: all,
      names: () => Object.keys(headers),
    },
    peer: { address: '127.0.0.1', tls: true },
    signal: new AbortController().signal,
    ...(warn === undefined ? {} : { warn }),
  };
}
