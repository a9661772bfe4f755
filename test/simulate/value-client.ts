import type { WatchEvent } from '../../src/client/client.js';
import { ApiError } from '../../src/foundation/errors/api-error.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import type { History, Invocation, Outcome, Shown } from '../history/history.js';
import type { Ledger, StoredObject } from './ledger.js';
import type { Network } from './network.js';
import type { Trace } from './trace.js';

/** The namespace of the values, and the prefix of their keys. */
export const VALUES = 'values';
export const VALUE_KEYS = `/registry/configmaps/${VALUES}/`;
const PAGE = 2;

/** The parts of a world that its clients use. */
export interface ClientWorld {
  readonly network: Network;
  readonly history: History;
  readonly ledger: Ledger;
  readonly trace: Trace;
  readonly nowMs: () => number;
  /** Returns a number for a value: each is given once. */
  readonly nextValue: () => number;
}

interface ValueObject {
  readonly metadata: { readonly name?: string | undefined; readonly resourceVersion?: string | undefined };
  readonly data?: Readonly<Record<string, string>> | undefined;
}

type Answer = { readonly revision?: number; readonly remaining?: number; readonly shown?: readonly Shown[] };

/** Returns the value of a stored object. */
export const valueOf = (object: StoredObject | ValueObject): number => Number(object.data?.['value'] ?? -1);

/** A client that reads and writes values through the API. All that it asks and sees is recorded. */
export class ValueClient {
  readonly #world: ClientWorld;
  readonly #number: number;
  /** The newest version of each key that it saw. */
  readonly #known = new Map<string, ValueObject>();
  #watch: { readonly number: number; readonly stop: AbortController; isRunning: boolean } | undefined;

  constructor(world: ClientWorld, number: number) {
    this.#world = world;
    this.#number = number;
  }

