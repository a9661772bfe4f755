import { z } from 'zod';
import { ApiError } from '../../src/foundation/errors/api-error.js';
import type { ApiObject, StoredObject } from '../../src/foundation/objects/object.js';
import { kubernetes } from '../../src/foundation/index.js';
import type { RequestContext } from '../../src/registry/store/context.js';
import { ContinueTokens } from '../../src/registry/verbs/continue-token.js';
import { DecodedForms } from '../../src/registry/records/decoded-forms.js';
import { defineResource, type ResourceDefinition } from '../../src/registry/definition/definition.js';
import type { ListOutcome } from '../../src/registry/verbs/list.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { statusSubresource } from '../../src/registry/writes/status.js';
import type { StoreEnvironment } from '../../src/registry/store/store-environment.js';
import { ResourceStore } from '../../src/registry/store/store.js';
import type { WatchOptions } from '../../src/registry/verbs/list-options.js';
import type { WatchNotice } from '../../src/registry/watch/watch.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { FieldSelector, LabelSelector } from '../../src/machinery/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { MemoryBudget, type Storage } from '../../src/entries/storage.js';
import { createManualClock, seededEntropy, type ManualClock } from '../../src/entries/testing.js';
import { freezingStorage } from '../support/freezing-storage.js';

/** A custom kind, with a spec, a status and a selectable field. */
export const Widget = defineResource({
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z.object({ size: z.number().int().optional(), color: z.string().optional() }).optional(),
      status: z.object({ phase: z.string().optional() }).optional(),
    }),
  subresources: { status: statusSubresource },
  selectableFields: { 'spec.color': (object) => (object['spec'] as { color?: string } | undefined)?.color ?? '' },
});

/** Minutes in milliseconds. */
export const MINUTE = 60_000;

/** The stores of a registry, with a clock that stands still, over an engine whose objects are frozen. */
export interface TestRegistry {
  readonly clock: ManualClock;
  readonly storage: Storage;
  readonly environment: StoreEnvironment;
  readonly context: RequestContext;
  readonly warnings: string[];
  store(definition: ResourceDefinition): ResourceStore;
  /** Watchers of a kind that are registered in its log. */
  watchers(store: ResourceStore): Promise<number>;
}

/**
 * Makes a registry. Events are kept for five minutes; bookmarks are due every minute; a request waits three seconds for
 * a future version.
 */
export function createRegistry(options: Partial<StoreEnvironment> = {}): TestRegistry {
  const clock = createManualClock();
  const entropy = seededEntropy(1);
  const storage = options.storage ?? freezingStorage(createMemoryStorage({ clock, history: 5 * MINUTE }));
  const warnings: string[] = [];
  const continueKey = entropy.bytes(32);
  const memory = options.memory ?? new MemoryBudget();
  storage.shareBudget?.(memory);
  const environment: StoreEnvironment = {
    storage,
    dialect: kubernetes,
    clock,
    continueTokens: new ContinueTokens(continueKey),
    memory,
    decodedForms: new DecodedForms(memory, clock),
    watchHistoryMs: 5 * MINUTE,
    watchHistoryEvents: 1000,
    bookmarkIntervalMs: MINUTE,
    revisionWaitMs: 3000,
    watchList: true,
    watchLogs: new Map(),
    selectorIndexes: new Set(),
    ...options,
  };
  const context: RequestContext = {
    user: { username: 'tester', groups: [] },
    dialect: kubernetes,
    clock,
    entropy,
    featureGates: { enabled: () => false },
    userAgent: 'test',
    warn: (text) => void warnings.push(text),
  };
  return {
    clock,
    storage,
    environment,
    context,
    warnings,
    store: (definition) => new ResourceStore(new ResourceInfo(definition, kubernetes), environment),
    watchers: async (store) => (await store.watchLog())?.watchers.size ?? 0,
  };
}

/** A ConfigMap without a manager. */
export function configMap(
  name: string,
  fields: { labels?: Record<string, string>; data?: Record<string, string>; finalizers?: string[] } = {},
): ApiObject {
  const { labels, data, finalizers } = fields;
  return {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    ...(data === undefined ? {} : { data }),
  };
}

/** A registry with ConfigMaps, and shorthands for the tests' operations on them in the namespace `default`. */
export class ConfigMaps {
  readonly registry: TestRegistry;
  readonly store: ResourceStore;

  constructor(options: Partial<StoreEnvironment> = {}) {
    this.registry = createRegistry(options);
    this.store = this.registry.store(ConfigMap);
  }

  /** Creates one; returns its revision. */
  async create(name: string, fields: Parameters<typeof configMap>[1] = {}, namespace = 'default'): Promise<number> {
    return (await this.store.create(this.registry.context, namespace, configMap(name, fields))).modRevision;
  }

  /** Replaces one whatever its version is; returns its revision. */
  async replace(name: string, fields: Parameters<typeof configMap>[1], namespace = 'default'): Promise<number> {
    return (await this.store.update(this.registry.context, namespace, name, () => configMap(name, fields))).record
      .modRevision;
  }

  /** Deletes one; returns the revision of the delete. */
  async delete(name: string, namespace = 'default'): Promise<number> {
    return (await this.store.delete(this.registry.context, namespace, name)).record.modRevision;
  }

  /** Opens a watch of the namespace `default`. */
  watch(
    options: WatchOptions = {},
    signal?: AbortSignal,
    namespace = 'default',
  ): Promise<AsyncIterableIterator<WatchNotice>> {
    return this.store.watch(namespace, options, signal);
  }

  watchers(): Promise<number> {
    return this.registry.watchers(this.store);
  }
}

/** Names of the objects of a page. */
export const namesOf = (store: ResourceStore, page: ListOutcome): string[] =>
  page.records.map((record) => store.read(record).metadata.name ?? '');

/** An event in a few words: `ADDED a@3`, `BOOKMARK @7 end`, `ERROR 410`. The revision is that of the event. */
export function inWords(store: ResourceStore, notice: WatchNotice): string {
  if (notice.type === 'ERROR') return `ERROR ${notice.status.code}`;
  if (notice.type === 'BOOKMARK') return `BOOKMARK @${notice.revision}${notice.initialEventsEnd ? ' end' : ''}`;
  return `${notice.type} ${store.read(notice.record).metadata.name}@${notice.revision}`;
}

/** The next `count` events of a watch as text; fewer when it ends. */
export async function take(store: ResourceStore, watch: AsyncIterator<WatchNotice>, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const { done, value } = await watch.next();
    if (done === true) return [...seen, 'end'];
    seen.push(inWords(store, value));
  }
  return seen;
}

/** The ApiError that a promise rejects with. */
export async function refusal(promise: Promise<unknown>): Promise<ApiError> {
  const outcome: unknown = await promise.then(
    (value) => new Error(`was not refused, but gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof ApiError) return outcome;
  throw outcome;
}

export const labels = (text: string): { labelSelector: LabelSelector } => ({
  labelSelector: LabelSelector.parse(text),
});
export const fields = (text: string): { fieldSelector: FieldSelector } => ({
  fieldSelector: FieldSelector.parse(text),
});

/** The metadata of a record's object. */
export const metadataOf = (
  store: ResourceStore,
  record: Parameters<ResourceStore['read']>[0],
): StoredObject['metadata'] => store.read(record).metadata;
