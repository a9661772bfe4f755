import { nextTurn } from '../../../src/foundation/index.js';
import {
  StorageError,
  type StorageErrorCode,
  type StorageListOptions,
  type StorageWriteOptions,
} from '../../../src/storage/storage.js';
import type { Invocation, Outcome, Shown } from '../history.js';
import type { Chance } from './chance.js';
import { FollowedWatch } from './followed-watch.js';
import type { Run, Server } from './run.js';
import { encoding, shownOf } from './values.js';

const PREFIXES = ['/registry/a/', '/registry/b/', '/registry/'] as const;
const KEYS = 12;
const PAGE = 3;

/** Outcomes by the code of the refusal. */
const OUTCOMES: Readonly<Record<StorageErrorCode, Outcome>> = {
  KeyExists: 'exists',
  KeyNotFound: 'notFound',
  Conflict: 'conflict',
  Compacted: 'compacted',
  FutureRevision: 'future',
  Unavailable: 'unknown',
  Full: 'failed',
  Fenced: 'failed',
};
/** Part of an engine's message for a write that has certainly no effect. */
const NO_EFFECT = /has not taken effect|nothing was written/;

type Result = Parameters<Run['history']['return']>[2];

/** A client that asks random servers, one operation at a time. */
export class Client {
  readonly #run: Run;
  readonly #number: number;
  readonly #chance: Chance;
  /** The newest version of each key that it saw. */
  readonly #known = new Map<string, Shown>();
  /** Its watch. */
  watch: FollowedWatch | undefined;

  constructor(run: Run, number: number, chance: Chance) {
    this.#run = run;
    this.#number = number;
    this.#chance = chance;
  }

  /** Makes steps until all are made. */
  async run(): Promise<void> {
    while (this.#run.takeStep()) {
      if (this.#chance.oneOf(8)) await nextTurn();
      await this.#step(this.#server());
    }
  }

  /** Reads everything. */
  async readAll(server: Server): Promise<void> {
    await this.#list(server, 'list', '/registry/', {});
  }

  #server(): Server {
    const { servers } = this.#run;
    const server = servers[this.#chance.below(servers.length)];
    if (server === undefined) throw new Error('there is no server');
    return server;
  }

  #key(): string {
    return `${this.#chance.pick(['/registry/a/', '/registry/b/'])}${this.#chance.below(KEYS)}`;
  }

