import { useState } from 'preact/hooks';
import { refusal, session, signIn } from './state.js';

/** Asks for a token. */
export function SignIn() {
  const [token, setToken] = useState('');
  const [forget, setForget] = useState(false);
  const enter = (event: Event, given: string | undefined): void => {
    event.preventDefault();
    session.signIn(given, !forget);
    void signIn();
  };
  return (
    <main>
      <form class="sign-in" onSubmit={(event) => enter(event, token.trim() === '' ? undefined : token.trim())}>
        <h1>Sign in</h1>
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
          <button type="button" onClick={(event) => enter(event, undefined)}>
            Use the client certificate of this browser
          </button>
        </div>
        {refusal.value !== undefined && refusal.value !== '' && (
          <p class="message" role="alert">
            ✕ {refusal.value}
          </p>
        )}
        <p class="muted">
          The token of the owner is in the kubeconfig that the server writes. It stays in this tab, and is sent to this
          server only.
        </p>
      </form>
    </main>
  );
}
