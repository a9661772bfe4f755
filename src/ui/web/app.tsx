import { useEffect } from 'preact/hooks';
import { NO_ACCESS, NO_TRAFFIC, type Route } from './data/address.js';
import type { ViewedUser } from './data/session.js';
import { Home } from './home.js';
import { ObjectView } from './object/object-view.js';
import { Jump } from './parts/jump.js';
import { KeyHelp } from './parts/key-help.js';
import { inPage, isTyping } from './parts/keys.js';
import { lateView } from './parts/late-view.js';
import { ThemeButton } from './parts/theme.js';
import { SignIn, SignInAgain } from './sign-in.js';
import {
  api,
  askingToSignIn,
  expired,
  go,
  helping,
  hrefOf,
  info,
  jumping,
  kindAt,
  route,
  signingIn,
  signOut,
  startedOver,
  stores,
  viewAs,
  viewedAs,
} from './state.js';
import { TableView } from './table/table-view.js';

/** These load when they are opened. */
const AccessView = lateView(() => import('./access/access-view.js').then((loaded) => loaded.AccessView));
const TrafficView = lateView(() => import('./traffic/traffic-view.js').then((loaded) => loaded.TrafficView));
const TestView = lateView(() => import('./test/test-view.js').then((loaded) => loaded.TestView));
const CreateView = lateView(() => import('./object/create-view.js').then((loaded) => loaded.CreateView));

/** The page. */
export function App() {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (api.value === undefined)
    return signingIn.value ? (
      <p class="muted" role="status">
        Connecting…
      </p>
    ) : (
      <SignIn />
    );
  return (
    <div class="app">
      <Bar user={api.value.user} />
      {startedOver.value && <StartedOver />}
      {/* Nothing stays of a view of another store. */}
      <View key={stores.value} />
      {jumping.value && <Jump />}
      {helping.value && <KeyHelp />}
      {askingToSignIn.value && <SignInAgain />}
    </div>
  );
}

function onKey(event: KeyboardEvent): void {
  if (isTyping(event) || api.value === undefined) return;
  if (event.key === ':') jumping.value = true;
  else if (event.key === '?') helping.value = true;
  else return;
  event.preventDefault();
}

function Bar({ user }: { readonly user: string }) {
  return (
    <header class="bar">
      <nav>
        {PLACES.filter(([, { at }]) => at !== 'test' || info.value.test).map(([title, to]) => (
          <a
            key={title}
            href={hrefOf(to)}
            onClick={inPage(() => go(to))}
            aria-current={route.value.at === to.at ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <button type="button" onClick={() => (jumping.value = true)}>
        <kbd aria-hidden="true">:</kbd> Jump to a kind
      </button>
      <span class="space" />
      {info.value.readOnly && viewedAs.value === undefined && (
        <span title="The server takes only reads from this page">read-only</span>
      )}
      {expired.value && !askingToSignIn.value && (
        <button type="button" class="danger" onClick={() => (askingToSignIn.value = true)}>
          ▲ Session ended: sign in again
        </button>
      )}
      {viewedAs.value === undefined ? (
        <span title="The user of all requests">{user}</span>
      ) : (
        <ViewedAs viewed={viewedAs.value} />
      )}
      <ThemeButton />
      <button type="button" onClick={() => (helping.value = true)} aria-label="Keys">
        ?
      </button>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </header>
  );
}

/** Says that all is read again. */
function StartedOver() {
  return (
    <div class="notice" role="status">
      <span class="warn">▲ The server has another store now: all views are read again. Your drafts are kept.</span>{' '}
      <button type="button" onClick={() => (startedOver.value = false)}>
        Understood
      </button>
    </div>
  );
}

/** Says that the page is shown as another user sees it, and ends that. */
function ViewedAs({ viewed: { user, groups } }: { readonly viewed: ViewedUser }) {
  const stop = (): void => void viewAs(undefined).catch(signOut);
  return (
    <>
      <span class="warn" role="status">
        ▲ viewed as {user}
        {groups.length > 0 && ` in ${groups.join(', ')}`}, read-only
      </span>
      <button type="button" onClick={stop}>
        View as yourself
      </button>
    </>
  );
}

/** The places that every view leads to. */
const PLACES: readonly (readonly [string, Route])[] = [
  ['Kinds', { at: 'home' }],
  ['Access', { at: 'access', query: NO_ACCESS }],
  ['Traffic', { at: 'traffic', query: NO_TRAFFIC }],
  ['Test', { at: 'test' }],
];

/** Shows what the address says. */
function View() {
  const shown = route.value;
  if (shown.at === 'home') return <Home />;
  if (shown.at === 'test') return <TestView />;
  if (shown.at === 'access') return <AccessView query={shown.query} />;
  if (shown.at === 'traffic') return <TrafficView query={shown.query} />;
  const kind = kindAt(shown.group, shown.plural);
  if (kind === undefined)
    return (
      <main>
        <h1>{shown.plural}</h1>
        <p class="message" role="alert">
          The server has no kind {shown.plural}
          {shown.group === '' ? '' : `.${shown.group}`} that can be listed.
        </p>
      </main>
    );
  const isWriting = shown.at === 'create' || (shown.at === 'object' && (shown.tab === 'edit' || shown.tab === 'form'));
  // Such as by the address, or back in the history of the browser.
  if (isWriting && info.value.readOnly)
    return (
      <main>
        <h1>{kind.kind}</h1>
        <p class="message" role="alert">
          This page can only read: nothing can be changed on it.
        </p>
      </main>
    );
  if (shown.at === 'table') return <TableView kind={kind} query={shown.query} />;
  if (shown.at === 'create')
    return <CreateView kind={kind} namespace={shown.namespace} asForm={shown.asForm === true} />;
  const { namespace, name, tab } = shown;
  return <ObjectView key={`${kind.plural}/${namespace}/${name}`} {...{ kind, namespace, name, tab, shown }} />;
}
