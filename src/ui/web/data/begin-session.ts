import { send, type Send } from './api.js';
import { isMap } from './guards.js';
import type { ProviderAnswer } from './provider.js';
import type { Credential, Session } from './session.js';

/** The proof that begins a session: a token, the code of a link, or what an OpenID provider has sent. */
export type SessionProof = { readonly token: string } | { readonly code: string } | { readonly oidc: ProviderAnswer };

const PATH = 'ui/v1/session';

/** Begins a session. @param root the root of the server @throws ApiFailure when the server refuses */
export async function beginSession(root: URL, proof: SessionProof, fetcher?: Send): Promise<Credential> {
  const response = await send(new URL(PATH, root), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(proof),
    fetcher,
  });
  const answer: unknown = await response.json();
  if (!isMap(answer) || typeof answer['key'] !== 'string') throw new Error('the server began no session');
  return { by: 'session', key: answer['key'] };
}

/** Ends a session: the browser forgets its cookie, and the tab the key. */
export async function endSession(root: URL, session: Session, fetcher?: Send): Promise<void> {
  const { credential, headers } = session;
  session.signOut();
  if (credential.by === 'session') await send(new URL(PATH, root), { method: 'DELETE', headers, fetcher });
}
