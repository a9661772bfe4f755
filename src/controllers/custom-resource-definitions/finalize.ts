import type { Client } from '../../client/index.js';
import { messageOf, type Clock, type Dialect } from '../../foundation/index.js';
import { cleanupFinalizer, CustomResourceDefinition, withCondition } from '../../kinds/index.js';
import type { RemainingContent } from '../namespace/remaining-content.js';
import type { ServedKind, ServedKinds } from '../runtime/served-kinds.js';
import type { CustomKindHost, CustomObjects } from './custom-kind-host.js';
import { hasSameCondition, isCondition, writeConditions, type Condition, type Definition } from './definition.js';

/** The parts that {@link Finalizer} needs. */
export interface FinalizerOptions {
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly host: CustomKindHost;
  /** Watches the objects that block the deletion of definitions. */
  readonly remaining: RemainingContent;
  /** Processes a definition again after a pause. */
  readonly again: (name: string, delayMs: number) => void;
}

/** Time after which the condition of a definition says that objects remain, and interval of checks. */
const CHECK_MS = 60_000;
/** Interval of checks for a kind whose objects cannot be watched, since no version is served. */
const POLL_MS = 5_000;

const terminating = (status: string, reason: string, message: string): Condition => ({
  type: 'Terminating',
  status,
  reason,
  message,
});

const IN_PROGRESS = terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
const COMPLETED = terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
const NEVER_ESTABLISHED = terminating('False', 'NeverEstablished', 'resource was never established');
const OVERLAPPING = terminating(
  'False',
  'OverlappingBuiltInResource',
  'instances overlap with built-in resources in storage',
);
const REMAINING = terminating(
  'True',
  'InstanceDeletionCheck',
  'could not confirm zero CustomResources remaining: context deadline exceeded',
);

/** Returns whether a deleted definition waits for the deletion of its objects. */
export const isFinalizing = ({ metadata }: Definition, dialect: Dialect): boolean =>
  metadata.finalizers?.includes(cleanupFinalizer(dialect)) === true;

/** Deletes the objects of definitions that are being deleted, then lets the definitions go. */
export class Finalizer {
  readonly #options: FinalizerOptions;
  /** When the current wait for the objects of a definition began, by its name, in milliseconds since the epoch. */
  readonly #waits = new Map<string, number>();

  constructor(options: FinalizerOptions) {
    this.#options = options;
  }

  /** Ends the wait for the objects of a definition. */
  forget(name: string): void {
    this.#waits.delete(name);
    void this.#options.remaining.watch(name, []);
  }

  /** @throws when objects cannot be deleted; the condition of the definition then says why */
  async process(definition: Definition, signal: AbortSignal): Promise<void> {
    const { clock, host, remaining } = this.#options;
    const current = hasSameCondition(definition, IN_PROGRESS)
      ? definition
      : await writeConditions(this.#options, definition, [IN_PROGRESS], clock.now());
    if (!isCondition(current, 'Established', 'True')) return this.#finish(current, NEVER_ESTABLISHED);
    const name = current.metadata.name ?? '';
    // No object can be created from then on.
    await host.follows(name, current.metadata.resourceVersion ?? '', signal);
    const objects = host.objectsOf(current);
    if (objects === undefined) return this.#finish(current, OVERLAPPING);
    const left = await this.#deleteObjects(current, objects, signal);
    if (signal.aborted) return;
    if (left) return this.#wait(current);
    this.#waits.delete(name);
    await remaining.watch(name, []);
    await this.#finish(current, COMPLETED);
  }

  /** Returns whether objects with finalizers remain. */
  async #deleteObjects(definition: Definition, objects: CustomObjects, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    try {
      await objects.deleteAll(signal);
      return await objects.remain();
    } catch (error) {
      const failed = terminating('True', 'InstanceDeletionFailed', `could not issue all deletes: ${messageOf(error)}`);
      if (!signal.aborted) await writeConditions(this.#options, definition, [failed], clock.now());
      throw error;
    }
  }

  /** Watches the objects that remain, and checks them again after a while. */
  async #wait(definition: Definition): Promise<void> {
    const { clock, remaining, again } = this.#options;
    const name = definition.metadata.name ?? '';
    const kind = this.#servedKind(definition);
    await remaining.watch(name, kind === undefined ? [] : [kind]);
    const since = this.#waits.get(name) ?? clock.now();
    const passedMs = clock.now() - since;
    this.#waits.set(name, passedMs < CHECK_MS ? since : clock.now());
    again(name, kind === undefined ? POLL_MS : CHECK_MS - (passedMs < CHECK_MS ? passedMs : 0));
    if (passedMs >= CHECK_MS) await writeConditions(this.#options, definition, [REMAINING], clock.now());
  }

  #servedKind({ spec, status }: Definition): ServedKind | undefined {
    return this.#options.kinds.all.find(
      ({ group, resource, definition }) =>
        group === spec.group && resource === status.acceptedNames.plural && definition.storedVersions !== undefined,
    );
  }

  /** Removes the finalizer of a definition without objects, so that the definition goes. */
  async #finish(definition: Definition, condition: Condition): Promise<void> {
    const { client, clock, dialect } = this.#options;
    const finalizer = cleanupFinalizer(dialect);
    const { metadata, status } = definition;
    await client.resource(CustomResourceDefinition).updateSubresource(
      'status',
      {
        ...definition,
        metadata: { ...metadata, finalizers: (metadata.finalizers ?? []).filter((name) => name !== finalizer) },
        status: { ...status, conditions: withCondition(status.conditions, condition, clock.now()) },
      },
      { fieldManager: dialect.apiServerName },
    );
  }
}
