import type { TestServer } from '../server/test-server.js';
import type { RunningClock } from '../time/running-clock.js';
import type { ControlledFaults, ControlledServer } from './controlled-server.js';
import { controlledSimulation, type SimulationParts } from './simulation-rules.js';

/** Parts of a test server that the control API uses where they exist. */
export interface TestServerParts extends SimulationParts {
  load?(manifests: string): Promise<readonly object[]>;
  readonly faults?:
    | {
        add(rule: object): { readonly hits: number; remove(): void };
        clear(): void;
      }
    | undefined;
  requests?(match: object): { toArray(): readonly object[] };
}

/** Options of the test server, as they were given to it. */
export interface ControlledTestServerOptions {
  readonly ownerToken: string;
  /** The clock of the server where time runs; undefined where it stands still until it is advanced. */
  readonly runningClock: RunningClock | undefined;
  /** Whether it has simulated nodes. */
  readonly simulates: boolean;
}

/** Returns a test server as the control API uses it. */
export function controlledTestServer(
  test: TestServer & TestServerParts,
  { ownerToken, runningClock, simulates }: ControlledTestServerOptions,
): ControlledServer {
  const { server, load, requests, faults } = test;
  return {
    target: server.target,
    kubeConfig: (options) => server.kubeConfig(options),
    token: ownerToken,
    time: runningClock === undefined ? 'manual' : 'real',
    now: () => test.clock.now(),
    async advance(ms) {
      // The controllers of a fork start with its first write; timers that they set must count from the current time.
      await test.settled();
      await test.advance(ms);
    },
    settled: () => test.settled(),
    async fork() {
      const clock = runningClock?.fork();
      const fork = await test.fork({ clock });
      // Where time runs, controllers work by it also before the first write.
      if (clock !== undefined) await fork.settled();
      return controlledTestServer(fork, { ownerToken, runningClock: clock, simulates });
    },
    async reset() {
      faults?.clear();
      runningClock?.restart();
      await test.reset();
    },
    // The line break tells a text from a path, which a command must not name.
    load: load && ((manifests) => load(`${manifests}\n`)),
    faults: faults && controlledFaults(faults),
    simulation: simulates ? controlledSimulation(test) : undefined,
    requests: requests && ((filter) => requests(filter).toArray()),
    close: () => test.close(),
  };
}

function controlledFaults(faults: NonNullable<TestServerParts['faults']>): ControlledFaults {
  return {
    add(rule) {
      const added = faults.add(rule);
      return {
        rule,
        get hits() {
          return added.hits;
        },
        remove: () => added.remove(),
      };
    },
    clear: () => faults.clear(),
  };
}