  async write(server: number, key: number): Promise<void> {
    const name = `value-${key}`;
    if (!this.#known.has(name)) await this.get(server, key);
    const known = this.#known.get(name);
    const value = this.#world.nextValue();
    const data = { value: String(value) };
    const argument = Number(known?.metadata.resourceVersion ?? 0);
    const call =
      known === undefined
        ? ({ kind: 'create', key: keyOf(name), value } as const)
        : ({ kind: 'update', key: keyOf(name), value, argument, replaced: valueOf(known) } as const);
    await this.#call(server, call, async () => {
      const written = await this.#world.network.ask(server, this.#label, (client) => {
        const maps = client.resource(ConfigMap).namespace(VALUES);
        return known === undefined
          ? maps.create({ metadata: { name }, data })
          : maps.update({ metadata: { name, resourceVersion: String(argument) }, data });
      });
      this.#known.set(name, written);
      return { revision: revisionOf(written) };
    });
  }

  async delete(server: number, key: number): Promise<void> {
    const name = `value-${key}`;
    const known = this.#known.get(name);
    if (known === undefined) return;
    const argument = revisionOf(known);
    const { ledger, network } = this.#world;
    const before = ledger.revision;
    await this.#call(server, { kind: 'delete', key: keyOf(name), argument, replaced: valueOf(known) }, async () => {
      await network.ask(server, this.#label, (client) =>
        client
          .resource(ConfigMap)
          .namespace(VALUES)
          .delete(name, { preconditions: { resourceVersion: String(argument) } }),
      );
      this.#known.delete(name);
      // The answer does not name the revision.
      const commit = ledger
        .writesOf(keyOf(name))
        .find(
          ({ type, revision, previousRevision }) =>
            type === 'delete' && revision > before && previousRevision === argument,
        );
      return { revision: commit?.revision ?? 0 };
    });
  }

  async get(server: number, key: number): Promise<void> {
    const name = `value-${key}`;
    const { network } = this.#world;
    await this.#call(server, { kind: 'get', key: keyOf(name) }, async (before) => {
      const found = await network
        .ask(server, this.#label, (client) => client.resource(ConfigMap).namespace(VALUES).get(name))
        .catch((error: unknown) => {
          if (error instanceof ApiError && error.code === 404) return undefined;
          throw error;
        });
      if (found === undefined) this.#known.delete(name);
      else this.#known.set(name, found);
      return {
        revision: this.#shownAt(keyOf(name), found === undefined ? undefined : revisionOf(found), before),
        shown: found === undefined ? [] : [this.#shown(found)],
      };
    });
  }

  async list(server: number): Promise<void> {
    await this.#list(server, {});
  }

  /** Lists in pages of one revision, from alternating servers. */
  async pages(server: number): Promise<void> {
    let page = await this.#list(server, { limit: PAGE });
    for (let count = 1; page?.continue !== undefined && page.continue !== ''; count += 1)
      page = await this.#list((server + count) % this.#world.network.servers.length, {
        ...{ limit: PAGE, continue: page.continue, revision: page.revision, after: page.last },
      });
  }

  /** Starts a watch, or continues at another server where the last one was. */
  rewatch(server: number): void {
    const { history, ledger, network } = this.#world;
    this.stop();
    const from = this.#position ?? ledger.revision;
    const stop = new AbortController();
    const number = history.watch({ client: this.#number, server, prefix: VALUE_KEYS, from });
    const watch = { number, stop, isRunning: true };
    this.#watch = watch;
    const events = network.watch(
      server,
      `client ${this.#number}`,
      (client, signal) =>
        client
          .resource(ConfigMap)
          .namespace(VALUES)
          .watch({ resourceVersion: String(from), allowWatchBookmarks: true, signal }),
      stop.signal,
    );
    void this.#follow(watch, events);
  }

  stop(): void {
    if (this.#watch !== undefined) this.#watch.isRunning = false;
    this.#watch?.stop.abort();
  }

  /** The watch that is running must have delivered everything up to a revision. */
  settle(revision: number): void {
    if (this.#watch?.isRunning === true) this.#world.history.settle(this.#watch.number, revision);
    this.stop();
  }

  /** Revision up to which its last watch had delivered everything. */
  #position: number | undefined;

  async #follow(
    watch: { readonly number: number; isRunning: boolean },
    events: AsyncGenerator<WatchEvent<ValueObject>, void, undefined>,
  ): Promise<void> {
    const { history } = this.#world;
    try {
      for await (const event of events) {
        if (!watch.isRunning) return;
        if (event.type === 'ERROR') {
          if (event.object.code === 410) {
            this.#position = undefined;
            history.notify(watch.number, 'compacted', this.#world.ledger.revision);
          } else history.notify(watch.number, 'failed');
          watch.isRunning = false;
          return;
        }
        this.#position = Number(event.object.metadata.resourceVersion);
        if (event.type === 'BOOKMARK') history.notify(watch.number, 'progress', this.#position);
        else this.#received(watch.number, event);
      }
      if (watch.isRunning) history.notify(watch.number, 'closed');
    } catch (error) {
      if (watch.isRunning) history.notify(watch.number, 'failed');
      if (error instanceof ApiError && error.code === 410) this.#position = undefined;
    }
    watch.isRunning = false;
  }

  #received(watch: number, event: { readonly type: string; readonly object: ValueObject }): void {
    const kind = event.type === 'ADDED' ? 'create' : event.type === 'MODIFIED' ? 'update' : 'delete';
    const shown = this.#shown(event.object);
    const { ledger, history } = this.#world;
    const commit = ledger.write(shown.key, shown.revision);
    const before = commit === undefined ? undefined : ledger.write(shown.key, commit.previousRevision);
    // The API does not show the version before.
    const previous = before === undefined ? undefined : { value: valueOf(before.object), revision: before.revision };
    history.events(watch, [{ kind, ...shown, previous }]);
    this.#world.trace.add(this.#world.nowMs(), `client ${this.#number} sees ${event.type} ${shown.revision}`);
  }

  async #list(
    server: number,
    {
      limit,
      continue: token,
      revision: at,
      after = '',
    }: { limit?: number; continue?: string; revision?: number; after?: string },
  ): Promise<{ continue: string | undefined; revision: number; last: string } | undefined> {
    const invocation = {
      kind: token === undefined ? 'list' : 'listAt',
      ...{ key: VALUE_KEYS, argument: at ?? 0, after, limit: limit ?? 0 },
    } as const;
    return this.#call(server, invocation, async () => {
      const { items, metadata } = await this.#world.network.ask(server, this.#label, (client) =>
        client.resource(ConfigMap).namespace(VALUES).list({ limit, continue: token }),
      );
      const shown = items.map((item) => this.#shown(item));
      return {
        ...{ revision: Number(metadata.resourceVersion), remaining: metadata.remainingItemCount ?? 0, shown },
        continue: metadata.continue,
        last: shown.at(-1)?.key ?? after,
      };
    });
  }

  get #label(): string {
    return `client ${this.#number}`;
  }

  /** Records a call and its answer. @returns undefined if it fails */
  async #call<Answered extends Answer>(
    server: number,
    invocation: Omit<Invocation, 'client' | 'server'>,
    ask: (before: number) => Promise<Answered>,
  ): Promise<Answered | undefined> {
    const { history, trace, ledger, nowMs } = this.#world;
    const row = history.invoke({ ...invocation, client: this.#number, server });
    try {
      const answer = await ask(ledger.revision);
      history.return(row, 'ok', answer);
      trace.add(nowMs(), `${this.#label} ${invocation.kind} ${invocation.key} ok ${answer.revision}`);
      return answer;
    } catch (error) {
      const outcome = outcomeOf(error, invocation.kind);
      history.return(row, outcome);
      trace.add(nowMs(), `${this.#label} ${invocation.kind} ${invocation.key} ${outcome} ${String(error)}`);
      if (error instanceof ApiError && error.code !== 429) this.#known.delete(invocation.key.slice(VALUE_KEYS.length));
      return undefined;
    }
  }

  #shown(object: ValueObject): Shown {
    const key = keyOf(object.metadata.name ?? '');
    const revision = revisionOf(object);
    const createRevision = this.#world.ledger.write(key, revision)?.createRevision ?? 0;
    return { key, value: valueOf(object), revision, createRevision };
  }

  /** The answer of a get does not name its revision: the first one since the call at which it is right. */
  #shownAt(key: string, version: number | undefined, before: number): number {
    const { ledger } = this.#world;
    if (ledger.versionAt(key, before)?.revision === version) return before;
    const later = ledger
      .writesOf(key)
      .find(({ revision, type }) => revision > before && (type === 'delete' ? undefined : revision) === version);
    return later?.revision ?? ledger.revision;
  }
}

const keyOf = (name: string): string => VALUE_KEYS + name;
const revisionOf = ({ metadata }: ValueObject): number => Number(metadata.resourceVersion ?? 0);

/** Returns the outcome of a call that has failed. */
function outcomeOf(error: unknown, kind: Invocation['kind']): Outcome {
  if (!(error instanceof ApiError) || error.code >= 500) return 'unknown';
  if (error.code === 404) return 'notFound';
  if (error.code === 410 && kind === 'listAt') return 'compacted';
  return 'failed';
}
