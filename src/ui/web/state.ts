/**
 * All that the page knows while it is open. The page is one program in one tab: its state is that of the module.
 *
 * @module
 */
import { signal } from '@preact/signals';
import { Api, codeOf, wordsOf } from './data/api.js';
import { browserClock } from './data/clock.js';
import { addressOf, routeOf, type Route } from './data/address.js';
import { beginSession, endSession, type SessionProof } from './data/begin-session.js';
import { NO_INFO, readInfo, type PageInfo } from './data/info.js';
import { Drafts } from './data/drafts.js';
import { readKinds, type PageKind } from './data/kinds.js';
import { keepReturn, providerAddress, providerAnswer, RETURN_PATH, takeReturn } from './data/provider.js';
import { SameStore } from './data/same-store.js';
import { Session, type ViewedUser } from './data/session.js';
import { isScarce, keepsMs, Sight } from './data/sight.js';
import { openWebSocket, SocketStreams } from './data/socket-streams.js';

/** The root of the page: the folder above the assets. */
const pageRoot = new URL('..', document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? location.href);

/** The root of the server: the folder above the page. */
const serverRoot = new URL('..', pageRoot);

/** Returns the path below the page. */
const currentPath = (): string => location.pathname.slice(pageRoot.pathname.length);

const currentRoute = (): Route => routeOf(currentPath(), location.search);

export const session = new Session(sessionStorage);
export const drafts = new Drafts(sessionStorage);
export const route = signal<Route>(currentRoute());
export const api = signal<Api | undefined>(undefined);
export const kinds = signal<readonly PageKind[]>([]);
/** The properties of the page that the server tells. */
export const info = signal<PageInfo>(NO_INFO);
/** Why nobody is signed in; undefined before the first attempt. */
export const refusal = signal<string | undefined>(undefined);
/** Whether a sign-in is being tried. */
export const signingIn = signal(true);
/** The user as whom the page is viewed; undefined for oneself. */
export const viewedAs = signal<ViewedUser | undefined>(undefined);
/** Whether the server no longer knows who has signed in: somebody has to sign in again. */
export const expired = signal(false);
/** Whether a dialog asks for that. */
export const askingToSignIn = signal(false);
/** How many stores the page has seen: the views of one end with it. */
export const stores = signal(0);
/** Whether the page has started over, since the server has another store. */
export const startedOver = signal(false);
export const jumping = signal(false);
export const helping = signal(false);

/**
 * Returns the protocol by which the page was read. A browser does not tell it of a page that it has kept, but uses HTTP/2 only
 * with TLS.
 */
