import type { Clock } from '../../meta/clock.js';
import { Informer } from '../informer.js';
import type { AnyObject, ServedKind } from '../served-kinds.js';

/**
 * Watches the content that blocks the deletion of namespaces, to react as soon as an object is deleted or loses a
 * finalizer.
 */
export class RemainingContent {
  readonly #clock: Clock;
  readonly #changed: (namespace: string) => void;
  readonly #onError: (error: unknown) => void;
  readonly #watched = new Map<string, Map<ServedKind, Informer<AnyObject>>>();

  /** @param changed called with the name of the namespace */
  constructor(clock: Clock, changed: (namespace: string) => void, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#changed = changed;
    this.#onError = onError;
  }

  /** Returns the informers that run now. */
  *informers(): Generator<Informer<AnyObject>, void, undefined> {
    for (const kinds of this.#watched.values()) yield* kinds.values();
  }

  /** Watches exactly these kinds in the namespace. */
  async watch(namespace: string, wanted: readonly ServedKind[]): Promise<void> {
    const watched = this.#watched.get(namespace) ?? new Map<ServedKind, Informer<AnyObject>>();
    for (const [kind, informer] of watched) {
      if (wanted.includes(kind)) continue;
      watched.delete(kind);
      await informer.stop();
    }
    for (const kind of wanted)
      if (!watched.has(kind) && isWatchable(kind)) watched.set(kind, this.#startInformer(namespace, kind));
    if (watched.size === 0) this.#watched.delete(namespace);
    else this.#watched.set(namespace, watched);
  }

  #startInformer(namespace: string, kind: ServedKind): Informer<AnyObject> {
    const informer = new Informer<AnyObject>({
      source: kind.client.namespace(namespace),
      clock: this.#clock,
      onError: this.#onError,
    });
    informer.subscribe({
      updated: (object, old) => {
        if (object.metadata.finalizers?.length !== old.metadata.finalizers?.length) this.#changed(namespace);
      },
      deleted: () => this.#changed(namespace),
    });
    informer.start();
    // An object may have been deleted between the list that found it and the start of the watch.
    void informer.synced().then(() => this.#changed(namespace));
    return informer;
  }
}

function isWatchable({ verbs }: ServedKind): boolean {
  return verbs.has('list') && verbs.has('watch');
}
