import type { Client } from '../../client/index.js';
import { allListed, settle, type Controller } from '../../controllers/index.js';
import type { StorageCondition } from '../../storage/index.js';
import type { ControllersReport } from '../../ui/index.js';
import { controllerGroupNames, groupOfController } from './controller-groups.js';
import { ControllerRun, isOn } from './controller-run.js';
import { controllerNames, type ControllerName } from './controller-names.js';
import type { ControllerOptions } from './controller-options.js';
import { controllersReport } from './controllers-report.js';
import { GroupCandidate } from './group-candidate.js';
import { LastFailures } from './last-failures.js';

/** A controller with work. */
export interface BusyController {
  readonly name: string;
  /** Whether it can work now. */
  readonly isWorking: boolean;
  /** Number of its keys that wait for time to pass: for a retry, or for something that happens later. */
  readonly delayed: number;
}

/** The controllers of a server. */
export interface Controllers {
  /**
   * Starts all controllers except the deferred ones. With an election, those of a group start when the server takes
   * over.
   *
   * @param client client of the server; the controllers use nothing else
   * @param fenced returns one whose writes are refused unless a condition of the storage holds. Default: the same client
   */
  start(client: Client, fenced?: (condition: StorageCondition) => Client): void;
  /** Starts deferred controllers. Does nothing for controllers that run already or are disabled. */
  wake(...names: readonly ControllerName[]): void;
  /** The deferred controllers that were started, or that start once all do. */
  readonly woken: ReadonlySet<ControllerName>;
  /** Returns the controllers that have work, in the order of their start. */
  busy(): BusyController[];
  /** Returns what this server knows of its controllers: their queues, last failures and leaders. */
  report(): ControllersReport;
  /**
   * Stops all controllers permanently: their watches, timers and queues. Resolves when nothing runs any more. Further
   * calls wait for the first.
   *
   * @param releases whether other servers may take over at once. Default true
   */
  stop(releases?: boolean): Promise<void>;
  /**
   * Resolves when all work caused by changes before the call is done. Delayed work does not count: a retry after a
   * failure, or the next attempt at a namespace that still has content. The work of other servers does not count.
   */
  settled(): Promise<void>;
}

/** Creates the controllers of a server. They do nothing until {@link Controllers.start} is called. */
export function createControllers(options: ControllerOptions): Controllers {
  const { election } = options;
  const isElected = (name: ControllerName): boolean => election !== undefined && groupOfController[name] !== 'each';
  const woken = new Set<ControllerName>();
  const candidates: GroupCandidate[] = [];
  const failures = new LastFailures(options.clock);
  const failedElections = new LastFailures(options.clock);
  /** The controllers that no election concerns. */
  let own: ControllerRun | undefined;
  let stopped = false;
  let stopping: Promise<unknown> | undefined;

  const runs = (): ControllerRun[] =>
    [own, ...candidates.map(({ run }) => run)].filter((run): run is ControllerRun => run !== undefined);
  const running = (): Controller[] => runs().flatMap(({ controllers }) => [...controllers.values()]);
  const starting = (): Promise<void>[] => runs().flatMap((run) => [...run.starting]);

  const startCandidates = (client: Client, fenced: (condition: StorageCondition) => Client): void => {
    if (election === undefined) return;
    for (const group of controllerGroupNames) {
      const names = controllerNames.filter((name) => groupOfController[name] === group && isOn(name, options));
      const failing = { failures, failedElections };
      if (names.length > 0)
        candidates.push(new GroupCandidate({ group, names, options, election, client, fenced, ...failing }));
    }
    for (const candidate of candidates) void candidate.start();
  };

  return {
    woken,
    start(client, fenced = () => client) {
      if (own !== undefined || stopped) return;
      own = new ControllerRun(options, client, failures);
      for (const name of controllerNames)
        if (!isElected(name) && (options.deferred?.includes(name) !== true || woken.has(name))) own.start(name);
      own.startSimulation();
      startCandidates(client, fenced);
    },
    wake(...names) {
      for (const name of names) {
        woken.add(name);
        if (!stopped && !isElected(name)) own?.start(name);
      }
    },
    busy: () =>
      running()
        .map(busyController)
        .filter(({ isWorking, delayed }) => isWorking || delayed > 0),
    report: () => controllersReport({ options, own, candidates, isElected, woken, failures, failedElections }),
    stop(releases = true) {
      stopped = true;
      stopping ??= Promise.all([own?.stop(releases), ...candidates.map((candidate) => candidate.stop(releases))]);
      return stopping.then(() => undefined);
    },
    async settled() {
      await Promise.all(candidates.map((candidate) => candidate.start()));
      // The work of a controller may start another one.
      for (let known = -1; known !== starting().length && !stopped;) {
        known = starting().length;
        await Promise.all(runs().map((run) => run.loaded()));
        // Their start waits for the first lists for ever; this says which fails.
        await allListed(running());
        await Promise.all(starting());
        await settle(running(), () => stopped);
      }
    },
  };
}

const busyController = ({ name, queues }: Controller): BusyController => ({
  name,
  isWorking: queues.some(({ idle }) => !idle),
  delayed: queues.reduce((sum, { delayed }) => sum + delayed, 0),
});
