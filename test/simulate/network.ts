import type { ApiServer } from '../../src/apiserver/api-server.js';
import type { Client } from '../../src/client/client.js';
import { ConnectionLostError } from '../../src/server/requests/connection-lost.js';
import type { Chance } from '../history/driver/chance.js';
import type { Scheduler } from './scheduler.js';
import type { Life, SimServer } from './sim-server.js';

/** A trouble between the clients and a server. */
export type NetworkTrouble = 'cut' | 'requests lost' | 'answers lost' | 'slow';

/** Most milliseconds of the way between a client and a server. */
const QUICK_MS = 4;
const SLOW_MS = 2_000;
/** Time after which a client gives a server up that does not answer, in milliseconds. */
const PATIENCE_MS = 30_000;

/** The network between the clients and the servers of a world. */
export class Network {
  readonly servers: readonly SimServer[];
  readonly #scheduler: Scheduler;
  readonly #chance: Chance;
  readonly #troubles: readonly Set<NetworkTrouble>[];
  readonly #watches = new Set<{ readonly server: number; readonly cut: AbortController }>();

  constructor(servers: readonly SimServer[], scheduler: Scheduler, chance: Chance) {
    this.servers = servers;
    this.#scheduler = scheduler;
    this.#chance = chance;
    this.#troubles = servers.map(() => new Set());
  }

  /** The troubles between the clients and a server. */
  troublesOf(server: number): Set<NetworkTrouble> {
    return this.#troubles[server] ?? new Set();
  }

  /** Cuts the open watches of a server. */
  cutWatches(server: number): void {
    for (const watch of [...this.#watches]) if (watch.server === server) watch.cut.abort();
  }

  /**
   * Asks a server.
   *
   * @throws ConnectionLostError when the request or its answer is lost, or the process ends: then the outcome is unknown;
   *   what the server answers
   */
  async ask<Answer>(
    server: number,
    label: string,
    call: (client: Client, server: ApiServer) => Promise<Answer>,
  ): Promise<Answer> {
    const life = await this.#reach(server, `${label} asks`);
    const answer = await this.#answer(life, label, call);
    await this.#way(server, `${label} learns`);
    if (this.#loses(server, 'answers lost')) throw new ConnectionLostError('the answer was lost');
    if ('error' in answer) throw answer.error;
    return answer.value;
  }

  /** Watches by a server: events arrive in their order, after some time. @throws ConnectionLostError when it is cut */
  async *watch<Event>(
    server: number,
    label: string,
    open: (client: Client, signal: AbortSignal) => AsyncGenerator<Event, void, undefined>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Event, void, undefined> {
    const life = await this.#reach(server, `${label} opens`);
    const cut = new AbortController();
    const watch = { server, cut };
    this.#watches.add(watch);
    const lost = new Promise<never>((_resolve, reject) => {
      cut.signal.addEventListener('abort', () => reject(new ConnectionLostError()));
      life.ended.catch(reject);
    });
    lost.catch(() => undefined);
    const both = signal === undefined ? cut.signal : AbortSignal.any([cut.signal, signal]);
    const events = open(life.server.client(), both);
    try {
      for (;;) {
        const next = await Promise.race([events.next(), lost]);
        await this.#way(server, `${label} watches`);
        if (cut.signal.aborted || life.isDead || this.troublesOf(server).has('cut')) throw new ConnectionLostError();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      this.#watches.delete(watch);
      cut.abort();
      // A watch of a process that has ended may never end.
      void events.return().catch(() => undefined);
    }
  }

  async #reach(server: number, label: string): Promise<Life> {
    await this.#way(server, label);
    const life = this.servers[server]?.life;
    if (life === undefined || this.#loses(server, 'requests lost')) throw new ConnectionLostError('not reached');
    return life;
  }

  #loses(server: number, trouble: NetworkTrouble): boolean {
    const troubles = this.troublesOf(server);
    return troubles.has('cut') || (troubles.has(trouble) && this.#chance.oneOf(3));
  }

  #way(server: number, label: string): Promise<void> {
    const mostMs = this.troublesOf(server).has('slow') ? SLOW_MS : QUICK_MS;
    return this.#scheduler.pause(this.#chance.below(mostMs), label);
  }

  /** Waits for the answer, for the end of the process, or until patience ends. */
  #answer<Answer>(
    life: Life,
    label: string,
    call: (client: Client, server: ApiServer) => Promise<Answer>,
  ): Promise<{ readonly value: Answer } | { readonly error: unknown }> {
    return new Promise((resolve) => {
      const patience = this.#scheduler.after(PATIENCE_MS, `${label} gives up`, () =>
        resolve({ error: new ConnectionLostError('no answer') }),
      );
      const fail = (error: unknown): void => {
        patience.cancel();
        resolve({ error });
      };
      life.ended.catch(fail);
      call(life.server.client(), life.server).then((value) => {
        patience.cancel();
        resolve({ value });
      }, fail);
    });
  }
}
