import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Data of the thread of a probe. */
export interface ProbeOptions {
  readonly url: string;
  readonly token: string;
  /** Process of the server. */
  readonly pid: number;
  /** Path of the object that it reads and changes. */
  readonly path: string;
}

/** The observations of a probe; times in milliseconds. */
export interface Probed {
  readonly count: number;
  /** Longest wait, without the time in which the machine ran other processes. */
  readonly waitMs: number;
  /** The same wait on the clock of the wall. */
  readonly wallMs: number;
  /** Time of the server's main thread during it. */
  readonly cpuMs: number;
  /** Number of answers other than 200 and 201, by status; 0 for none. */
  readonly refused: Readonly<Record<number, number>>;
}

/** Another user, who sends short requests without end. */
export class Probe {
  readonly #thread: Worker;

  /** @param program file of the thread */
  constructor(program: string, options: ProbeOptions) {
    this.#thread = new Worker(program, { workerData: options });
  }

  /** Its observations since the last call. */
  async take(): Promise<Probed> {
    const answer = once(this.#thread, 'message') as Promise<[Probed]>;
    this.#thread.postMessage('take');
    return (await answer)[0];
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}
