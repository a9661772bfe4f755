/**
 * Signing in by an OpenID provider. The page goes there, and comes back with a code, which the server exchanges.
 *
 * @module
 */
import { send, type Send } from './api.js';
import { addressOf, routeOf, type Route } from './address.js';
import { isMap } from './guards.js';
import type { KeyStore } from './session.js';

/** Where the provider sends the browser, below the page. */
export const RETURN_PATH = 'sign-in';

/** The answer that the provider has sent with the browser. */
export interface ProviderAnswer {
  readonly code: string;
  readonly state: string;
  readonly iss: string;
}

/**
 * Asks the server where to go.
 *
 * @param page the root of the page
 * @param issuer URL of the provider's issuer; undefined for the only one
 * @throws ApiFailure when the server cannot tell
 */
export async function providerAddress(root: URL, page: URL, issuer?: string, fetcher?: Send): Promise<string> {
  const response = await send(new URL('ui/v1/oidc', root), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirectUri: new URL(RETURN_PATH, page).href, issuer }),
    fetcher,
  });
  const answer: unknown = await response.json();
  const url = isMap(answer) ? answer['url'] : undefined;
  // No other address can be that of a provider, least of all a script.
  if (typeof url === 'string' && url.startsWith('https://')) return url;
  throw new Error('the server named no address of the OpenID provider');
}

/**
 * Returns the answer that the provider has sent with the browser, or why it did not sign the user in; undefined for another
 * address.
 *
 * @param path path below the page
 */
export function providerAnswer(
  path: string,
  search: string,
): ProviderAnswer | { readonly failure: string } | undefined {
  if (path !== RETURN_PATH) return undefined;
  const query = new URLSearchParams(search);
  const [code, state, iss, error] = ['code', 'state', 'iss', 'error'].map((name) => query.get(name) ?? '');
  if (error !== undefined && error !== '')
    return { failure: FAILURES.get(error) ?? 'The provider did not sign you in' };
  return code === undefined || code === '' || state === undefined ? undefined : { code, state, iss: iss ?? '' };
}

/** Errors of providers in words. No text of an address is shown: anybody can make one. */
const FAILURES: ReadonlyMap<string, string> = new Map([
  ['access_denied', 'The provider did not sign you in: access was denied'],
  ['login_required', 'The provider did not sign you in: it needs you to log in'],
  ['consent_required', 'The provider did not sign you in: it needs your consent'],
  ['temporarily_unavailable', 'The provider is not available at the moment: try again later'],
]);

const RETURN = 'return';

/** Keeps the route to which the page returns after it was left for the provider. */
export const keepReturn = (store: KeyStore, route: Route): void => store.setItem(RETURN, addressOf(route));

/** Returns the route to which the page returns, once: one of its own, whatever the store has. */
export function takeReturn(store: KeyStore): Route {
  const kept = store.getItem(RETURN) ?? '';
  store.removeItem(RETURN);
  const [path = '', search = ''] = kept.split('?', 2);
  return routeOf(path, search);
}
