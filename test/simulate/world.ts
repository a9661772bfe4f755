import type { ApiServer } from '../../src/apiserver/api-server.js';
import type { Client } from '../../src/client/client.js';
import type { Storage } from '../../src/storage/storage.js';
import { Chance } from '../history/driver/chance.js';
import { History } from '../history/history.js';
import { checkHistory } from '../history/check.js';
import { reportOf } from '../history/timeline.js';
import { deeds } from './deeds.js';
import { FollowingInformer } from './follower.js';
import { Ledger } from './ledger.js';
import { Network } from './network.js';
import type { Fault, Plan, Step } from './plan.js';
import { invariants } from './invariants.js';
import type { Mistake } from './mistakes.js';
import { Scheduler } from './scheduler.js';
import { SimServer } from './sim-server.js';
import { START_MS } from './template.js';
import { droppedKeys, Tokens, writeSigningKey } from './tokens.js';
import { Trace } from './trace.js';
import { ValueClient, valueOf, VALUE_KEYS } from './value-client.js';

/** Time after the last step and fault until everything must be at rest, in milliseconds. */
const REST_MS = 3 * 60_000;
/** Time in which events reach everybody when nothing is wrong. */
const QUIET_MS = 5_000;
/** Keys of the last values, which no step uses. */
const LAST_KEY = 100;

/** Time within which a world ends, in milliseconds. */
const LIMIT_MS = 60 * 60_000;

/** An invariant that a world broke, and how. */
export interface Failure {
  readonly invariant: string;
  readonly message: string;
}

/** The outcome of a world. */
export interface Outcome {
  readonly failures: readonly Failure[];
  readonly trace: Trace;
  /** Virtual time, in milliseconds. */
  readonly virtualMs: number;
  readonly tasks: number;
  readonly operations: number;
}

