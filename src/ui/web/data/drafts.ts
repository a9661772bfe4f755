import { isMap, listOf } from './guards.js';
import type { PageKind } from './kinds.js';
import type { KeyStore } from './session.js';

/** A text that somebody has written and not saved. */
export interface KeptDraft {
  readonly text: string;
  /** The object that the text began with; undefined for a new object. */
  readonly base?: unknown;
}

/** Names the draft of an object: an address of the page, and the uid of the object if there is one. */
export type DraftKey = string;

/** Names the draft of an object. One of the same name that is created later has another. @param uid empty for none */
export const draftKeyOf = (
  { group, version, plural }: PageKind,
  namespace: string | undefined,
  name: string,
  uid = '',
): DraftKey => [group, version, plural, namespace ?? '-', name, uid].join('/');

const KEY = 'drafts';
/** The longest texts of all drafts together that a tab keeps when it reloads: browsers give a page five million characters. */
const MOST_KEPT = 2_000_000;

interface Stored extends KeptDraft {
  /** Whether the browser may store it; a Secret stays in the memory of the tab. */
  readonly storable: boolean;
}

/**
 * The drafts of a user, until they are saved or discarded. They are there again when the user leaves the editor and comes
 * back, signs in again, or reloads the tab. Another user does not get them.
 */
export class Drafts {
  readonly #store: KeyStore;
  readonly #drafts = new Map<DraftKey, Stored>();
  #user: string | undefined;

  /** @param store what outlives a reload of the tab */
  constructor(store: KeyStore) {
    this.#store = store;
  }

  /** Whether there is any draft. */
  get any(): boolean {
    return this.#drafts.size > 0;
  }

  /** Begins with the drafts of a user, and forgets those of another. */
  become(user: string): void {
    if (this.#user === user) return;
    this.#drafts.clear();
    this.#user = user;
    for (const [key, draft] of draftsIn(this.#store.getItem(KEY), user)) this.#drafts.set(key, draft);
    this.#write();
  }

  /** Returns a draft; undefined where there is none. */
  of(key: DraftKey): KeptDraft | undefined {
    return this.#drafts.get(key);
  }

  /**
   * Returns a draft of another object with the same address, as after the object was made again, or when the server has
   * another store; undefined where there is none.
   */
  ofOther(key: DraftKey): (KeptDraft & { readonly key: DraftKey }) | undefined {
    const address = key.slice(0, key.lastIndexOf('/') + 1);
    for (const [other, draft] of this.#drafts)
      if (other !== key && other.startsWith(address) && !other.slice(address.length).includes('/'))
        return { ...draft, key: other };
    return undefined;
  }

  /** Keeps a draft. @param storable whether the browser may store it */
  keep(key: DraftKey, draft: KeptDraft, storable: boolean): void {
    this.#drafts.set(key, { ...draft, storable });
    this.#write();
  }

  drop(key: DraftKey): void {
    if (this.#drafts.delete(key)) this.#write();
  }

  /** Forgets all drafts, as when the user signs out. */
  forget(): void {
    this.#drafts.clear();
    this.#user = undefined;
    this.#write();
  }

  #write(): void {
    const drafts = [...this.#drafts].filter(([, { storable }]) => storable);
    try {
      // An integer that numbers cannot hold has no JSON.
      const text = JSON.stringify({ user: this.#user, drafts });
      if (drafts.length > 0 && text.length <= MOST_KEPT) return this.#store.setItem(KEY, text);
    } catch {
      // They are in the memory of the tab all the same, which asks before it is closed.
    }
    this.#store.removeItem(KEY);
  }
}

/** Returns the drafts of a user in what a tab has stored. */
function draftsIn(text: string | null, user: string): [DraftKey, Stored][] {
  const stored: unknown = text === null ? undefined : JSON.parse(text);
  if (!isMap(stored) || stored['user'] !== user) return [];
  return listOf(stored['drafts']).flatMap((entry: unknown): [DraftKey, Stored][] => {
    const [key, draft] = listOf(entry);
    if (typeof key !== 'string' || !isMap(draft) || typeof draft['text'] !== 'string') return [];
    return [[key, { text: draft['text'], base: draft['base'], storable: true }]];
  });
}
