import { TurnBatches } from '../meta/turn-batches.js';
import type { Handler } from '../server/http.js';
import type { TransportTarget } from './target.js';

/** Maximum number of requests that start in one turn of the event loop, so that a turn remains short. */
const MAX_COHORT = 32;

/**
 * Starts the requests that arrive in one turn of the event loop together, once all of them have been read: cohort
 * scheduling (Larus and Parkes, "Using Cohort Scheduling to Enhance Server Performance", 2002).
 *
 * Reading a request and handling it run different code, each more than the caches and the branch predictor of a
 * processor hold. Requests that are read one after another, and then take the steps of the server side by side, find
 * the code of each step there; a write then takes half the time. A request on its own waits only for the end of the
 * turn.
 */
export class Cohort {
  readonly #requests = new TurnBatches<() => void>(MAX_COHORT, (starts) => {
    for (const start of starts) start();
  });

  /** Resolves when the request may start. Requests start in the order of their calls. */
  join(): Promise<void> {
    return new Promise((resolve) => this.#requests.add(resolve));
  }
}

/** Returns a target that passes requests on in cohorts. WebSockets are not passed on. */
export function inCohorts(target: TransportTarget): TransportTarget {
  const cohort = new Cohort();
  const handle: Handler = async (request) => {
    await cohort.join();
    return target.handle(request);
  };
  return { handle };
}
