import { useState } from 'preact/hooks';
import { askingToSignIn, info, refusal, session, signIn, signInBy, signInByProvider } from './state.js';
import { Dialog } from './parts/dialog.js';
import { Failure } from './parts/failure.js';

/** Asks for a token, or another proof that the server takes. */
export function SignIn() {
  return (
    <main>
      <SignInForm title="Sign in" />
    </main>
  );
}

/** Asks for it over a view that stays as it is, with its drafts, when the session has ended. */
export function SignInAgain() {
  const close = (): void => void (askingToSignIn.value = false);
  return (
    <Dialog label="Sign in again" onClose={close}>
      <SignInForm title="Your session has ended" />
      <div class="tools">
        <button type="button" onClick={close}>
          Not now
        </button>
      </div>
    </Dialog>
  );
}

function SignInForm({ title }: { readonly title: string }) {
  const [token, setToken] = useState('');
  const [forget, setForget] = useState(false);
  const { certificate, providers } = info.value;
  const enter = (event: Event, given: string | undefined): void => {
    event.preventDefault();
    if (given !== undefined && !forget) return void signInBy({ token: given });
    session.signIn(given === undefined ? { by: 'certificate' } : { by: 'token', token: given });
    void signIn();
  };
  return (
    <form class="sign-in" onSubmit={(event) => enter(event, token.trim() === '' ? undefined : token.trim())}>
      <h1>{title}</h1>
      <label>
        Token
        <br />
        <input
          type="password"
          autocomplete="off"
          autofocus
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <label>
        <input type="checkbox" checked={forget} onChange={(event) => setForget(event.currentTarget.checked)} /> Do not
        remember it when this tab reloads
      </label>
      <div class="tools">
        <button type="submit" class="main">
          Sign in
        </button>
        {providers.map(({ name, issuer }) => (
          <button key={name} type="button" onClick={() => void signInByProvider(issuer)}>
            Sign in at {name}
          </button>
        ))}
        {certificate && (
          <button type="button" onClick={(event) => enter(event, undefined)}>
            Use the client certificate of this browser
          </button>
        )}
      </div>
      {refusal.value !== undefined && refusal.value !== '' && <Failure text={refusal.value} />}
      <p class="muted">
        The token of the owner is in the kubeconfig that the server writes. It is sent to this server only, which keeps
        it in a cookie that scripts cannot read; a token that is not remembered stays in the memory of this tab.
      </p>
    </form>
  );
}
