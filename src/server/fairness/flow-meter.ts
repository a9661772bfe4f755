/**
 * The reports of the flow control about itself. The server turns them into metrics.
 *
 * @module
 */

/** Why a request was refused. */
export type RefusalReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** Follows the requests of one flow schema at one priority level. */
export interface FlowMeter {
  /** A request entered its queue. @param length requests in that queue, including it */
  enqueued(seats: number, length: number): void;
  /** A request left its queue. */
  dequeued(seats: number): void;
  /** A request began to execute. */
  began(seats: number): void;
  /** A request no longer executes; it may still occupy its seats. */
  ended(): void;
  /** The seats of a request are free again. */
  released(seats: number): void;
  /** A request was admitted for the first time. */
  dispatched(): void;
  refused(reason: RefusalReason): void;
  /** A request waited. @param executed whether it was admitted */
  waited(durationMs: number, executed: boolean): void;
  /** A request was executed; of a watch, its initial events. */
  executed(durationMs: number, isWatch: boolean): void;
  estimated(seats: number): void;
  /** Counts the watchers that concern a mutating request. */
  watchers(count: number): void;
  /** The next request did not fit into the free seats. */
  didNotFit(): void;
}

/** The result of an adjustment of the seats of a level. */
export interface LevelAdjustment {
  readonly highWatermark: number;
  readonly average: number;
  readonly deviation: number;
  readonly smoothed: number;
  readonly target: number;
  /** The new limit of the level. */
  readonly current: number;
  /** The base of the utilization of the level: the limit, or, for a level without seats, a part of all seats. */
  readonly denominator: number;
}

/** The limits of a level by its configuration, in seats. */
export interface LevelLimits {
  readonly nominal: number;
  /** Minimum after lending. */
  readonly lower: number;
  /** Maximum after borrowing. */
  readonly upper: number;
}

/** The virtual time of a level when a request is dispatched, in seat-seconds. */
export interface DispatchTimes {
  /** The progress meter of the level. */
  readonly r: number;
  /** Virtual start of the dispatched request. */
  readonly s: number;
  /** Least virtual start of the oldest requests of the queues. */
  readonly least: number;
  readonly most: number;
  /** The same, less the estimated work of the requests of the queue that execute. */
  readonly leastDiscounted: number;
  readonly mostDiscounted: number;
}

/** Follows one priority level. */
export interface LevelMeter {
  flow(flowSchema: string): FlowMeter;
  /** @param capacity requests that may wait at the level, at least 1 */
  configured(limits: LevelLimits, capacity: number): void;
  adjusted(adjustment: LevelAdjustment): void;
  /** Called whenever one of the numbers has changed. */
  occupied(
    now: { readonly waiting: number; readonly executing: number; readonly seats: number; readonly demand: number },
    nowMs: number,
  ): void;
  advanced(r: number): void;
  dispatchedAt(times: DispatchTimes): void;
  /** The progress meter was set back, as it would lose its precision. */
  rewound(): void;
  /** The level is gone. */
  removed(): void;
}

/** Follows the flow control of a server. */
export interface FlowControlMeter {
  level(name: string): LevelMeter;
  /** @param executing nominal seats of all levels; @param waiting requests that may wait at all levels */
  capacity(executing: number, waiting: number): void;
  fairFraction(fraction: number): void;
}
