import type { Client } from '../../client/index.js';
import type { Clock, Dialect } from '../../foundation/index.js';
import { Namespace } from '../../kinds/index.js';
import type { Controller, RunningInformer } from '../runtime/controller.js';
import { hasReason, retryOnConflict } from '../runtime/failures.js';
import { Informer } from '../runtime/informer.js';
import type { ServedKinds } from '../runtime/served-kinds.js';
import { WorkQueue } from '../runtime/work-queue.js';
import { updateConditions, type NamespaceObject } from './conditions.js';
import { NamespaceContent, type ContentOutcome } from './content.js';
import { RemainingContent } from './remaining-content.js';

/** Options of {@link namespaceController}. */
export interface NamespaceControllerOptions {
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** See `ControllerOptions.namespaceDeletionDelayMs`. */
  readonly deletionDelayMs: number;
  /** See `ControllerOptions.orderedNamespaceDeletion`. */
  readonly ordered: boolean;
  readonly onError: (error: unknown) => void;
}

/** Maximum number of namespaces that are processed concurrently. */
const CONCURRENCY = 10;

/**
 * Completes the deletion of namespaces: deletes their content, reports the remaining content in their conditions, and
 * removes its own finalizer from their spec when they are empty. Other finalizers continue to block the deletion.
 */
export function namespaceController(options: NamespaceControllerOptions): Controller {
  const { client, clock, kinds, onError } = options;
  const worker = new NamespaceWorker(options, new NamespaceContent(kinds, clock, options.ordered), (name, delayMs) =>
    queue.addAfter(name, delayMs),
  );
  const queue = new WorkQueue<string>({
    name: 'namespace',
    clock,
    concurrency: CONCURRENCY,
    process: (name, signal) => worker.process(name, signal),
    onError: (_name, error) => onError(error),
  });
  const namespaces = new Informer<NamespaceObject>({ source: client.resource(Namespace), clock, onError });
  const enqueue = ({ metadata }: NamespaceObject): void => {
    if (metadata.deletionTimestamp !== undefined) queue.addAfter(metadata.name ?? '', options.deletionDelayMs);
  };
  namespaces.subscribe({
    added: enqueue,
    updated: enqueue,
    deleted: ({ metadata }) => void queue.add(metadata.name ?? ''),
  });
  return {
    name: 'namespace',
    *informers(): Generator<RunningInformer, void, undefined> {
      yield namespaces;
      yield* worker.remaining.informers();
    },
    queues: [queue],
  };
}

class NamespaceWorker {
  readonly remaining: RemainingContent;
  readonly #options: NamespaceControllerOptions;
  readonly #content: NamespaceContent;
  readonly #requeue: (name: string, delayMs: number) => void;

  constructor(
    options: NamespaceControllerOptions,
    content: NamespaceContent,
    requeue: (name: string, delayMs: number) => void,
  ) {
    this.#options = options;
    this.#content = content;
    this.#requeue = requeue;
    this.remaining = new RemainingContent({
      clock: options.clock,
      contentOf: (name, kind) => kind.client.namespace(name),
      changed: (name) => requeue(name, 0),
      onError: options.onError,
    });
  }

  async process(name: string, signal: AbortSignal): Promise<void> {
    const namespace = await this.#read(name);
    const deletionTimestamp = namespace?.metadata.deletionTimestamp;
    if (deletionTimestamp === undefined || !this.#hasOwnFinalizer(namespace)) return this.remaining.watch(name, []);
    const outcome = await this.#content.delete(name, deletionTimestamp);
    await this.#report(name, outcome);
    if (signal.aborted) return;
    await this.remaining.watch(name, outcome.kinds);
    if (outcome.failures.length > 0) throw new Error(outcome.failures.join('; '));
    if (outcome.kinds.length > 0) this.#requeue(name, (Math.floor(outcome.estimateSeconds / 2) + 1) * 1000);
    else await this.#finalize(name);
  }

  /** Returns true when the spec still contains the controller's own finalizer. */
  #hasOwnFinalizer(namespace: NamespaceObject | undefined): boolean {
    return namespace?.spec?.finalizers?.includes(this.#options.dialect.product) === true;
  }

  async #read(name: string): Promise<NamespaceObject | undefined> {
    try {
      return await this.#options.client.resource(Namespace).get(name);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #report(name: string, outcome: ContentOutcome): Promise<void> {
    const { client, clock, dialect } = this.#options;
    return this.#write(name, async (namespace) => {
      if (updateConditions(namespace, outcome, { dialect, nowMs: clock.now() }))
        await client.resource(Namespace).updateStatus(namespace);
    });
  }

  #finalize(name: string): Promise<void> {
    return this.#write(name, async (namespace) => {
      if (!this.#hasOwnFinalizer(namespace)) return;
      const finalizers = (namespace.spec?.finalizers ?? []).filter(
        (finalizer) => finalizer !== this.#options.dialect.product,
      );
      await this.#options.client
        .resource(Namespace)
        .updateSubresource('finalize', { ...namespace, spec: { ...namespace.spec, finalizers } });
    });
  }

  /**
   * Reads and writes a terminating namespace, with retries on conflict. Does nothing when it is gone or was created
   * again.
   */
  #write(name: string, write: (namespace: NamespaceObject) => Promise<void>): Promise<void> {
    return retryOnConflict(async () => {
      const namespace = await this.#read(name);
      if (namespace?.metadata.deletionTimestamp === undefined) return;
      try {
        await write(namespace);
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
    });
  }
}
