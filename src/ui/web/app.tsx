import { useEffect } from 'preact/hooks';
import { Home } from './home.js';
import { ObjectView } from './object/object-view.js';
import { Jump } from './parts/jump.js';
import { KeyHelp } from './parts/key-help.js';
import { isTyping } from './parts/keys.js';
import { SignIn } from './sign-in.js';
import { api, go, helping, hrefOf, jumping, kindAt, route, signingIn, signOut } from './state.js';
import { TableView } from './table/table-view.js';

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
      <View />
      {jumping.value && <Jump />}
      {helping.value && <KeyHelp />}
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
      <a href={hrefOf({ at: 'home' })} onClick={(event) => follow(event)}>
        Kinds
      </a>
      <button type="button" onClick={() => (jumping.value = true)}>
        <kbd aria-hidden="true">:</kbd> Jump to a kind
      </button>
      <span class="space" />
      <span title="The user of all requests">{user}</span>
      <button type="button" onClick={() => (helping.value = true)} aria-label="Keys">
        ?
      </button>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </header>
  );
}

function follow(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go({ at: 'home' });
}

/** Shows what the address says. */
function View() {
  const shown = route.value;
  if (shown.at === 'home') return <Home />;
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
  if (shown.at === 'table') return <TableView kind={kind} query={shown.query} />;
  const { namespace, name, tab } = shown;
  return <ObjectView key={`${kind.plural}/${namespace}/${name}`} {...{ kind, namespace, name, tab }} />;
}
