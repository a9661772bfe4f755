import { checkOptions, delay, monotonicMs, onAbort, type Entropy } from '../../../foundation/index.js';
import { LeaseRecord, type LeaseObject, type LeaseRecordOptions } from './lease-record.js';
import {
  contradictionInTimes,
  JITTER_FACTOR,
  leaderElectionChecks,
  leaderElectionMs,
  type LeaderElectionMs,
  type LeaderElectionTimes,
} from './times.js';

/** A time as leader. */
export interface LeaderTerm {
  /** Aborts when the candidate leads no longer, or stops. */
  readonly signal: AbortSignal;
  /** The Lease as it was when the candidate took the lead. */
  readonly lease: LeaseObject;
  /** Whether the candidate leads now. Also false when time has passed in which the process did not run. */
  readonly isCurrent: () => boolean;
  /** Whether the candidate holds the Lease now, so that no other one leads; unlike the former, also while the work ends. */
  readonly isHeld: () => boolean;
}

/** Options of {@link LeaderElection}. */
export interface LeaderElectionOptions extends LeaderElectionTimes, Omit<LeaseRecordOptions, 'leaseDurationMs'> {
  readonly entropy: Entropy;
  /**
   * Does the work of the leader. After its signal has aborted, it resolves once nothing of the work runs any more; only
   * then is the Lease released, or sought again. When it resolves earlier, the candidate still leads. When it rejects,
   * the candidate gives up the lead.
   */
  readonly lead: (term: LeaderTerm) => Promise<void>;
  /** Called with the error of an attempt, of a release, and of `lead`. */
  readonly onError: (error: unknown) => void;
}

