import type { Client } from '../../client/index.js';
import {
  runController,
  ServedKinds,
  settle,
  SharedInformers,
  stopController,
  type Controller,
  type EventRecorder,
  type RunningQueue,
} from '../../controllers/index.js';
import { importEventRecorder } from '../../controllers/late.js';
import { definedOnly, loading, report, silentLogger } from '../../foundation/index.js';
import {
  controllerNames,
  controllersOffByDefault,
  controllerTable,
  kindsOf,
  type ControllerName,
  type ControllerOptions,
} from './controller-table.js';

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
   * Starts all controllers except the deferred ones.
   *
   * @param client client of the server; the controllers use nothing else
   */
  start(client: Client): void;
  /** Starts deferred controllers. Does nothing for controllers that run already or are disabled. */
  wake(...names: readonly ControllerName[]): void;
  /** The deferred controllers that were started, or that start once all do. */
  readonly woken: ReadonlySet<ControllerName>;
  /** Returns the controllers that have work, in the order of their start. */
  busy(): BusyController[];
  /** Stops all controllers permanently: their watches, timers and queues. Resolves when nothing runs any more. */
  stop(): Promise<void>;
  /**
   * Resolves when all work caused by changes before the call is done. Delayed work does not count: a retry after a
   * failure, or the next attempt at a namespace that still has content.
   */
  settled(): Promise<void>;
}

function isOff(name: ControllerName, { enabled = [], disabled = [] }: ControllerOptions): boolean {
  return disabled.includes(name) || (controllersOffByDefault.includes(name) && !enabled.includes(name));
}

/** Returns whether the server has a kind that the controller works for. */
function isServed(name: ControllerName, options: ControllerOptions): boolean {
  const { needs } = controllerTable[name];
  if (needs === undefined) return true;
  const served = kindsOf(options).definitions();
  return needs.some((definition) => served.includes(definition));
}

/** Creates the controllers of a server. They do nothing until {@link Controllers.start} is called. */
export function createControllers(options: ControllerOptions): Controllers {
  const logger = options.logger ?? silentLogger;
  let common: { readonly kinds: ServedKinds; readonly informers: SharedInformers } | undefined;
  let recorder: Promise<EventRecorder> | undefined;
  const woken = new Set<ControllerName>();
  const begun = new Set<ControllerName>();
  const controllers: Controller[] = [];
  const starting: Promise<void>[] = [];
  let running: { readonly client: Client; readonly startedMs: number } | undefined;
  let stopped = false;

  const onErrorOf =
    (controller: string) =>
    (error: unknown, key?: string): void => {
      // A failure that the end of the server causes is not a failure of the controller.
      if (!stopped)
        report(() => logger.error('controller failed and will retry', { controller, ...definedOnly({ key }), error }));
    };

  const run = async (controller: Controller | undefined): Promise<void> => {
    if (controller === undefined || stopped) return;
    controllers.push(controller);
    measureQueues(controller.queues, options.queueMeter);
    await runController(controller);
  };

  const commonOf = (client: Client): { readonly kinds: ServedKinds; readonly informers: SharedInformers } =>
    (common ??= {
      kinds: new ServedKinds(client, kindsOf(options), options.dialect),
      informers: new SharedInformers({ client, clock: options.clock, onError: onErrorOf('informer') }),
    });

  const recorderOf = (client: Client): Promise<EventRecorder> => (recorder ??= startRecorder(client));

  const startSimulation = (client: Client): void => {
    const { simulation, clock, dialect } = options;
    if (simulation === undefined) return;
    const { informers } = commonOf(client);
    const onError = onErrorOf('simulation');
    const started = recorderOf(client).then((events) =>
      run(simulation.start({ client, clock, dialect, informers, recorder: events, onError })),
    );
    starting.push(started.catch(onError));
  };

  const startRecorder = async (client: Client): Promise<EventRecorder> => {
    const { EventRecorder } = await loading(importEventRecorder());
    const { clock, dialect } = options;
    const started = new EventRecorder({ client, clock, dialect, onError: onErrorOf('event-recorder') });
    await run(started.controller());
    return started;
  };

  const startOne = (name: ControllerName): void => {
    if (running === undefined || begun.has(name) || isOff(name, options) || !isServed(name, options)) return;
    const { client, startedMs } = running;
    begun.add(name);
    const onError = onErrorOf(name);
    const controller = controllerTable[name].create({
      client,
      ...commonOf(client),
      recorder: () => recorderOf(client),
      ...{ clock: options.clock, dialect: options.dialect, options, startedMs, onError },
    });
    // A controller that cannot start must not block the other controllers or the shutdown.
    starting.push((controller instanceof Promise ? loading(controller).then(run) : run(controller)).catch(onError));
  };

  return {
    woken,
    start(client) {
      if (running !== undefined || stopped) return;
      running = { client, startedMs: options.clock.now() };
      for (const name of controllerNames)
        if (options.deferred?.includes(name) !== true || woken.has(name)) startOne(name);
      startSimulation(client);
    },
    wake(...names) {
      for (const name of names) {
        woken.add(name);
        if (!stopped) startOne(name);
      }
    },
    busy: () => controllers.map(busyController).filter(({ isWorking, delayed }) => isWorking || delayed > 0),
    async stop() {
      stopped = true;
      await Promise.all(controllers.map(stopController));
      await Promise.all(starting);
    },
    async settled() {
      // The work of a controller may start another one.
      for (let known = -1; known !== starting.length && !stopped;) {
        known = starting.length;
        await Promise.all(starting);
        await settle([...controllers], () => stopped);
      }
    },
  };
}

function measureQueues(queues: readonly RunningQueue[], meterOf: ControllerOptions['queueMeter']): void {
  if (meterOf === undefined) return;
  for (const queue of queues) {
    const { name } = queue;
    if (name !== undefined) queue.measure?.(meterOf({ name, runningSince: () => queue.runningSince ?? [] }));
  }
}

const busyController = ({ name, queues }: Controller): BusyController => ({
  name,
  isWorking: queues.some(({ idle }) => !idle),
  delayed: queues.reduce((sum, { delayed }) => sum + delayed, 0),
});
