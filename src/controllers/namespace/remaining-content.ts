import type { Clock } from '../../meta/clock.js';
import { Informer } from '../informer.js';
import type { AnyObject, ServedKind } from '../served-kinds.js';

/**
 * Watches what holds up the end of namespaces, so that it is known at once when something of it goes or loses a finalizer.
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

  /** The informers that run now. */
  *informers(): Generator<Informer<AnyObject>, void, undefined> {
    for (const kinds of this.#watched.values()) yield* kinds.values();
  }

  /** Watches these kinds in the namespace, and no others. */
  async watch(namespace: string, wanted: readonly ServedKind[]): Promise<void> {
    const watched = this.#watched.get(namespace) ?? new Map<ServedKind, Informer<AnyObject>>();
    for (const [kind, informer] of watched) {
      if (wanted.includes(kind)) continue;
      watched.delete(kind);
      await informer.stop();
    }
    for (const kind of wanted)
      if (!watched.has(kind) && isWatchable(kind)) watched.set(kind, this.#open(namespace, kind));
    if (watched.size === 0) this.#watched.delete(namespace);
    else this.#watched.set(namespace, watched);
  }

  #open(namespace: string, kind: ServedKind): Informer<AnyObject> {
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
    // Something may have gone between the look that found it and the beginning of the watch.
    void informer.synced().then(() => this.#changed(namespace));
    return informer;
  }
}

function isWatchable({ verbs }: ServedKind): boolean {
  return verbs.has('list') && verbs.has('watch');
}