/**
 * A candidate of an election by a Lease. At most one candidate leads by its own judgement, as long as the clocks of all
 * run at about the same speed (up to the ratio of `leaseDuration` to `renewDeadline`); what they show may differ.
 *
 * @see release 1.31, `tools/leaderelection` of client-go. Other than there, a leader that stops renews until its work has
 *   ended, releases the Lease only then, and stops at once when it sees another leader
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #times: LeaderElectionMs;
  readonly #record: LeaseRecord;
  readonly #stopping = new AbortController();
  /** When the last successful renewal began, in monotonic time. */
  #renewedMs = -Infinity;
  #releases = true;
  #deciding: Promise<void> | undefined;
  #running: Promise<void> | undefined;

  /** @throws TypeError when the times contradict each other */
  constructor(options: LeaderElectionOptions) {
    const { leaseDuration, renewDeadline, retryPeriod } = options;
    checkOptions('LeaderElection', { leaseDuration, renewDeadline, retryPeriod }, leaderElectionChecks);
    const contradiction = contradictionInTimes(options);
    if (contradiction !== undefined) throw new TypeError(`LeaderElection: ${contradiction}`);
    this.#options = options;
    this.#times = leaderElectionMs(options);
    this.#record = new LeaseRecord({ ...options, leaseDurationMs: this.#times.leaseMs });
  }

  /**
   * Seeks the lead, for ever. Further calls have no effect.
   *
   * @returns resolves after the first attempt, once `lead` has been called if it succeeded
   */
  start(): Promise<void> {
    return (this.#deciding ??= new Promise((decided) => {
      this.#running = this.#run(decided).finally(decided);
    }));
  }

  /** The holder of the Lease as the candidate last read or wrote it; empty when nobody holds it, or none was read yet. */
  get holder(): string {
    return this.#record.lease?.spec?.holderIdentity ?? '';
  }

  /**
   * Stops for good: ends the work of a leader, and then releases its Lease. Resolves when this is done.
   *
   * @param releases false: the Lease stays as it is, as when the process dies. Default true
   */
  async stop(releases = true): Promise<void> {
    this.#releases &&= releases;
    this.#stopping.abort();
    await this.#running;
  }

  async #run(decided: () => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const isHeld = await this.#attempt('take', this.#times.renewMs, signal);
      const leading = isHeld ? this.#lead() : undefined;
      decided();
      await leading;
      // An attempt that the stop has cut off may have succeeded.
      if (!isHeld && signal.aborted) await this.#release();
      await delay(this.#options.clock, this.#pauseMs(), signal);
    }
  }

  /** Returns the pause before the next attempt of a candidate that does not lead. */
  #pauseMs(): number {
    const [high = 0, low = 0] = this.#options.entropy.bytes(2);
    const chance = (high * 256 + low) / 65_536;
    return this.#times.retryMs * (1 + JITTER_FACTOR * chance);
  }

  /** Time for which the candidate leads without another renewal. */
  get #leftMs(): number {
    return this.#renewedMs + this.#times.renewMs - monotonicMs(this.#options.clock);
  }

  /** Takes or renews the Lease. Returns false when that fails, takes longer than `limitMs`, or a signal aborts first. */
  async #attempt(step: 'take' | 'renew', limitMs: number, until: AbortSignal): Promise<boolean> {
    const beganMs = monotonicMs(this.#options.clock);
    const isHeld = await this.#bounded(limitMs, (signal) => this.#record[step](signal), until);
    if (isHeld === true) this.#renewedMs = beganMs;
    return isHeld === true;
  }

  /** Lets other candidates take over. They wait until the Lease has run out if this takes long. */
  async #release(): Promise<void> {
    if (this.#releases) await this.#bounded(this.#times.retryMs, (signal) => this.#record.release(signal));
  }

  /** Returns the result of requests; undefined when they fail, take longer than `limitMs`, or a signal aborts first. */
  async #bounded<Result>(
    limitMs: number,
    request: (signal: AbortSignal) => Promise<Result>,
    until?: AbortSignal,
  ): Promise<Result | undefined> {
    const { clock, onError } = this.#options;
    const late = new AbortController();
    const over = new AbortController();
    const forget = until === undefined ? undefined : whenAborted(until, () => over.abort());
    const limit = delay(clock, limitMs, over.signal).then(() => {
      late.abort();
      return undefined;
    });
    const answer = request(late.signal).catch((error: unknown) => {
      if (!late.signal.aborted) onError(error);
      return undefined;
    });
    try {
      return await Promise.race([answer, limit]);
    } finally {
      over.abort();
      forget?.();
    }
  }

  /** Leads until the lead is lost, the candidate stops, or the work fails. */
  async #lead(): Promise<void> {
    const { lease } = this.#record;
    if (lease === undefined) return;
    const ending = new AbortController();
    const ended = new AbortController();
    const end = (): void => ending.abort();
    const isHeld = (): boolean => this.#record.isOwn && this.#leftMs > 0;
    const isCurrent = (): boolean => !ending.signal.aborted && this.#leftMs > 0;
    const forget = whenAborted(this.#stopping.signal, end);
    const work = this.#work({ signal: ending.signal, lease, isCurrent, isHeld }, end);
    // Work that ends before it was asked to leaves the lead as it is.
    whenAborted(ending.signal, () => void work.then(() => ended.abort()));
    const isLost = !(await this.#renewUntil(ended.signal));
    forget();
    end();
    await work;
    if (!isLost) await this.#release();
  }

  /** Does the work of the leader, and ends the term when it fails. */
  async #work(term: LeaderTerm, end: () => void): Promise<void> {
    try {
      await this.#options.lead(term);
    } catch (error) {
      this.#options.onError(error);
      end();
    }
  }

  /**
   * Renews the Lease until a signal aborts. Returns false as soon as the lead is lost: after the time without a renewal,
   * or when another candidate has it.
   */
  async #renewUntil(ended: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    while (!ended.aborted) {
      await delay(clock, Math.max(0, Math.min(this.#times.retryMs, this.#leftMs)), ended);
      if (ended.aborted) return true;
      if (this.#leftMs <= 0) return false;
      await this.#attempt('renew', this.#leftMs, ended);
      if (ended.aborted) return true;
      if (!this.#record.isOwn || this.#leftMs <= 0) return false;
    }
    return true;
  }
}

/** Calls back when a signal aborts; in a later step when it already has. Returns a function that stops waiting. */
function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  if (!signal.aborted) return onAbort(signal, callback);
  queueMicrotask(callback);
  return () => undefined;
}
