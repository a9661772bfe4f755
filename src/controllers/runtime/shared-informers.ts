import type { Client } from '../../client/index.js';
import type { Clock } from '../../foundation/index.js';
import { Informer } from './informer.js';
import type { AnyObject } from './served-kinds.js';
import { isSameKind, kindOf, resourceOf, selectionOf, type InformerOf, type Source, type View } from './sources.js';

/** Options of {@link SharedInformers}. */
export interface SharedInformersOptions {
  readonly client: Pick<Client, 'resource'>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Returns the function that reduces the objects of a source to what is cached. Default: that of the view, or none. */
  readonly keepOf?: ((source: Source) => View['keep']) | undefined;
}

/** One informer for each kind and view, for all controllers of a server or manager that follow it. */
export class SharedInformers {
  readonly #options: SharedInformersOptions;
  readonly #informers = new Map<Source, Informer<AnyObject>>();

  constructor(options: SharedInformersOptions) {
    this.#options = options;
  }

  /**
   * Returns the informer of the objects of a kind or view; the first call creates it. A controller that uses it returns
   * it in its `informers()`, which starts it. Indexes are added by {@link Informer.addIndex}.
   */
  of<const Followed extends Source>(source: Followed): InformerOf<Followed>;
  // The informer of a source delivers its objects.
  of(source: Source): Informer<AnyObject> {
    const known = this.#informers.get(source);
    if (known !== undefined) return known;
    const informer = this.#ofSame(source) ?? this.#create(source);
    this.#informers.set(source, informer);
    return informer;
  }

  /** Returns the informer of another value that names the same objects. */
  #ofSame(source: Source): Informer<AnyObject> | undefined {
    for (const [other, informer] of this.#informers) if (isSameSource(other, source)) return informer;
    return undefined;
  }

  #create(source: Source): Informer<AnyObject> {
    const { client, clock, onError, keepOf = ownKeepOf } = this.#options;
    const { namespace, labelSelector, fieldSelector } = selectionOf(source);
    const all = resourceOf(client, kindOf(source));
    return new Informer<AnyObject>({
      source: namespace === undefined ? all : all.namespace(namespace),
      ...{ clock, onError, labelSelector, fieldSelector, keep: keepOf(source) },
    });
  }

  /** The informers, with the kinds that they are of. */
  *all(): Generator<{ readonly kind: string; readonly informer: Informer<AnyObject> }, void, undefined> {
    const seen = new Set<Informer<AnyObject>>();
    for (const [source, informer] of this.#informers) {
      if (seen.has(informer)) continue;
      seen.add(informer);
      yield { kind: kindOf(source).kind, informer };
    }
  }
}

/** Returns the function that a view has; see {@link SharedInformersOptions.keepOf}. */
export const ownKeepOf = (source: Source): View['keep'] => ('of' in source ? source.keep : undefined);

function isSameSource(a: Source, b: Source): boolean {
  const [one, other] = [selectionOf(a), selectionOf(b)];
  return (
    isSameKind(kindOf(a), kindOf(b)) &&
    one.namespace === other.namespace &&
    one.labelSelector === other.labelSelector &&
    one.fieldSelector === other.fieldSelector &&
    ownKeepOf(a) === ownKeepOf(b)
  );
}
