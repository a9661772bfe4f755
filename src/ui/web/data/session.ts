/** Where the token is kept while the tab is open. */
export interface TokenStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const KEY = 'token';

/**
 * Who uses the page: the bearer token, in memory and, unless the user objects, in the storage of the tab, which ends with
 * it. Without a token the browser's client certificate decides.
 */
export class Session {
  readonly #store: TokenStore;
  #token: string | undefined;

  constructor(store: TokenStore) {
    this.#store = store;
    this.#token = store.getItem(KEY) ?? undefined;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** @param remember whether a reload of the tab keeps the token */
  signIn(token: string | undefined, remember: boolean): void {
    this.#token = token;
    if (token !== undefined && remember) this.#store.setItem(KEY, token);
    else this.#store.removeItem(KEY);
  }

  signOut(): void {
    this.signIn(undefined, false);
  }
}