const protocolOfPage = (): string =>
  location.protocol === 'http:'
    ? 'http/1.1'
    : ([...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .map((entry) => (entry instanceof PerformanceResourceTiming ? entry.nextHopProtocol : ''))
        .find((protocol) => protocol !== '') ?? '');

/** Whether somebody sees the page. */
export const sight = new Sight(
  {
    isHidden: () => document.hidden,
    changed: (callback) => document.addEventListener('visibilitychange', callback),
  },
  browserClock,
  keepsMs(protocolOfPage()),
);

addEventListener('popstate', () => (route.value = currentRoute()));
// The browser asks before a draft is lost.
addEventListener('beforeunload', (event) => drafts.any && event.preventDefault());

/** Returns the address of a route, for links. */
export const hrefOf = (to: Route): string => new URL(addressOf(to), pageRoot).href;

/** Shows a route. @param replace whether the current address is replaced, as when a filter changes */
export function go(to: Route, replace = false): void {
  if (replace) history.replaceState(null, '', hrefOf(to));
  else history.pushState(null, '', hrefOf(to));
  route.value = to;
}

/** Notices when another server answers, with another store. */
const sameStore = new SameStore({
  clock: browserClock,
  read: async () => (await readInfo(serverRoot, session.headers)).storeId,
  startOver() {
    startOver();
    // The user who is viewed may not be known there.
    session.viewedAs = undefined;
    void signIn();
  },
});

/** Ends all views: they are of another store. Drafts stay. */
function startOver(): void {
  stores.value += 1;
  startedOver.value = true;
}

const plainFetch: typeof fetch = (input, init) => fetch(input, init);

/** Sends a request: a stream over a WebSocket where connections are scarce. */
const sendRequest = isScarce(protocolOfPage())
  ? new SocketStreams({ root: serverRoot, send: plainFetch, open: openWebSocket, clock: browserClock }).send
  : plainFetch;

/**
 * Sends a request of the page, and notices when the server no longer accepts the credential, and when it has another store.
 *
 * @throws ApiFailure for the answer of a server with another store than the one that the views know
 */
const watchfulFetch: typeof fetch = async (input, init) => {
  const response = await sameStore.send(input instanceof Request ? input.url : String(input), () =>
    sendRequest(input, init),
  );
  // Once: views that try again must not ask somebody who has said "not now".
  const isNews = response.status === 401 && api.value !== undefined && !signingIn.value && !expired.value;
  if (isNews) expired.value = askingToSignIn.value = true;
  return response;
};

/** Signs in with what the session has. Views that are open go on, unless they are those of another user. */
export async function signIn(): Promise<void> {
  signingIn.value = true;
  const before = api.value?.user;
  try {
    const [opened] = await Promise.all([Api.open(serverRoot, session, watchfulFetch), describe()]);
    kinds.value = await readKinds(opened);
    drafts.become(opened.user);
    if (before !== undefined && before !== opened.user) go({ at: 'home' });
    api.value = opened;
    viewedAs.value = undefined;
    expired.value = askingToSignIn.value = false;
    refusal.value = undefined;
  } catch (error) {
    const code = codeOf(error);
    const isStranger = session.credential.by === 'certificate' && (code === 401 || code === 403);
    // The reason why a link did not open the page stays.
    if (!isStranger || refusal.value === undefined) refusal.value = isStranger ? '' : wordsOf(error);
    if (code === 401) session.signOut();
  } finally {
    signingIn.value = false;
  }
}

/**
 * Shows the page as another user sees it, by impersonation: only reads, and all by that user's rights.
 *
 * @param user undefined for oneself again
 * @throws ApiFailure when the server does not let the signed-in user impersonate
 */
export async function viewAs(user: ViewedUser | undefined): Promise<void> {
  const before = session.viewedAs;
  session.viewedAs = user;
  try {
    const opened = await Api.open(serverRoot, session, watchfulFetch);
    kinds.value = await readKinds(opened);
    api.value = opened;
    await describe();
  } catch (error) {
    session.viewedAs = before;
    throw error;
  }
  // No view stays that was read by the rights of somebody else.
  go({ at: 'home' });
  viewedAs.value = user;
}

/** Asks the server how to sign in, and what the page may do. */
async function describe(): Promise<void> {
  try {
    const told = await readInfo(serverRoot, session.headers);
    if (sameStore.know(told.storeId)) startOver();
    info.value = session.viewedAs === undefined ? told : { ...told, readOnly: true, test: false };
  } catch {
    // The user sees the failure when signing in.
  }
}

/** Begins a session of the server, and signs in with it. */
export async function signInBy(proof: SessionProof): Promise<void> {
  signingIn.value = true;
  refusal.value = undefined;
  try {
    session.signIn(await beginSession(serverRoot, proof));
  } catch (error) {
    refusal.value = wordsOf(error);
    signingIn.value = false;
    // Somebody with a client certificate, or with a session of this tab, needs no link.
    if (!('code' in proof)) return void describe();
  }
  await signIn();
}

/** Signs in with the code of a link or of a provider in the address of the page, from which it is removed before all else. */
export function signInByAddress(): void {
  const answer = providerAnswer(currentPath(), location.search);
  if (answer !== undefined) return void returnFrom(answer);
  const code = location.hash.slice(1);
  if (code !== '') history.replaceState(null, '', location.pathname + location.search);
  void (code === '' ? signIn() : signInBy({ code }));
}

/** Signs in with what an OpenID provider has sent. */
async function returnFrom(answer: NonNullable<ReturnType<typeof providerAnswer>>): Promise<void> {
  history.replaceState(null, '', new URL(RETURN_PATH, pageRoot));
  if ('failure' in answer) {
    refusal.value = answer.failure;
    signingIn.value = false;
    return describe();
  }
  await signInBy({ oidc: answer });
  if (api.value !== undefined) go(takeReturn(sessionStorage), true);
}

/** Leaves the page for an OpenID provider. @param issuer URL of its issuer; undefined for the only one */
export async function signInByProvider(issuer: string | undefined): Promise<void> {
  try {
    const address = await providerAddress(serverRoot, pageRoot, issuer);
    keepReturn(sessionStorage, route.value);
    location.assign(address);
  } catch (error) {
    refusal.value = wordsOf(error);
  }
}

export function signOut(): void {
  // The key is forgotten in any case; a cookie without it is nothing.
  session.viewedAs = undefined;
  viewedAs.value = undefined;
  drafts.forget();
  expired.value = askingToSignIn.value = false;
  endSession(serverRoot, session).catch(() => undefined);
  api.value = undefined;
  kinds.value = [];
  refusal.value = '';
}

/** Returns the kind of a route; undefined for one that the server does not serve. */
export const kindAt = (group: string, plural: string): PageKind | undefined =>
  kinds.value.find((kind) => kind.group === group && kind.plural === plural);
