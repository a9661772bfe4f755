import { onAbort, type Clock } from '../../foundation/index.js';
import type { Run } from './keyed-runner.js';
import type { WorkResult } from './work-queue.js';

/** Time after its abort in which a run must end, in milliseconds. */
const GRACE_MS = 10_000;

/** A run took longer than the controller allows; it is the reason of the run's signal. */
export class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError';
}

/** Times of runs, in milliseconds. */
export interface RunTimes {
  /** Time after which a run is aborted. */
  readonly timeoutMs: number;
  /** Time that a run gets until its abort when the controller stops. */
  readonly stopMs: number;
}

/**
 * Runs work by key, each with a signal that aborts at a timeout. Work that goes on after that frees its worker, but its
 * key runs again only when it has ended.
 */
export class BoundedRuns {
  readonly #clock: Clock;
  readonly #times: RunTimes;
  /** The keys of runs that nobody waits for any more. */
  readonly #lost = new Set<string>();
  /** Aborts all runs. */
  readonly #all = new AbortController();
  /** Aborts when nobody waits for runs any more. */
  readonly #end = new AbortController();

  constructor(clock: Clock, times: RunTimes) {
    this.#clock = clock;
    this.#times = times;
  }

  /** The keys of the runs that do not end. */
  get lost(): readonly string[] {
    return [...this.#lost];
  }

  /** Aborts all runs, now and later. @param reason what their calls throw */
  abort(reason = new Error('the controller stops')): void {
    this.#all.abort(reason);
  }

  /** Ends the wait for runs that have been aborted. */
  giveUp(): void {
    this.#end.abort();
  }

  /**
   * Runs work. It does not run while an earlier run of its key goes on.
   *
   * @param again runs a key whose lost run has ended
   * @returns the result of the work; `waits` when it did not run
   * @throws what the work throws; ReconcileTimeoutError when it does not end
   */
  async run(
    { key, signal: stopping }: Pick<Run, 'key' | 'signal'>,
    again: (key: string) => void,
    work: (signal: AbortSignal) => Promise<WorkResult>,
  ): Promise<WorkResult> {
    if (this.#lost.has(key) || this.#all.signal.aborted) return 'waits';
    const { timeoutMs, stopMs } = this.#times;
    const abort = new AbortController();
    let givenUp = false;
    let giveUp = (): void => undefined;
    const overdue = new Promise<never>((_resolve, reject) => {
      giveUp = () => {
        givenUp = true;
        this.#lost.add(key);
        reject(new ReconcileTimeoutError(`the run of ${key} goes on after its abort`, { cause: abort.signal.reason }));
      };
    });
    const end = (reason: unknown): void => {
      if (abort.signal.aborted) return;
      timers.push(this.#clock.after(GRACE_MS, giveUp));
      abort.abort(reason);
    };
    const timedOut = (): void =>
      end(new ReconcileTimeoutError(`the run of ${key} takes longer than ${timeoutMs / 1000}s`));
    const timers = [this.#clock.after(timeoutMs, timedOut)];
    const stops = [
      onAbort(stopping, () => {
        if (stopMs === 0) end(stopping.reason);
        else timers.push(this.#clock.after(stopMs, () => end(stopping.reason)));
      }),
      onAbort(this.#all.signal, () => end(this.#all.signal.reason)),
      onAbort(this.#end.signal, giveUp),
    ];
    const running = work(abort.signal);
    const ended = (): void => {
      if (givenUp && this.#lost.delete(key)) again(key);
    };
    void running.then(ended, ended);
    try {
      return await Promise.race([running, overdue]);
    } finally {
      for (const stop of stops) stop();
      for (const timer of timers) timer.cancel();
    }
  }
}
