import type { Client } from '../../client/index.js';
import type { Dialect } from '../../foundation/index.js';
import { Namespace } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import { orAbsent, retryOnConflict } from '../runtime/failures.js';
import type { Reconciler, ReconcilerHost } from '../runtime/keyed-reconciler.js';
import type { Run } from '../runtime/keyed-runner.js';
import { reconciler } from '../runtime/reconciler.js';
import type { ServedKinds } from '../runtime/served-kinds.js';
import { updateConditions, type NamespaceObject } from './conditions.js';
import { NamespaceContent, type ContentOutcome } from './content.js';
import { RemainingContent } from './remaining-content.js';

/** Options of {@link namespaceController}. */
export interface NamespaceControllerOptions extends ReconcilerHost {
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly dialect: Dialect;
  /** See `ControllerOptions.namespaceDeletionDelayMs`. */
  readonly deletionDelayMs: number;
  /** See `ControllerOptions.orderedNamespaceDeletion`. */
  readonly ordered: boolean;
}

/** Maximum number of namespaces that are processed concurrently. */
const CONCURRENCY = 10;

/**
 * Completes the deletion of namespaces: deletes their content, reports the remaining content in their conditions, and
 * removes its own finalizer from their spec when they are empty. Other finalizers continue to block the deletion.
 */
export function namespaceController(options: NamespaceControllerOptions): Controller {
  const { clock, kinds, onError } = options;
  const remaining = new RemainingContent({
    clock,
    contentOf: (name, kind) => kind.client.namespace(name),
    changed: (name) => void controller.add(name),
    onError,
  });
  const worker = new NamespaceWorker(options, new NamespaceContent(kinds, clock, options.ordered), remaining);
  const controller: Reconciler = reconciler(options, {
    name: 'namespace',
    queue: 'namespace',
    concurrency: CONCURRENCY,
    kind: Namespace,
    runsOn: ({ metadata }) => metadata.deletionTimestamp !== undefined && options.deletionDelayMs,
    informers: () => remaining.informers(),
    reconcile: (_namespace, run) => worker.reconcile(run),
    gone: (name) => remaining.watch(name, []),
  });
  return controller;
}

class NamespaceWorker {
  readonly #options: NamespaceControllerOptions;
  readonly #content: NamespaceContent;
  readonly #remaining: RemainingContent;

  constructor(options: NamespaceControllerOptions, content: NamespaceContent, remaining: RemainingContent) {
    this.#options = options;
    this.#content = content;
    this.#remaining = remaining;
  }

  async reconcile({ key: name, signal, requeueAfter }: Run): Promise<void> {
    const namespace = await this.#read(name);
    const deletionTimestamp = namespace?.metadata.deletionTimestamp;
    if (deletionTimestamp === undefined || !this.#hasOwnFinalizer(namespace)) return this.#remaining.watch(name, []);
    const outcome = await this.#content.delete(name, deletionTimestamp);
    await this.#report(name, outcome);
    if (signal.aborted) return;
    await this.#remaining.watch(name, outcome.kinds);
    if (outcome.failures.length > 0) throw new Error(outcome.failures.join('; '));
    if (outcome.kinds.length > 0) requeueAfter((Math.floor(outcome.estimateSeconds / 2) + 1) * 1000);
    else await this.#finalize(name);
  }

  /** Returns true when the spec still contains the controller's own finalizer. */
  #hasOwnFinalizer(namespace: NamespaceObject | undefined): boolean {
    return namespace?.spec?.finalizers?.includes(this.#options.dialect.product) === true;
  }

  #read(name: string): Promise<NamespaceObject | undefined> {
    return orAbsent(this.#options.client.resource(Namespace).get(name));
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
      await orAbsent(write(namespace));
    });
  }
}
