import type { Client } from '../../client/index.js';
import {
  measureQueues,
  releaseController,
  runController,
  ServedKinds,
  SharedInformers,
  stopController,
  type Controller,
  type EventRecorder,
  type KindSource,
} from '../../controllers/index.js';
import { importEventRecorder } from '../../controllers/late.js';
import { definedOnly, loading, report, silentLogger } from '../../foundation/index.js';
import type { ControllerName } from './controller-names.js';
import { kindsOf, type ControllerOptions } from './controller-options.js';
import { controllersOffByDefault, controllerTable } from './controller-table.js';
import type { LastFailures } from './last-failures.js';

/** Names of what runs beside the controllers, for failures. */
const SIMULATION = 'simulation';
const EVENT_RECORDER = 'event-recorder';

/** Returns whether the options let a controller run. */
export function isOn(name: ControllerName, { enabled = [], disabled = [] }: ControllerOptions): boolean {
  return !disabled.includes(name) && (!controllersOffByDefault.includes(name) || enabled.includes(name));
}

/** Returns whether the server has a kind that the controller works for. */
export function isServed(name: ControllerName, options: ControllerOptions): boolean {
  const { needs } = controllerTable[name];
  if (needs === undefined) return true;
  const served = kindsOf(options).definitions();
  return needs.some((definition) => served.includes(definition));
}

/** Controllers that start and stop together, with the informers and the event recorder that they share. */
export class ControllerRun {
  readonly #options: ControllerOptions;
  readonly #client: Client;
  readonly #failures: LastFailures;
  readonly #startedMs: number;
  readonly #begun = new Set<ControllerName>();
  readonly #controllers = new Map<string, Controller>();
  readonly #loading: Promise<unknown>[] = [];
  readonly #starting: Promise<void>[] = [];
  #common: { readonly kinds: ServedKinds; readonly informers: SharedInformers } | undefined;
  #recorder: Promise<EventRecorder> | undefined;
  readonly #kindListeners: (() => void)[] = [];
  #stopped = false;

  /**
   * @param client the controllers use nothing else of the server
   * @param failures takes what fails
   */
  constructor(options: ControllerOptions, client: Client, failures: LastFailures) {
    this.#options = options;
    this.#client = client;
    this.#failures = failures;
    this.#startedMs = options.clock.now();
  }

  /** The controllers that run, in the order of their start, by the names that failures have. */
  get controllers(): ReadonlyMap<string, Controller> {
    return this.#controllers;
  }

  /** Resolves when the code of all controllers so far is loaded, so that {@link controllers} has them. */
  async loaded(): Promise<void> {
    await Promise.allSettled(this.#loading);
  }

  /** The starts so far; each resolves, when the informers of the controller have their first lists. */
  get starting(): readonly Promise<void>[] {
    return this.#starting;
  }

  /** Starts a controller. Does nothing for one that runs already, is disabled, or has nothing to work for. */
  start(name: ControllerName): void {
    if (this.#stopped || this.#begun.has(name) || !isOn(name, this.#options) || !isServed(name, this.#options)) return;
    this.#begun.add(name);
    const { clock, dialect } = this.#options;
    const onError = this.#onErrorOf(name);
    const controller = controllerTable[name].create({
      client: this.#client,
      ...this.#commonParts(),
      recorder: () => this.#eventRecorder(),
      ...{ clock, dialect, options: this.#options, startedMs: this.#startedMs, onError },
    });
    this.#begin(name, controller instanceof Promise ? loading(controller) : controller, onError);
  }

  /** Starts the simulated nodes, if there are any. */
  startSimulation(): void {
    const { simulation, clock, dialect } = this.#options;
    if (simulation === undefined) return;
    const { informers } = this.#commonParts();
    const onError = this.#onErrorOf(SIMULATION);
    const client = this.#client;
    const made = this.#eventRecorder().then((recorder) =>
      simulation.start({ client, clock, dialect, informers, recorder, onError }),
    );
    this.#begin(SIMULATION, made, onError);
  }

  /** Starts a controller. One that cannot start must not block the other controllers or the shutdown. */
  #begin(
    name: string,
    controller: Promise<Controller | undefined> | Controller | undefined,
    onError: (error: unknown) => void,
  ): void {
    if (!(controller instanceof Promise)) {
      this.#starting.push(this.#run(name, controller).catch(onError));
      return;
    }
    // An object: the start may take longer.
    const begun = controller.then((made) => ({ running: this.#run(name, made) }));
    this.#loading.push(begun);
    this.#starting.push(begun.then(({ running }) => running).catch(onError));
  }

  /**
   * Stops all controllers permanently: their watches, timers and queues. Resolves when nothing runs any more.
   *
   * @param releases whether they remove what shows other servers that this one runs. Default true
   */
  async stop(releases = true): Promise<void> {
    this.#stopped = true;
    await Promise.all(Array.from(this.#controllers.values(), stopController));
    await Promise.all(this.#starting);
    if (releases) await Promise.all(Array.from(this.#controllers.values(), releaseController));
    this.#kindListeners.length = 0;
  }

  #onErrorOf(controller: string): (error: unknown, key?: string) => void {
    const logger = this.#options.logger ?? silentLogger;
    return (error, key) => {
      // A failure that the end of the server causes is not a failure of the controller.
      if (this.#stopped) return;
      this.#failures.record(controller, error, key);
      report(() => logger.error('controller failed and will retry', { controller, ...definedOnly({ key }), error }));
    };
  }

  async #run(name: string, controller: Controller | undefined): Promise<void> {
    if (controller === undefined || this.#stopped) return;
    this.#controllers.set(name, controller);
    const { queueMeter } = this.#options;
    if (queueMeter !== undefined) measureQueues(controller, queueMeter);
    await runController(controller);
  }

  #commonParts(): { readonly kinds: ServedKinds; readonly informers: SharedInformers } {
    const { clock, dialect } = this.#options;
    const client = this.#client;
    return (this.#common ??= {
      kinds: new ServedKinds(client, this.#source(), dialect),
      informers: new SharedInformers({ client, clock, onError: this.#onErrorOf('informer') }),
    });
  }

  /** Returns the source of the kinds. It outlives the run, and must not keep it in memory. */
  #source(): KindSource {
    const { definitions, onChange } = kindsOf(this.#options);
    const listeners = this.#kindListeners;
    return {
      definitions,
      onChange: (listener) => {
        if (listeners.push(listener) === 1) onChange(() => listeners.forEach((each) => each()));
      },
    };
  }

  #eventRecorder(): Promise<EventRecorder> {
    return (this.#recorder ??= this.#startRecorder());
  }

  async #startRecorder(): Promise<EventRecorder> {
    const { EventRecorder } = await loading(importEventRecorder());
    const { clock, dialect } = this.#options;
    const onError = this.#onErrorOf(EVENT_RECORDER);
    const started = new EventRecorder({ client: this.#client, clock, dialect, onError });
    await this.#run(EVENT_RECORDER, started.controller());
    return started;
  }
}