/** Runs the world of a plan. */
export async function runWorld(
  plan: Plan,
  template: Storage,
  { keepsLines = false, mistake }: { readonly keepsLines?: boolean; readonly mistake?: Mistake | undefined } = {},
): Promise<Outcome> {
  const trace = new Trace(keepsLines);
  const scheduler = new Scheduler(plan.seed, START_MS + 120_000, trace);
  const world = new World(plan, template, scheduler, mistake);
  const unhandled = (error: unknown): void => world.fail('no error is unhandled', [textOf(error)]);
  process.on('unhandledRejection', unhandled);
  try {
    await scheduler.run(() => world.run(), LIMIT_MS);
  } catch (error) {
    world.fail('the world ends', [`while ${world.phase}: ${textOf(error)}`]);
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  return {
    failures: world.failures,
    trace,
    virtualMs: scheduler.nowMs - START_MS,
    tasks: scheduler.tasks,
    operations: world.operations,
  };
}

const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

class World {
  readonly failures: Failure[] = [];
  /** The part of the world that goes on. */
  phase = 'the story goes on';
  readonly #plan: Plan;
  readonly #scheduler: Scheduler;
  readonly #engine: Storage;
  readonly #mistake: Mistake | undefined;
  #history = new History();
  readonly #tokens = new Tokens();
  #values = 0;

  constructor(plan: Plan, template: Storage, scheduler: Scheduler, mistake: Mistake | undefined) {
    const engine = template.fork?.({ clock: scheduler.clock('store') });
    if (engine === undefined) throw new Error('the storage cannot be forked');
    this.#engine = engine;
    this.#plan = plan;
    this.#scheduler = scheduler;
    this.#mistake = mistake;
  }

  get operations(): number {
    return this.#history.length;
  }

  async run(): Promise<void> {
    const { seed, clients: count } = this.#plan;
    const scheduler = this.#scheduler;
    await writeSigningKey(this.#engine, scheduler.nowMs, new Chance(seed * 47 + 11));
    const ledger = await Ledger.follow(this.#engine, () => scheduler.nowMs);
    this.#history = new History(ledger.revision);
    const servers = this.#startServers();
    const network = new Network(servers, scheduler, new Chance(seed * 31 + 7));
    const informers = [0, 1].map(
      (number) => new FollowingInformer(network, scheduler.clock(`informer ${number}`), number),
    );
    const clientWorld = {
      ...{ network, history: this.#history, ledger, trace: scheduler.trace, nowMs: () => scheduler.nowMs },
      nextValue: () => (this.#values += 1),
    };
    const clients = Array.from({ length: count }, (_, number) => new ValueClient(clientWorld, number));
    const faults = this.#plan.faults.map((fault) => this.#suffer(fault, servers, network, ledger));
    await Promise.all([
      ...clients.map((client, number) =>
        this.#makeSteps(
          client,
          network,
          this.#plan.steps.filter((step) => step.client === number),
        ),
      ),
      ...faults,
    ]);
    for (const server of servers) server.start();
    this.phase = 'everything comes to rest';
    await scheduler.pause(REST_MS, 'rest');
    // Every server writes, and what was reached by other objects is reached by a value, too.
    for (const [number] of servers.entries()) await clients[0]?.write(number, LAST_KEY + number);
    await scheduler.pause(QUIET_MS, 'rest');
    this.#checkRest(ledger, informers);
    this.fail('no key is lost whose tokens are valid', await droppedKeys(ledger));
    this.fail(
      'servers at rest accept the same tokens',
      await this.#tokens.differences(servers, ledger, scheduler.nowMs),
    );
    for (const client of clients) client.settle(ledger.revision);
    this.phase = 'the informers stop';
    await Promise.all(informers.map((informer) => informer.stop()));
    this.phase = 'the servers close';
    for (const server of servers) await server.close();
    await this.#engine.close();
    this.phase = 'what is left ends';
    await scheduler.pause(QUIET_MS, 'the end');
    this.phase = 'the history is checked';
    this.#checkEnd(servers);
    this.#checkHistory(ledger);
  }

  #startServers(): readonly SimServer[] {
    const { seed, servers: count } = this.#plan;
    const mistake = this.#mistake;
    const servers = Array.from(
      { length: count },
      (_, number) =>
        new SimServer({
          ...{ number, seed, scheduler: this.#scheduler, store: this.#engine },
          mistake: mistake === undefined ? undefined : (storage) => mistake.make()(storage),
        }),
    );
    for (const server of servers) server.start();
    return servers;
  }

  async #makeSteps(client: ValueClient, network: Network, steps: readonly Step[]): Promise<void> {
    const startMs = this.#scheduler.nowMs;
    for (const { at, server, client: number, action } of steps) {
      const waitMs = startMs + at - this.#scheduler.nowMs;
      if (waitMs > 0) await this.#scheduler.pause(waitMs, `client ${number} waits`);
      switch (action.do) {
        case 'write':
          await client.write(server, action.key);
          break;
        case 'delete':
          await client.delete(server, action.key);
          break;
        case 'get':
          await client.get(server, action.key);
          break;
        case 'list':
          await client.list(server);
          break;
        case 'pages':
          await client.pages(server);
          break;
        case 'rewatch':
          client.rewatch(server);
          break;
        case 'token':
          await this.#do(network, server, `client ${number}`, 'token', (api) => this.#tokens.issue(api));
          break;
        case 'rotate': {
          const { amount } = action;
          await this.#do(network, server, `client ${number}`, 'rotate', (_api, asked) =>
            this.#tokens.rotate(asked, amount),
          );
          break;
        }
        default: {
          const { do: deed, key, amount } = action;
          await this.#do(network, server, `client ${number}`, `${deed} ${key}`, (api) => deeds[deed](api, key, amount));
        }
      }
    }
  }

  /** Does something whose answer only the trace remembers. */
  async #do(
    network: Network,
    server: number,
    label: string,
    what: string,
    ask: (client: Client, server: ApiServer) => Promise<unknown>,
  ): Promise<void> {
    const answer = await network.ask(server, label, ask).then(() => 'ok', String);
    this.#scheduler.trace.add(this.#scheduler.nowMs, `${label} ${what}: ${answer}`);
  }

  async #suffer(fault: Fault, servers: readonly SimServer[], network: Network, ledger: Ledger): Promise<void> {
    const scheduler = this.#scheduler;
    await scheduler.pause(fault.at, 'a fault');
    const server = servers[fault.server];
    if (server === undefined) return;
    scheduler.trace.add(scheduler.nowMs, `server ${fault.server} ${fault.fault}`);
    switch (fault.fault) {
      case 'network': {
        const troubles = network.troublesOf(fault.server);
        troubles.add(fault.trouble);
        if (fault.trouble === 'cut') network.cutWatches(fault.server);
        await scheduler.pause(fault.forMs, 'a fault ends');
        troubles.delete(fault.trouble);
        return;
      }
      case 'store': {
        const storage = server.life?.storage;
        storage?.troubles.add(fault.trouble);
        if (fault.trouble === 'unreachable') storage?.cutWatches();
        await scheduler.pause(fault.forMs, 'a fault ends');
        storage?.troubles.delete(fault.trouble);
        return;
      }
      case 'cut watches':
        return network.cutWatches(fault.server);
      case 'cut store watches':
        return server.life?.storage.cutWatches();
      case 'compaction': {
        const argument = ledger.revision;
        const row = this.#history.invoke({ client: -1, server: fault.server, kind: 'compact', key: '', argument });
        await this.#engine.compact(argument);
        this.#history.return(row, 'ok', { revision: argument });
        return;
      }
      case 'crash':
        server.kill();
        await scheduler.pause(fault.forMs, 'a fault ends');
        server.start(fault.offsetMs);
    }
  }

  /** Notes how an invariant is broken, if it is. */
  fail(invariant: string, messages: readonly string[]): void {
    if (messages.length > 0) this.failures.push({ invariant, message: messages.slice(0, 10).join('\n') });
  }

  #checkRest(ledger: Ledger, informers: readonly FollowingInformer[]): void {
    this.fail(
      'every informer equals the store at rest',
      informers.flatMap((informer) => informer.differences(ledger)),
    );
    for (const [name, check] of invariants) this.fail(name, check(ledger));
  }

  /** Nothing leaks: no task is left, and no memory is counted. */
  #checkEnd(servers: readonly SimServer[]): void {
    this.fail('no task is left after the end', this.#scheduler.pending);
    for (const { name, storage } of servers.flatMap(({ lives }) => lives)) {
      const { budget } = storage;
      const bodies = budget?.usedFor('bodies') ?? 0;
      if (bodies !== 0) this.fail('memory accounts return to zero', [`${name}: ${bodies} bytes of bodies`]);
    }
  }

  /** The history of the values keeps all rules; the ledger is one of its watches. */
  #checkHistory(ledger: Ledger): void {
    const history = this.#history;
    const witness = history.watch({ client: -1, server: 0, prefix: VALUE_KEYS, from: ledger.initialRevision });
    for (const { type, key, revision, createRevision, previousRevision, object } of ledger.commits) {
      if (!key.startsWith(VALUE_KEYS)) continue;
      const before = ledger.write(key, previousRevision);
      const previous = before === undefined ? undefined : { value: valueOf(before.object), revision: before.revision };
      history.events(witness, [{ kind: type, key, value: valueOf(object), revision, createRevision, previous }]);
    }
    history.settle(witness, ledger.revision);
    const violations = checkHistory(history);
    if (violations.length > 0) this.fail('the history keeps its rules', [reportOf(history, violations)]);
  }
}
