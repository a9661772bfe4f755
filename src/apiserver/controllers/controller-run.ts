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

/** Returns whether the options let a controller run. */
export function isOn(name: ControllerName, { enabled = [], disabled = [] }: ControllerOptions): boolean {
  return !disabled.includes(name) && (!controllersOffByDefault.includes(name) || enabled.includes(name));
}

/** Returns whether the server has a kind that the controller works for. */
function isServed(name: ControllerName, options: ControllerOptions): boolean {
  const { needs } = controllerTable[name];
  if (needs === undefined) return true;
  const served = kindsOf(options).definitions();
  return needs.some((definition) => served.includes(definition));
}

/** Controllers that start and stop together, with the informers and the event recorder that they share. */
export class ControllerRun {
  readonly #options: ControllerOptions;
  readonly #client: Client;
  readonly #startedMs: number;
  readonly #begun = new Set<ControllerName>();
  readonly #controllers: Controller[] = [];
  readonly #loading: Promise<unknown>[] = [];
  readonly #starting: Promise<void>[] = [];
  #common: { readonly kinds: ServedKinds; readonly informers: SharedInformers } | undefined;
  #recorder: Promise<EventRecorder> | undefined;
  readonly #kindListeners: (() => void)[] = [];
  #stopped = false;

  /** @param client the controllers use nothing else of the server */
  constructor(options: ControllerOptions, client: Client) {
    this.#options = options;
    this.#client = client;
    this.#startedMs = options.clock.now();
  }

  /** The controllers that run, in the order of their start. */
  get controllers(): readonly Controller[] {
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
    this.#begin(controller instanceof Promise ? loading(controller) : controller, onError);
  }

  /** Starts the simulated nodes, if there are any. */
  startSimulation(): void {
    const { simulation, clock, dialect } = this.#options;
    if (simulation === undefined) return;
    const { informers } = this.#commonParts();
    const onError = this.#onErrorOf('simulation');
    const client = this.#client;
    const made = this.#eventRecorder().then((recorder) =>
      simulation.start({ client, clock, dialect, informers, recorder, onError }),
    );
    this.#begin(made, onError);
  }

  /** Starts a controller. One that cannot start must not block the other controllers or the shutdown. */
  #begin(
    controller: Promise<Controller | undefined> | Controller | undefined,
    onError: (error: unknown) => void,
  ): void {
    if (!(controller instanceof Promise)) {
      this.#starting.push(this.#run(controller).catch(onError));
      return;
    }
    // An object: the start may take longer.
    const begun = controller.then((made) => ({ running: this.#run(made) }));
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
    await Promise.all(this.#controllers.map(stopController));
    await Promise.all(this.#starting);
    if (releases) await Promise.all(this.#controllers.map(releaseController));
    this.#kindListeners.length = 0;
  }

  #onErrorOf(controller: string): (error: unknown, key?: string) => void {
    const logger = this.#options.logger ?? silentLogger;
    return (error, key) => {
      // A failure that the end of the server causes is not a failure of the controller.
      if (!this.#stopped)
        report(() => logger.error('controller failed and will retry', { controller, ...definedOnly({ key }), error }));
    };
  }

  async #run(controller: Controller | undefined): Promise<void> {
    if (controller === undefined || this.#stopped) return;
    this.#controllers.push(controller);
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
    const onError = this.#onErrorOf('event-recorder');
    const started = new EventRecorder({ client: this.#client, clock, dialect, onError });
    await this.#run(started.controller());
    return started;
  }
}
