import type { KindReference } from '../../client/index.js';
import { Informer, type InformedObject } from '../../controllers/index.js';
import { shown } from '../../foundation/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import { nextTurn } from '../time/manual-clock.js';
import type { SettledPart, TestCore } from './core.js';

/** An informer that can say when it is current, such as the `Informer` of `orch-apiserver/controllers`. */
export interface CatchingUp {
  /** Resolves when the informer has delivered every change that the server had at the time of the call. */
  caughtUp(): Promise<void>;
}

/** An informer that knows its newest version, such as that of `@kubernetes/client-node` (`makeInformer`, `ListWatch`). */
export interface Versioned {
  /** Returns the newest resource version that the informer has delivered. */
  latestResourceVersion(): string;
}

/**
 * The type that `makeInformer` of `@kubernetes/client-node` declares. What it returns has `latestResourceVersion()`, too
 * ({@link Versioned}).
 */
export interface DeclaredInformer {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The collection that a {@link Versioned} informer follows. */
export interface TrackedCollection {
  /** The kind; or its names, such as `{ apiVersion: 'v1', kind: 'Pod' }`. */
  readonly kind: ResourceDefinition | KindReference;
  /** Default all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Turns of the event loop after which an informer that does not catch up is reported: about two seconds. */
const MAX_TURNS = 50_000;

/** Returns what waits for an informer of the code under test. @throws TypeError for another value */
export function trackedPart(
  core: TestCore,
  informer: CatchingUp | Versioned | DeclaredInformer,
  collection: TrackedCollection | undefined,
): SettledPart & { stop(): Promise<void> } {
  if (typeof informer !== 'object' || informer === null) throw notAnInformer(informer);
  if ('caughtUp' in informer && typeof informer.caughtUp === 'function')
    return { settled: () => informer.caughtUp(), stop: () => Promise.resolve() };
  if (!('latestResourceVersion' in informer) || typeof informer.latestResourceVersion !== 'function')
    throw notAnInformer(informer);
  if (collection === undefined)
    throw new TypeError(
      'test.track: an informer that has only latestResourceVersion() needs its collection: test.track(informer, { kind: Pod, namespace })',
    );
  return new Follower(core, informer, collection);
}

const notAnInformer = (value: unknown): TypeError =>
  new TypeError(
    `test.track: the first argument must be an informer: an object with caughtUp(), or with latestResourceVersion(), got ${shown(value)}`,
  );

/** Waits until an informer has every version that an informer of this server has seen. */
class Follower implements SettledPart {
  readonly #informer: Versioned;
  readonly #title: string;
  readonly #own: Informer<InformedObject>;
  #newest = 0;

  constructor(core: TestCore, informer: Versioned, { kind, namespace, ...selectors }: TrackedCollection) {
    this.#informer = informer;
    this.#title = kind.kind;
    const all = 'plural' in kind ? core.client.resource(kind) : core.client.resource(kind);
    this.#own = new Informer<InformedObject>({
      ...{ source: namespace === undefined ? all : all.namespace(namespace), clock: core.clock },
      ...(selectors.labelSelector === undefined ? {} : { labelSelector: selectors.labelSelector }),
      ...(selectors.fieldSelector === undefined ? {} : { fieldSelector: selectors.fieldSelector }),
    });
    const see = ({ metadata }: InformedObject): void => {
      this.#newest = Math.max(this.#newest, Number(metadata.resourceVersion));
    };
    this.#own.subscribe({ added: see, updated: see, deleted: see });
    this.#own.start();
  }

  async settled(): Promise<void> {
    await this.#own.caughtUp();
    const target = this.#newest;
    for (let turn = 0; !(Number(this.#informer.latestResourceVersion()) >= target); turn += 1) {
      if (turn === MAX_TURNS)
        throw new Error(
          `test.settled: the tracked informer of ${this.#title} does not reach resource version ${target}; it is at ${shown(this.#informer.latestResourceVersion())}. Was it started, and does it follow the collection that test.track names?`,
        );
      await nextTurn();
    }
  }

  stop(): Promise<void> {
    return this.#own.stop();
  }
}
