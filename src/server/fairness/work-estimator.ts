/**
 * Estimates of the work of requests: lists by the number of stored objects, writes by the number of watches.
 *
 * Source: the work estimators of the flow control of Kubernetes 1.31.
 *
 * @module
 */
import { maxSeats, ONE_SEAT, type WorkEstimate } from './work.js';

/** Maximum number of seats of one request, if its level does not set less. */
const MAX_SEATS = 10;
const OBJECTS_PER_SEAT = 100;
const WATCHES_PER_SEAT = 10;
/** Time in which the events of one write are sent, in milliseconds. */
const EVENT_MS = 5;

/** The options of a list that decide how many objects it reads. */
export interface ListScope {
  /** Number of stored objects of the kind; undefined for a kind that is not stored here. */
  readonly stored: number | undefined;
  /** Maximum number of objects in the response; 0 for all. */
  readonly limit: number;
  readonly hasSelector: boolean;
  /** Whether the list is for a past state, or continues one: caches have only the current state. */
  readonly fromStorage: boolean;
}

const seatLimit = (levelSeats: number | undefined): number => Math.min(levelSeats ?? MAX_SEATS, MAX_SEATS);

/**
 * Returns the work of a list, or of the initial events of a watch.
 *
 * @param levelSeats maximum of the priority level
 */
export function listWork(
  { stored, limit, hasSelector, fromStorage }: ListScope,
  levelSeats: number | undefined,
): WorkEstimate {
  if (stored === undefined) return ONE_SEAT;
  const returned = limit > 0 && limit < stored ? limit : stored;
  const objects = !fromStorage ? stored : hasSelector ? stored + returned : 2 * returned;
  const seats = Math.min(Math.max(1, Math.ceil(objects / OBJECTS_PER_SEAT)), seatLimit(levelSeats));
  return seats === 1 ? ONE_SEAT : { ...ONE_SEAT, initialSeats: seats };
}

/** Returns the work of a write, including that of the events for its watches. */
export function writeWork(watches: number, levelSeats: number | undefined): WorkEstimate {
  if (watches < WATCHES_PER_SEAT) return ONE_SEAT;
  const wanted = Math.ceil(watches / WATCHES_PER_SEAT);
  // The same work on fewer seats takes longer: a wide request would keep seats empty until all of its own are free.
  const finalSeats = Math.min(wanted, seatLimit(levelSeats));
  return { initialSeats: 1, finalSeats, additionalLatencyMs: (wanted * EVENT_MS) / finalSeats };
}

/**
 * Returns the work of a request on more seats, because requests of its kind took long.
 *
 * @param seats seats by the time that they took
 * @param levelSeats maximum of the priority level
 */
export function widened(work: WorkEstimate, seats: number, levelSeats: number | undefined): WorkEstimate {
  const wanted = Math.min(seats, seatLimit(levelSeats));
  if (wanted <= work.initialSeats) return work;
  return { ...work, initialSeats: wanted, addedSeats: Math.max(0, wanted - maxSeats(work)) };
}
