/**
 * What the page knows while it is open. The page is one program in one tab: its state is that of the module.
 *
 * @module
 */
import { signal } from '@preact/signals';
import { Api, codeOf, wordsOf } from './data/api.js';
import { addressOf, routeOf, type Route } from './data/address.js';
import { readKinds, type PageKind } from './data/kinds.js';
import { Session } from './data/session.js';

/** The root of the page: the folder above the assets. */
const pageRoot = new URL('..', document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? location.href);

const currentRoute = (): Route => routeOf(location.pathname.slice(pageRoot.pathname.length), location.search);

export const session = new Session(sessionStorage);
export const route = signal<Route>(currentRoute());
export const api = signal<Api | undefined>(undefined);
export const kinds = signal<readonly PageKind[]>([]);
/** Why nobody is signed in; undefined before the first attempt. */
export const refusal = signal<string | undefined>(undefined);
/** Whether a sign-in is being tried. */
export const signingIn = signal(true);
export const jumping = signal(false);
export const helping = signal(false);

addEventListener('popstate', () => (route.value = currentRoute()));

/** Returns the address of a route, for links. */
export const hrefOf = (to: Route): string => new URL(addressOf(to), pageRoot).href;

/** Shows a route. @param replace whether the current address is replaced, as when a filter changes */
export function go(to: Route, replace = false): void {
  if (replace) history.replaceState(null, '', hrefOf(to));
  else history.pushState(null, '', hrefOf(to));
  route.value = to;
}

/** Signs in with the token of the session, or without one. */
export async function signIn(): Promise<void> {
  signingIn.value = true;
  try {
    const opened = await Api.open(new URL('..', pageRoot), session);
    kinds.value = await readKinds(opened);
    api.value = opened;
    refusal.value = undefined;
  } catch (error) {
    const code = codeOf(error);
    refusal.value = session.token === undefined && (code === 401 || code === 403) ? '' : wordsOf(error);
  } finally {
    signingIn.value = false;
  }
}

export function signOut(): void {
  session.signOut();
  api.value = undefined;
  kinds.value = [];
  refusal.value = '';
}

/** Returns the kind of a route; undefined for one that the server does not serve. */
export const kindAt = (group: string, plural: string): PageKind | undefined =>
  kinds.value.find((kind) => kind.group === group && kind.plural === plural);
