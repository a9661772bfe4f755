import type { Controller } from '../../controllers/index.js';
import type { ControllersReport, ReportedController } from '../../ui/index.js';
import { groupOfController } from './controller-groups.js';
import { controllerNames, type ControllerName } from './controller-names.js';
import type { ControllerOptions } from './controller-options.js';
import { isOn, isServed, type ControllerRun } from './controller-run.js';
import type { GroupCandidate } from './group-candidate.js';
import type { LastFailures } from './last-failures.js';

/** The parts of {@link controllersReport}. */
export interface ReportedParts {
  readonly options: ControllerOptions;
  /** The controllers that no election concerns; undefined before their start. */
  readonly own: ControllerRun | undefined;
  readonly candidates: readonly GroupCandidate[];
  /** Returns whether an election decides which server runs a controller. */
  readonly isElected: (name: ControllerName) => boolean;
  /** The deferred controllers that were started. */
  readonly woken: ReadonlySet<ControllerName>;
  readonly failures: LastFailures;
  readonly failedElections: LastFailures;
}

const NO_WORK = { waiting: 0, active: 0, retries: 0, delayed: 0, oldestMs: 0 };

/** Returns what a server knows of its controllers: their queues, last failures and leaders. */
export function controllersReport(parts: ReportedParts): ControllersReport {
  const { options, candidates, failedElections } = parts;
  const own = controllerNames.flatMap((name) => reported(name, parts) ?? []);
  return {
    identity: options.election?.identity ?? '',
    groups: candidates.map(({ group, leader, run }) => ({
      ...{ name: group, leader, leads: run !== undefined },
      error: failedElections.of(group),
    })),
    controllers: [...own, ...others(new Set(own.map(({ name }) => name)), parts)],
  };
}

/** Returns a controller of the table; undefined for one that is off, or has nothing to do on this server. */
function reported(name: ControllerName, parts: ReportedParts): ReportedController | undefined {
  const { options, own, candidates, isElected, woken, failures } = parts;
  if (!isOn(name, options) || !isServed(name, options)) return undefined;
  const group = isElected(name) ? groupOfController[name] : '';
  const run = group === '' ? own : candidates.find((candidate) => candidate.group === group)?.run;
  const controller = run?.controllers.get(name);
  const error = failures.of(name);
  if (controller !== undefined)
    return { name, group, state: 'runs', ...workOf(controller, options.clock.now()), error };
  if (group !== '' && run === undefined) return { name, group, state: 'elsewhere', ...NO_WORK, error };
  const isDeferred = group === '' && options.deferred?.includes(name) === true && !woken.has(name);
  // One that is still loading, or has nothing to do here, is shown once it has failed.
  return isDeferred || error !== undefined ? { name, group, state: 'waits', ...NO_WORK, error } : undefined;
}

/** Returns what runs beside the controllers of the table, or has failed: the informers, the events, simulated nodes. */
function others(known: ReadonlySet<string>, { own, candidates, failures, options }: ReportedParts) {
  const running = new Map<string, Controller>();
  for (const run of [own, ...candidates.map((candidate) => candidate.run)])
    for (const [name, controller] of run?.controllers ?? []) if (!known.has(name)) running.set(name, controller);
  const names = new Set([...running.keys(), ...failures.names].filter((name) => !known.has(name)));
  return Array.from(names, (name): ReportedController => {
    const controller = running.get(name);
    const work = controller === undefined ? NO_WORK : workOf(controller, options.clock.now());
    return { name, group: '', state: 'runs', ...work, error: failures.of(name) };
  });
}

/** Returns the work of a controller, in all its queues. */
function workOf({ queues }: Controller, nowMs: number): typeof NO_WORK {
  const work = { ...NO_WORK };
  for (const { waiting, running, retrying, delayed, runningSince = [] } of queues) {
    work.waiting += waiting;
    work.active += running;
    work.retries += retrying;
    work.delayed += delayed;
    for (const began of runningSince) work.oldestMs = Math.max(work.oldestMs, nowMs - began);
  }
  return work;
}
