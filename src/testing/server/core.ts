import type { ApiServer, ServerSnapshot } from '../../apiserver/index.js';
import type { Client } from '../../client/index.js';
import type { Simulation } from '../../simulation/index.js';
import { createTestClock, type ManualClock, type TestClock } from '../time/manual-clock.js';
import type { RunningTest } from '../saved-state/running-test.js';
import type { SeededEntropy } from '../time/seeded-entropy.js';
import type { Instruments } from './instruments.js';
import type { TestServerOptions } from './test-options.js';

/** The state that a test server starts from, and that a reset goes back to. */
interface Checkpoint {
  readonly snapshot: ServerSnapshot;
  readonly nowMs: number;
  readonly entropy: SeededEntropy;
  readonly simulation: Simulation | undefined;
}

/** Number of times that the code under test may cause work for the controllers before that counts as endless. */
const MAX_ROUNDS = 1000;

/** The parts that a test server begins with. */
export interface CoreParts {
  readonly options: TestServerOptions;
  readonly server: ApiServer;
  /** The test's own clock, whose time a reset sets back; undefined when the option `clock` gives one. */
  readonly ownClock: TestClock | undefined;
  readonly clock: ManualClock;
  readonly entropy: SeededEntropy;
  readonly simulation: Simulation | undefined;
  /** Those whose interceptor the server has. */
  readonly instruments: Instruments;
  /** The test that the server belongs to; undefined when it is not known. */
  readonly testContext: RunningTest | undefined;
}

/** Something whose work {@link TestCore.settled} waits for. */
export interface SettledPart {
  /** Resolves when there is no work left without more time. */
  settled(): Promise<void>;
}

/**
 * A test server without the parts that are built on it. A part is a function that takes the core and returns members of
 * `TestServer`; a fork has parts of its own.
 *
 * The server and the clock stay the same objects when the core is reset.
 */
export class TestCore {
  readonly options: TestServerOptions;
  readonly server: ApiServer;
  /** A client with all permissions. */
  readonly client: Client;
  readonly clock: ManualClock;
  readonly instruments: Instruments;
  readonly testContext: RunningTest | undefined;
  readonly #ownClock: TestClock | undefined;
  #entropy: SeededEntropy;
  #simulation: Simulation | undefined;
  #start: Checkpoint | undefined;
  readonly #settledParts = new Set<SettledPart>();
  readonly #resetListeners = new Set<() => void>();
  readonly #closeListeners = new Set<() => void | Promise<void>>();

  constructor({ options, server, ownClock, clock, entropy, simulation, instruments, testContext }: CoreParts) {
    this.options = options;
    this.server = server;
    this.client = server.client();
    this.clock = clock;
    this.#ownClock = ownClock;
    this.#entropy = entropy;
    this.#simulation = simulation;
    this.instruments = instruments;
    this.testContext = testContext;
    this.onReset(() => instruments.reset());
    this.onClose(() => instruments.release());
    instruments.restartsWith(() => this.restart());
  }

  /** The current simulation; undefined without the option `simulate`. */
  get simulation(): Simulation | undefined {
    return this.#simulation;
  }

