import type { ApiRequest } from '../../server/index.js';

/**
 * Returns whether a browser sent a request for a page of another origin: by `Sec-Fetch-Site`, which pages cannot set, or
 * by `Origin`, in older browsers. Programs send neither.
 */
export function isForeign({ headers }: Pick<ApiRequest, 'headers'>): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = headers.get('origin');
  if (origin === undefined) return false;
  const host = headers.get('host') ?? headers.get(':authority');
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
