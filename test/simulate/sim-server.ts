import { ApiServer } from '../../src/apiserver/api-server.js';
import type { Clock } from '../../src/foundation/time/clock.js';
import { ConnectionLostError } from '../../src/server/requests/connection-lost.js';
import type { Storage } from '../../src/storage/storage.js';
import { seededEntropy } from '../../src/testing/time/seeded-entropy.js';
import { Chance } from '../history/driver/chance.js';
import type { Scheduler } from './scheduler.js';
import { serverOptions } from './server-options.js';
import { ServerStorage } from './server-storage.js';

/** Time until the process of a server that did not start is started again, in milliseconds. */
const RESTART_MS = 1_000;

/** One of the servers of a world: a process that can die and start again. */
export class SimServer {
  readonly #number: number;
  readonly #seed: number;
  readonly #scheduler: Scheduler;
  readonly #store: Storage;
  /** Decorates the way to the store, for a mistake. */
  readonly #mistake: (storage: Storage) => Storage;
  readonly #lives: Life[] = [];
  /** Whether it should run. */
  #isWanted = false;

  constructor(parts: {
    number: number;
    seed: number;
    scheduler: Scheduler;
    store: Storage;
    mistake?: ((storage: Storage) => Storage) | undefined;
  }) {
    this.#number = parts.number;
    this.#seed = parts.seed;
    this.#scheduler = parts.scheduler;
    this.#store = parts.store;
    this.#mistake = parts.mistake ?? ((storage) => storage);
  }

  /** The running process; undefined while there is none. */
  get life(): Life | undefined {
    const last = this.#lives.at(-1);
    return last?.isDead === false ? last : undefined;
  }

  get lives(): readonly Life[] {
    return this.#lives;
  }

  /** Starts the process. @param offsetMs how far its clock is ahead */
  start(offsetMs = 0): void {
    this.#isWanted = true;
    if (this.life !== undefined) return;
    const name = `server ${this.#number}.${this.#lives.length}`;
    const chance = new Chance(this.#seed * 7919 + this.#number * 131 + this.#lives.length);
    const storage = new ServerStorage(this.#store, this.#scheduler, chance, name);
    const clock = this.#scheduler.clock(name, offsetMs);
    const life = new Life(name, storage, clock, this.#mistake(storage.storage), `${this.#seed}/${name}`);
    this.#lives.push(life);
    life.started.catch(() => {
      if (life.isDead) return;
      life.die();
      this.#scheduler.after(RESTART_MS, `${name} starts again`, () => this.#isWanted && this.start(offsetMs));
    });
  }

  /** Kills the process. */
  kill(): void {
    this.#isWanted = false;
    this.life?.die();
  }

  /** Closes all that was ever started. */
  async close(): Promise<void> {
    this.#isWanted = false;
    for (const life of this.#lives) await life.close();
  }
}

/** A process of a server, from its start to its end. */
export class Life {
  readonly name: string;
  readonly server: ApiServer;
  readonly storage: ServerStorage;
  readonly started: Promise<void>;
  /** Rejects when it dies. */
  readonly ended: Promise<never>;
  isDead = false;
  #halt: () => void = () => undefined;
  #end: (error: Error) => void = () => undefined;

  constructor(name: string, storage: ServerStorage, clock: Clock, decorated: Storage, seed: string) {
    this.name = name;
    this.storage = storage;
    this.ended = new Promise<never>((_resolve, reject) => (this.#end = reject));
    this.ended.catch(() => undefined);
    this.server = new ApiServer({
      ...serverOptions,
      ...{ clock, entropy: seededEntropy(seed), storage: decorated },
      interceptor: {
        request: async (_request, proceed) => void (await proceed()),
        attach: ({ halt }) => void (this.#halt = halt),
      },
    });
    this.started = this.server.ready() ?? Promise.resolve();
    this.started.catch(() => undefined);
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.storage.die();
    this.#end(new ConnectionLostError('the process of the server has ended'));
    this.#halt();
  }

  close(): Promise<void> {
    this.isDead = true;
    this.#end(new ConnectionLostError('the process of the server has ended'));
    return this.server.close();
  }
}