  /** Resolves when no controller and no {@link SettledPart} has work, and nothing can proceed without more time. */
  async settled(): Promise<void> {
    await this.clock.settle();
    await this.server.settled();
    // The actions of the code under test may give work to the controllers, and those of the controllers to that code.
    for (let seen = 0, round = 0; this.#settledParts.size > 0; round += 1) {
      if (round === MAX_ROUNDS)
        throw new Error('test.settled: the code under test and the controllers cause work for each other without end');
      for (const part of [...this.#settledParts]) await part.settled();
      await this.clock.settle();
      await this.server.settled();
      const revision = await this.instruments.revision();
      if (revision === seen) break;
      seen = revision;
    }
    await this.clock.settle();
  }

  /** Lets {@link settled} wait for a part. @returns a function that ends that */
  addSettled(part: SettledPart): () => void {
    this.#settledParts.add(part);
    return () => void this.#settledParts.delete(part);
  }

  /** Calls a function after each reset. */
  onReset(listener: () => void): void {
    this.#resetListeners.add(listener);
  }

  /** Calls a function before the server closes, and waits for it. */
  onClose(listener: () => void | Promise<void>): void {
    this.#closeListeners.add(listener);
  }

  /**
   * Makes the current state the one that {@link reset} goes back to.
   *
   * @throws TypeError when the storage cannot be forked
   */
  async begin(): Promise<void> {
    this.#start = await this.#checkpoint();
  }

  /**
   * Returns an independent test server with the current state.
   *
   * @throws TypeError when the storage cannot be forked
   */
  async fork(given?: ManualClock, testContext: RunningTest | undefined = this.testContext): Promise<TestCore> {
    const start = await this.#checkpoint();
    // Without a clock of its own, this server has one that was given: to it, or to the server that it is a fork of.
    const clock = given ?? (this.#ownClock === undefined ? this.clock.fork?.() : undefined);
    const ownClock = clock === undefined ? createTestClock(start.nowMs) : undefined;
    const parts = { entropy: start.entropy.fork(), simulation: start.simulation?.fork() };
    const used = clock ?? ownClock ?? this.clock;
    const instruments = this.instruments.fork(used);
    const { interceptor } = instruments;
    const server = await this.server.fork({ ...parts, clock: used, interceptor }, start.snapshot);
    if (this.options.ui === true) await server.target.page?.serve(true);
    const rest = { ownClock, clock: used, instruments, testContext };
    const core = new TestCore({ options: this.options, server, ...rest, ...parts });
    core.#start = start;
    await core.#begun(start);
    return core;
  }

  /**
   * Goes back to the state that the test server began with.
   *
   * @throws TypeError when the storage cannot be forked
   */
  async reset(): Promise<void> {
    const start = (this.#start ??= await this.#refuseReset());
    this.#entropy = start.entropy.fork();
    this.#simulation = start.simulation?.fork();
    this.#ownClock?.restart(start.nowMs);
    await this.server.restore(start.snapshot, { entropy: this.#entropy, simulation: this.#simulation });
    await this.#begun(start);
    for (const listener of this.#resetListeners) listener();
  }

  /** Starts the server again on the same storage, with new simulated nodes that have the current rules. */
  async restart(): Promise<void> {
    this.#simulation = this.#simulation?.fork();
    await this.server.restart({ simulation: this.#simulation });
  }

  /** Closes the server. @throws Error that names what still runs; the first error of a listener, after the server has closed */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const listener of this.#closeListeners) {
      try {
        await listener();
      } catch (error) {
        failures.push(error);
      }
    }
    this.#closeListeners.clear();
    const { followers } = this.instruments;
    if (followers.length > 0)
      failures.push(new Error(`still running when the test server closes: ${followers.join(', ')}; stop them before`));
    await this.server.close();
    if (failures.length > 0) throw failures[0];
  }

  async #checkpoint(): Promise<Checkpoint> {
    const snapshot = await this.server.snapshot();
    return {
      snapshot,
      nowMs: this.clock.now(),
      entropy: this.#entropy.fork(),
      simulation: this.#simulation?.fork(),
    };
  }

  /** Throws the reason why there is no state to go back to. */
  async #refuseReset(): Promise<never> {
    await this.#checkpoint();
    throw new Error('the test server has not begun');
  }

  /** Waits until the server serves a checkpoint. Its controllers start later. */
  async #begun({ entropy }: Checkpoint): Promise<void> {
    // Time can pass without a request, and is what controllers work with.
    this.#ownClock?.beforeAdvance(() => this.server.settled());
    await this.server.ready();
    // The start drew random numbers, as that of the original server did before the checkpoint.
    this.#entropy.rewindTo(entropy);
  }
}
