/**
 * The work of a request, in seats and time.
 *
 * @module
 */

/** Estimated work of a request. */
export interface WorkEstimate {
  /** Seats that it occupies while it executes; at least 1. */
  readonly initialSeats: number;
  /** Seats that it occupies afterwards, while its events go to watchers. */
  readonly finalSeats: number;
  /** How long it occupies them afterwards, in milliseconds. The client does not wait for it. */
  readonly additionalLatencyMs: number;
  /** Those of its seats that it has only because requests of its kind took long. Default 0. */
  readonly addedSeats?: number | undefined;
}

/** The work of a request that occupies one seat. */
export const ONE_SEAT: WorkEstimate = Object.freeze({ initialSeats: 1, finalSeats: 0, additionalLatencyMs: 0 });

/** Estimated duration of the execution of a request, in seconds. The difference is corrected when it has ended. */
export const ESTIMATED_SECONDS = 0.003;

/** Returns the seats that a request occupies at the same time: those of both phases are reserved from its start. */
export const maxSeats = ({ initialSeats, finalSeats }: WorkEstimate): number => Math.max(initialSeats, finalSeats);

/** Returns the estimated work of both phases, in seat-seconds. */
export function totalWork({ initialSeats, finalSeats, additionalLatencyMs }: WorkEstimate): number {
  return initialSeats * ESTIMATED_SECONDS + (finalSeats * additionalLatencyMs) / 1000;
}

/** Returns the same work with its final phase on fewer seats, hence for a longer time. */
export function narrowed(work: WorkEstimate, seats: number): WorkEstimate {
  if (work.finalSeats <= seats || seats < 1) return work;
  return { ...work, finalSeats: seats, additionalLatencyMs: (work.finalSeats * work.additionalLatencyMs) / seats };
}
