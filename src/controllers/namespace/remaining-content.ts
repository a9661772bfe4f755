import type { PartialObjectMetadata } from '../../client/index.js';
import type { Clock } from '../../foundation/index.js';
import { withoutWait, type RunningInformer } from '../runtime/controller.js';
import { Informer } from '../runtime/informer.js';
import type { AnyResource, ServedKind } from '../runtime/served-kinds.js';

/** Options of {@link RemainingContent}. */
export interface RemainingContentOptions {
  readonly clock: Clock;
  /** Returns the objects of a kind that belong to an owner. */
  readonly contentOf: (owner: string, kind: ServedKind) => AnyResource;
  /** Called with the name of the owner. */
  readonly changed: (owner: string) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Watches the content that blocks the deletion of its owners (namespaces, definitions of kinds), to react as soon as an
 * object is deleted or loses a finalizer.
 */
export class RemainingContent {
  readonly #options: RemainingContentOptions;
  readonly #watched = new Map<string, Map<ServedKind, Informer<PartialObjectMetadata>>>();

  constructor(options: RemainingContentOptions) {
    this.#options = options;
  }

  /** Returns the informers that run now. */
  *informers(): Generator<RunningInformer, void, undefined> {
    for (const kinds of this.#watched.values()) for (const informer of kinds.values()) yield withoutWait(informer);
  }

  /** Watches exactly these kinds of an owner. */
  async watch(owner: string, wanted: readonly ServedKind[]): Promise<void> {
    const watched = this.#watched.get(owner) ?? new Map<ServedKind, Informer<PartialObjectMetadata>>();
    for (const [kind, informer] of watched) {
      if (wanted.includes(kind)) continue;
      watched.delete(kind);
      await informer.stop();
    }
    for (const kind of wanted)
      if (!watched.has(kind) && isWatchable(kind)) watched.set(kind, this.#startInformer(owner, kind));
    if (watched.size === 0) this.#watched.delete(owner);
    else this.#watched.set(owner, watched);
  }

  #startInformer(owner: string, kind: ServedKind): Informer<PartialObjectMetadata> {
    const { clock, contentOf, changed, onError } = this.#options;
    const informer = new Informer<PartialObjectMetadata>({ source: contentOf(owner, kind).metadata(), clock, onError });
    informer.subscribe({
      updated: (object, old) => {
        if (object.metadata.finalizers?.length !== old.metadata.finalizers?.length) changed(owner);
      },
      deleted: () => changed(owner),
    });
    informer.start();
    // An object may have been deleted between the list that found it and the start of the watch.
    void informer.synced().then(() => changed(owner));
    return informer;
  }
}

function isWatchable({ verbs }: ServedKind): boolean {
  return verbs.has('list') && verbs.has('watch');
}