  async #step(server: Server): Promise<void> {
    const drawn = this.#chance.below(100);
    if (drawn < 45) await this.#write(server);
    else if (drawn < 65) await this.#get(server, 'get');
    else if (drawn < 70) await this.#get(server, 'getNotOlderThan');
    else if (drawn < 78) await this.#list(server, 'list', this.#chance.pick(PREFIXES), {});
    else if (drawn < 81) await this.#listNotOlderThan(server);
    else if (drawn < 85) await this.#pages(server);
    else if (drawn < 91) await this.#listAt(server);
    else if (drawn < 93) await this.#compact(server);
    else if (drawn < 96) this.watch?.requestProgress();
    else this.#rewatch(server);
  }

  async #write(server: Server): Promise<void> {
    const key = this.#key();
    const known = this.#known.get(key);
    if (known === undefined) await this.#create(server, key);
    else if (this.#chance.oneOf(3)) await this.#delete(server, known);
    else await this.#update(server, known);
  }

  async #create(server: Server, key: string): Promise<void> {
    const value = this.#run.nextValue();
    const options = this.#options(server, key, value);
    await this.#call(server, { kind: 'create', key, value }, async () => {
      const record = await server.storage.create(key, encoding(value), options);
      this.#known.set(key, shownOf(record));
      return { revision: record.modRevision };
    });
  }

  async #update(server: Server, { key, revision: argument, value: replaced }: Shown): Promise<void> {
    const value = this.#run.nextValue();
    const options = this.#options(server, key, value);
    await this.#call(server, { kind: 'update', key, value, argument, replaced }, async () => {
      const record = await server.storage.update(key, encoding(value), argument, options);
      this.#known.set(key, shownOf(record));
      return { revision: record.modRevision };
    });
  }

  /** Gives some keys a time to live. Their expiry is a delete whose outcome nobody is told. */
  #options(server: Server, key: string, value: number): StorageWriteOptions {
    const { ttl, history, servers } = this.#run;
    if (ttl === undefined || !this.#chance.oneOf(10)) return {};
    history.invoke({ client: this.#number, server: servers.indexOf(server), kind: 'delete', key, replaced: value });
    return { ttl, encodeExpired: encoding(value) };
  }

  async #delete(server: Server, { key, revision: argument, value: replaced }: Shown): Promise<void> {
    await this.#call(server, { kind: 'delete', key, argument, replaced }, async () => {
      const record = await server.storage.delete(key, encoding(replaced), argument);
      this.#known.delete(key);
      return { revision: record.modRevision };
    });
  }

  async #get(server: Server, kind: 'get' | 'getNotOlderThan'): Promise<void> {
    const key = this.#key();
    const argument = kind === 'get' || this.#chance.oneOf(2) ? 0 : this.#run.newest;
    const options = kind === 'get' ? {} : { notOlderThan: argument };
    await this.#call(server, { kind, key, argument }, async () => {
      const { record, revision } = await server.storage.get(key, options);
      const shown = record === undefined ? [] : [shownOf(record)];
      if (kind === 'get') this.#remember(key, shown[0]);
      return { revision, shown };
    });
  }

  async #listNotOlderThan(server: Server): Promise<void> {
    const notOlderThan = this.#chance.oneOf(2) ? 0 : this.#run.newest;
    await this.#list(server, 'listNotOlderThan', this.#chance.pick(PREFIXES), { notOlderThan });
  }

  /** Lists a prefix in pages of one revision, each from another server. */
  async #pages(server: Server): Promise<void> {
    const prefix = this.#chance.pick(PREFIXES);
    let page = await this.#list(server, 'list', prefix, { limit: PAGE });
    while (page !== undefined && page.remaining > 0 && page.last !== undefined) {
      const options = { limit: PAGE, revision: page.revision, after: page.last };
      page = await this.#list(this.#server(), 'listAt', prefix, options);
    }
  }

  async #listAt(server: Server): Promise<void> {
    const { newest, compacted, history } = this.#run;
    const revision = this.#chance.oneOf(3)
      ? compacted
      : Math.max(history.initialRevision, newest + 2 - this.#chance.below(60));
    await this.#list(server, 'listAt', this.#chance.pick(PREFIXES), { revision });
  }

  async #list(
    server: Server,
    kind: 'list' | 'listAt' | 'listNotOlderThan',
    prefix: string,
    options: StorageListOptions,
  ): Promise<{ readonly revision: number; readonly remaining: number; readonly last: string | undefined } | undefined> {
    const { revision: at, notOlderThan, after = '', limit = 0 } = options;
    const invocation = { kind, key: prefix, argument: at ?? notOlderThan ?? 0, after, limit };
    return this.#call(server, invocation, async () => {
      const { records, revision, remaining } = await server.storage.list(prefix, options);
      return { revision, remaining, shown: records.map(shownOf), last: records[records.length - 1]?.key };
    });
  }

  async #compact(server: Server): Promise<void> {
    const argument = this.#run.witnessed - this.#chance.below(30);
    if (argument <= this.#run.compacted) return;
    this.#run.compacted = argument;
    await this.#call(server, { kind: 'compact', key: '', argument }, async () => {
      await server.storage.compact(argument);
      return { revision: argument };
    });
  }

  /** Starts a watch, or continues at another server where the last one was. */
  #rewatch(server: Server): void {
    const { newest, compacted, history } = this.#run;
    const last = this.watch;
    const isWhole = last?.isRunning === true;
    last?.stop();
    const drawn = this.#chance.below(4);
    const other = drawn === 0 ? compacted : Math.max(history.initialRevision, newest + 2 - this.#chance.below(40));
    const from = isWhole && drawn > 1 ? last.position : other;
    const prefix = isWhole && drawn > 1 ? last.prefix : this.#chance.pick(PREFIXES);
    this.watch = new FollowedWatch(this.#run, this.#number, server, prefix, from);
  }

  #remember(key: string, shown: Shown | undefined): void {
    if (shown === undefined) this.#known.delete(key);
    else this.#known.set(key, shown);
  }

  /** Records a call and its answer. @returns undefined if it fails */
  async #call<Answer extends Result>(
    server: Server,
    invocation: Omit<Invocation, 'client' | 'server'>,
    ask: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const { history, servers } = this.#run;
    const row = history.invoke({ ...invocation, client: this.#number, server: servers.indexOf(server) });
    try {
      const answer = await ask();
      history.return(row, 'ok', answer);
      this.#run.saw(answer?.revision ?? 0);
      return answer;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      await this.#refused(server, invocation, row, error);
      return undefined;
    }
  }

  async #refused(
    server: Server,
    { kind, key }: Omit<Invocation, 'client' | 'server'>,
    row: number,
    { code, current, message }: StorageError,
  ): Promise<void> {
    const isWrite = kind === 'create' || kind === 'update' || kind === 'delete';
    const isCertain = !isWrite || NO_EFFECT.test(message);
    const shown = current === undefined ? [] : [shownOf(current)];
    this.#run.history.return(row, code === 'Unavailable' && isCertain ? 'failed' : OUTCOMES[code], { shown });
    if (code === 'Unavailable' && isWrite) this.#run.refused();
    if (code === 'Unavailable') return this.#run.answers(server);
    if (isWrite) this.#remember(key, shown[0]);
  }
}
