import { setTimeout as pause } from 'node:timers/promises';
import type { Storage } from '../../../src/storage/storage.js';
import { History } from '../history.js';
import { Chance } from './chance.js';
import { Client } from './client.js';
import { FollowedWatch } from './followed-watch.js';

/** The members of a storage that clients ask. */
export type AskedStorage = Pick<
  Storage,
  'create' | 'update' | 'delete' | 'get' | 'list' | 'watch' | 'compact' | 'ping' | 'pingWrites' | 'currentRevision'
>;

/** A server of the store: the storage that its clients ask. It is another one after a restart. */
export interface Server {
  storage: AskedStorage;
}

/** Something that happens to the servers or their database, and ends by itself. */
export type Fault = (run: Run) => Promise<void>;

/** The servers of one store, and their faults. */
export interface Target {
  readonly name: string;
  readonly servers: readonly Server[];
  readonly faults: readonly Fault[];
  /** Faults that this machine cannot make, and why. */
  readonly missing?: readonly string[];
  /** Time to live of some keys, in milliseconds; absent: none expires. */
  readonly ttl?: number;
  /** Whether the servers write to the store for themselves, too. */
  readonly hasOtherWriters?: boolean;
  close(): Promise<void>;
}

/** Options of a run. */
export interface RunOptions {
  readonly seed: number;
  /** Number of steps of all clients together. A step is one operation, or few. */
  readonly operations: number;
  readonly clients?: number;
  /** Number of rounds of 10 ms in which the watches may catch up at the end. */
  readonly patience?: number;
}

const CLIENTS = 8;
const PATIENCE = 3_000;
const ROUND_MS = 10;
/** In a long run, a fault happens each so many steps. */
const FAULT_STEPS = 5_000;

/** Clients that use several servers of one store at random, while faults happen; everything is recorded. */
export class Run {
  readonly history: History;
  readonly servers: readonly Server[];
  /** Time to live of some keys, in milliseconds. */
  readonly ttl: number | undefined;
  /** Newest revision that anybody saw. */
  newest: number;
  /** Newest revision up to which a compaction was requested. */
  compacted: number;
  readonly #options: RunOptions;
  readonly #faults: readonly Fault[];
  /** A watch of everything at each server. It sees the writes of unknown outcome, so nothing is compacted before it. */
  #witnesses: FollowedWatch[] = [];
  readonly #reconnecting = new Map<Server, Promise<void>>();
  #steps = 0;
  #values = 0;
  #wake: () => void = () => undefined;
  #onRefusal: () => void = () => undefined;
  #endClients: () => void = () => undefined;
  /** Resolves when the clients have made all their steps: nobody asks any more. */
  readonly clientsEnded = new Promise<void>((resolve) => {
    this.#endClients = resolve;
  });

  private constructor(target: Target, initialRevision: number, options: RunOptions) {
    this.servers = target.servers;
    this.ttl = target.ttl;
    this.#faults = target.faults;
    this.#options = options;
    this.history = new History(initialRevision, target.hasOtherWriters);
    this.newest = this.compacted = initialRevision;
  }

  /** Runs the clients. @returns all that they asked and saw */
  static async history(target: Target, options: RunOptions): Promise<History> {
    const revisions = await Promise.all(target.servers.map(({ storage }) => storage.currentRevision()));
    const run = new Run(target, Math.max(...revisions), options);
    await run.#run();
    return run.history;
  }

  /** A number for a value: each is given once. */
  nextValue(): number {
    return (this.#values += 1);
  }

  /** Somebody saw a revision. */
  saw(revision: number): void {
    this.newest = Math.max(this.newest, revision);
  }

  /** Newest revision up to which history may be dropped. */
  get witnessed(): number {
    return Math.min(...this.#witnesses.map(({ position }) => position));
  }

  /** Counts a step. @returns false when all have been made */
  takeStep(): boolean {
    if (this.#steps >= this.#options.operations) return false;
    this.#steps += 1;
    this.#wake();
    return true;
  }

  /** Resolves when the clients have made that many more steps, or all. */
  async moreSteps(count: number): Promise<void> {
    await Promise.race([this.#reached(this.#steps + count), this.clientsEnded]);
  }

  /** A write was not acknowledged, because its store is unavailable. */
  refused(): void {
    this.#onRefusal();
  }

  /** Resolves when the store has refused one more write, or the clients have made all their steps. */
  async refusal(): Promise<void> {
    const refused = new Promise<void>((resolve) => {
      this.#onRefusal = resolve;
    });
    await Promise.race([refused, this.clientsEnded]);
  }

  /** Resolves when a server takes writes again. */
  async takesWrites({ storage }: Server): Promise<void> {
    await repeated(() => storage.pingWrites?.() ?? storage.ping());
  }

  /** Resolves when a server answers again. */
  async answers(server: Server): Promise<void> {
    let waiting = this.#reconnecting.get(server);
    if (waiting === undefined) {
      waiting = repeated(() => server.storage.ping()).finally(() => this.#reconnecting.delete(server));
      this.#reconnecting.set(server, waiting);
    }
    await waiting;
  }

  async #run(): Promise<void> {
    const { clients: count = CLIENTS, seed } = this.#options;
    this.#witnesses = this.servers.map((server) => new FollowedWatch(this, -1, server, '/registry/', this.newest));
    const clients = Array.from(
      { length: count },
      (_, number) => new Client(this, number, new Chance(seed * 1009 + number)),
    );
    const asking = Promise.all(clients.map((client) => client.run())).finally(() => this.#endClients());
    await Promise.all([asking, this.#injectFaults()]);
    for (const server of this.servers) {
      await this.answers(server);
      await clients[0]?.readAll(server);
    }
    await this.#settle([...clients.flatMap(({ watch }) => watch ?? []), ...this.#witnesses]);
  }

  /** Distributes the faults over the run. */
  async #injectFaults(): Promise<void> {
    const { operations } = this.#options;
    const count = this.#faults.length === 0 ? 0 : Math.max(this.#faults.length, Math.floor(operations / FAULT_STEPS));
    for (let index = 0; index < count; index += 1) {
      await this.#reached((operations * (index + 0.5)) / count);
      await this.#faults[index % this.#faults.length]?.(this);
    }
  }

  async #reached(steps: number): Promise<void> {
    while (this.#steps < steps) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits until the watches have delivered everything, and ends them. */
  async #settle(watches: readonly FollowedWatch[]): Promise<void> {
    const { patience = PATIENCE } = this.#options;
    // Keys may still expire: they are not awaited.
    const last = this.newest;
    for (let round = 0; round < patience; round += 1) {
      const late = watches.filter((watch) => !watch.isOver && watch.position < last);
      if (late.length === 0) break;
      for (const watch of late) watch.requestProgress();
      await pause(ROUND_MS);
    }
    for (const watch of watches) watch.settle(last);
  }
}

/** Asks until it succeeds. */
async function repeated(ask: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await pause(ROUND_MS);
    }
  }
}
