import { SLICE_MS, TurnBatches } from '../foundation/index.js';

/** Maximum number of requests that start in one turn of the event loop, so that a turn remains short. */
const MAX_COHORT = 32;

/** A request that is started with the others of its turn. */
interface Member {
  readonly start: () => void;
  /** Called when the others have been started. */
  readonly finish: (() => void) | undefined;
}

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
  readonly #requests = new TurnBatches<Member>(MAX_COHORT, startTogether);

  /**
   * Starts a request when the others of its turn have arrived. Requests start in the order of their calls.
   *
   * @param start must not throw
   * @param finish called when the others have been started, to send what is answered already; must not throw
   */
  join(start: () => void, finish?: () => void): void {
    this.#requests.add({ start, finish });
  }
}

/** Starts requests until a slice is used up: some take long. Returns the others. */
function startTogether(members: readonly Member[]): readonly Member[] {
  const until = performance.now() + SLICE_MS;
  let started = 0;
  for (const { start } of members) {
    start();
    started += 1;
    if (performance.now() >= until) break;
  }
  for (let index = 0; index < started; index += 1) members[index]?.finish?.();
  return members.slice(started);
}
