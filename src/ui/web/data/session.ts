/** Storage that outlives a reload of a tab, but not the tab: for the key of the session, and for drafts. */
export interface KeyStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** How somebody signs in: by a session of the server, by a token that only the page has, or by a client certificate. */
export type Credential =
  | { readonly by: 'session'; readonly key: string }
  | { readonly by: 'token'; readonly token: string }
  | { readonly by: 'certificate' };

/** A user as whom a page is viewed, as a member of groups. */
export interface ViewedUser {
  readonly user: string;
  readonly groups: readonly string[];
}

const KEY = 'session';
const CERTIFICATE: Credential = { by: 'certificate' };

/**
 * Who uses the page. Of a session, the tab keeps the key, and the browser a cookie that scripts cannot read; one is
 * nothing without the other. A token without a session is in memory alone.
 */
export class Session {
  readonly #store: KeyStore;
  #credential: Credential;
  /** The user as whom the page is viewed; undefined for oneself. */
  viewedAs: ViewedUser | undefined;

  constructor(store: KeyStore) {
    this.#store = store;
    const key = store.getItem(KEY);
    this.#credential = key === null ? CERTIFICATE : { by: 'session', key };
  }

  get credential(): Credential {
    return this.#credential;
  }

  /** The header fields of requests. */
  get headers(): Readonly<Record<string, string>> {
    if (this.viewedAs === undefined) return this.#ownHeaders;
    const { user, groups } = this.viewedAs;
    // A browser would join several fields of groups into one; the server takes them apart.
    const named = groups.length === 0 ? {} : { 'x-ui-groups': groups.map(encodeURIComponent).join(',') };
    return { ...this.#ownHeaders, 'impersonate-user': user, ...named };
  }

  get #ownHeaders(): Readonly<Record<string, string>> {
    const credential = this.#credential;
    if (credential.by === 'session') return { 'x-ui-session': credential.key };
    return credential.by === 'token' ? { authorization: `Bearer ${credential.token}` } : {};
  }

  signIn(credential: Credential): void {
    this.#credential = credential;
    this.viewedAs = undefined;
    if (credential.by === 'session') this.#store.setItem(KEY, credential.key);
    else this.#store.removeItem(KEY);
  }

  signOut(): void {
    this.signIn(CERTIFICATE);
  }
}
