/**
 * The heavy lane of the event loop: long work takes one slice in a turn, so that connections, timers and short work run
 * between two slices. While connections arrive, it waits for them. The flow that has used least of the processor is
 * served next, by start-time fair queuing (Goyal, Vin and Cheng, 1996): a flow with much long work waits for itself.
 *
 * @module
 */
import { ArrivalWait } from '../async/arrivals.js';
import { nextTurn } from '../async/turn.js';

/** Duration of a slice, in milliseconds. */
export const SLICE_MS = 2;

/**
 * Time of a turn that long work may take, in milliseconds: a slice of the lane, and the first slices of requests, which
 * wait for nobody. Many requests may begin in one turn.
 */
const TURN_MS = 4;

/** Those whose work shares the processor as one: the flow of a user, or the server itself. */
export class CpuFlow {
  /** Its share among the flows that have work. */
  weight: number;
  /** Time of the processor that it has used, in milliseconds. */
  usedMs = 0;
  /** Its use by its weight, in the virtual time of the lane. */
  virtualMs = 0;
  /** Continue the work that waits, the oldest request first. */
  readonly waiting: { readonly order: number; readonly proceed: () => void }[] = [];

  constructor(weight = 1) {
    this.weight = weight;
  }

  /** Charges time of the processor to the flow. */
  charge(ms: number): void {
    this.usedMs += ms;
    this.virtualMs += ms / this.weight;
  }
}

/** Serves the flows that have long work. */
export class HeavyLane {
  readonly #active = new Set<CpuFlow>();
  /** Virtual time of the flow that was served last. */
  #virtualMs = 0;
  #isServing = false;
  readonly #arrivals = new ArrivalWait();
  /** When the long work of the current turn began, in milliseconds; undefined before it. */
  #turnMs: number | undefined;

  /**
   * Returns whether the long work of the current turn has used the turn up: a request that has not waited for a slice
   * should do so now. The first call in a turn begins the count.
   *
   * @param nowMs the host's time, in milliseconds
   */
  isTurnUsedUp(nowMs: number): boolean {
    if (this.#turnMs !== undefined) return this.#isOver(nowMs);
    this.#turnMs = nowMs;
    void nextTurn().then(() => (this.#turnMs = undefined));
    return false;
  }

  /** Returns whether the long work of the current turn has used the turn up. */
  #isOver(nowMs: number): boolean {
    return this.#turnMs !== undefined && nowMs - this.#turnMs >= TURN_MS;
  }

  /**
   * Returns whether work that does not count its units may begin in this turn without a slice: nobody waits for one, and
   * no long work was done in the turn before. It begins the count of the turn.
   *
   * @param nowMs the host's time, in milliseconds
   */
  mayBegin(nowMs: number): boolean {
    return this.#active.size === 0 && this.#turnMs === undefined && !this.isTurnUsedUp(nowMs);
  }

  /** Number of pieces of work that wait for a slice. */
  get waiting(): number {
    let count = 0;
    for (const flow of this.#active) count += flow.waiting.length;
    return count;
  }

  /**
   * Waits for a slice.
   *
   * @param order place of the request among those of its flow: the least is served first
   */
  slice(flow: CpuFlow, order: number): Promise<void> {
    return new Promise((resolve) => {
      // A flow is not owed the time that it left unused while it had no work.
      if (flow.waiting.length === 0) flow.virtualMs = Math.max(flow.virtualMs, this.#virtualMs);
      insert(flow, order, resolve);
      this.#active.add(flow);
      if (!this.#isServing) void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    let isPutOff = false;
    while (this.#active.size > 0) {
      await nextTurn();
      if (this.#arrivals.mustWait()) continue;
      // The turn is long enough already: whoever waits for its end does not wait for a slice as well.
      isPutOff = !isPutOff && this.#isOver(performance.now());
      if (isPutOff) continue;
      const flow = this.#leastServed();
      this.#virtualMs = flow.virtualMs;
      const next = flow.waiting.shift();
      if (flow.waiting.length === 0) this.#active.delete(flow);
      next?.proceed();
    }
    this.#isServing = false;
  }

  #leastServed(): CpuFlow {
    let least: CpuFlow | undefined;
    for (const flow of this.#active) if (least === undefined || flow.virtualMs < least.virtualMs) least = flow;
    return least as CpuFlow;
  }
}

/** Adds waiting work behind that of older requests. */
function insert({ waiting }: CpuFlow, order: number, proceed: () => void): void {
  let index = waiting.length;
  while (index > 0 && (waiting[index - 1]?.order ?? 0) > order) index -= 1;
  waiting.splice(index, 0, { order, proceed });
}

/** The lane of the process: all servers in it share the event loop. */
export const heavyLane = new HeavyLane();
