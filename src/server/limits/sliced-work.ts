import {
  errors,
  formatGoDuration,
  heavyLane,
  SLICE_MS,
  type ApiError,
  type CpuFlow,
  type Work,
  type WorkArea,
} from '../../foundation/index.js';

/** Number of units between two looks at the host's clock: about 25 microseconds of work. */
const LOOK_UNITS = 512;

/** Time of a request from which its pieces are measured by the processor, and not by the clock, in milliseconds. */
const LONG_MS = 50;
/** Mean duration of slices that are too short for it: those of a watch that sends an event from time to time. */
const SHORT_SLICE_MS = 0.5;

/** Places before those of the requests that stand back: more than there will be requests. */
const BEHIND_ALL = 2 ** 52;

/** Why a request gets no further slice. */
export type WorkEnd = 'deadline' | 'disconnected' | 'cpu';

/** The request that the work belongs to. */
export interface WorkOwner {
  /** Its memory; undefined where nothing limits it. */
  readonly reservation?: { reserve(bytes: number): void; release(bytes: number): void } | undefined;
  /** Called when the work takes its first slice. */
  takesSlices?(): void;
  /** Returns why the request is over; undefined while it is not. */
  workEnd(): 'deadline' | 'disconnected' | undefined;
}

/** The parts that the works of a server share. */
export interface WorkHost {
  /** Maximum time of the processor of one request, in milliseconds; 0 for no limit. */
  readonly cpuLimitMs: number;
  /** Returns the time that the thread has had a processor, in milliseconds; undefined where the host does not tell it. */
  readonly processorMs?: (() => number) | undefined;
  /** Called with the duration of each piece of work in one turn, in milliseconds. */
  readonly piece: (ms: number) => void;
  /** Called when a request gets no further slice. */
  readonly ended: (reason: WorkEnd) => void;
}

/** The flow of a request, with the number of seconds that its metric has counted. */
export interface ServedFlow {
  readonly cpu: CpuFlow;
  readonly seconds: { add(seconds: number): void };
}

/** The work of one request of a server: slices in the heavy lane, by the flow of the request. */
export class SlicedWork implements Work {
  /** Time of the processor that the request has used, in milliseconds. */
  cpuMs = 0;
  /** Time that it has waited for slices, in milliseconds. */
  waitedMs = 0;
  /** Number of slices that it has waited for. */
  slices = 0;
  /** The slices by the kind of work; undefined without one. */
  areas: Map<WorkArea, number> | undefined;
  /** Duration of its longest piece in one turn, in milliseconds. */
  longestMs = 0;
  /** The kind of work of that piece. */
  longestArea: WorkArea = 'other';
  isLarge = false;
  small: object | undefined;
  /** Whether its time of the processor is limited. A watch goes on for as long as its client wants. */
  isLimited: boolean;
  readonly #flow: ServedFlow;
  readonly #owner: WorkOwner;
  readonly #host: WorkHost;
  /** Its place among the requests of its flow. */
  #order: number;
  #area: WorkArea = 'other';
  /** Whether the last piece was the longest. */
  #isLastLongest = false;
  #units = 0;
  /** Whether the work goes on in a slice of the lane. */
  #isServed = false;
  #sinceMs = 0;
  #isMeasuring = false;

  constructor(host: WorkHost, flow: ServedFlow, owner: WorkOwner, order: number, isLimited: boolean) {
    this.#host = host;
    this.#flow = flow;
    this.#owner = owner;
    this.#order = order;
    this.isLimited = isLimited;
  }

  spend(units: number): boolean {
    this.#units += units;
    if (this.#units < LOOK_UNITS) return false;
    this.#units = 0;
    const nowMs = performance.now();
    // The first slices of many requests may come in one turn; one of the lane is the only one of its turn.
    return nowMs - this.#sinceMs >= SLICE_MS || (heavyLane.isTurnUsedUp(nowMs) && !this.#isServed);
  }

  /** Whether the work may begin without a slice, although its first step counts no units. */
  get mayBegin(): boolean {
    return heavyLane.mayBegin(performance.now());
  }

  async next(area: WorkArea = 'other'): Promise<void> {
    this.check();
    this.#area = area;
    // The piece before the slice was of the same kind.
    if (this.#isLastLongest) this.longestArea = area;
    this.slices += 1;
    if (this.slices === 1) this.#owner.takesSlices?.();
    const areas = (this.areas ??= new Map<WorkArea, number>());
    areas.set(area, (areas.get(area) ?? 0) + 1);
    const beganMs = performance.now();
    await heavyLane.slice(this.#flow.cpu, this.#order);
    this.waitedMs += performance.now() - beganMs;
    this.#isServed = true;
    this.check();
  }

  /**
   * Lets the other requests of its flow go first. Called once the request occupies no seats: the stream of its response
   * may last, and requests that wait for seats wait for those that occupy them.
   */
  standBack(): void {
    this.#order += BEHIND_ALL;
  }

  reserve(bytes: number): void {
    this.#owner.reservation?.reserve(bytes);
  }

  release(bytes: number): void {
    this.#owner.reservation?.release(bytes);
  }

  measure<Result>(step: () => Result): Result {
    if (this.#isMeasuring) return step();
    this.#isMeasuring = true;
    // A look at the processor takes too long for the short work of most requests, and of the events of a watch.
    const isLong = this.cpuMs >= LONG_MS && this.cpuMs >= this.slices * SHORT_SLICE_MS;
    const processorMs = isLong ? this.#host.processorMs : undefined;
    const usedMs = processorMs?.();
    this.#sinceMs = performance.now();
    try {
      return step();
    } finally {
      this.#isMeasuring = false;
      this.#isServed = false;
      const ms = performance.now() - this.#sinceMs;
      // While the machine runs other processes, time passes for which nobody here is to blame.
      this.#charge(ms, usedMs === undefined || processorMs === undefined ? ms : Math.min(ms, processorMs() - usedMs));
    }
  }

  /** @param ms duration of a piece; @param cpuMs time of the processor in it */
  #charge(ms: number, cpuMs: number): void {
    this.cpuMs += cpuMs;
    this.#isLastLongest = ms > this.longestMs;
    if (this.#isLastLongest) {
      this.longestMs = ms;
      this.longestArea = this.#area;
    }
    this.#flow.cpu.charge(cpuMs);
    this.#flow.seconds.add(cpuMs / 1000);
    this.#host.piece(ms);
  }

  /** Ends the work of a request that is over. @throws ApiError 504 */
  check(): void {
    const { cpuLimitMs } = this.#host;
    const isUsedUp = this.isLimited && cpuLimitMs > 0 && this.cpuMs > cpuLimitMs;
    const reason = this.#owner.workEnd() ?? (isUsedUp ? 'cpu' : undefined);
    if (reason === undefined) return;
    this.#host.ended(reason);
    throw reason === 'cpu'
      ? usedUp(cpuLimitMs)
      : errors.timeout('request did not complete within the allotted timeout');
  }
}

const usedUp = (limitMs: number): ApiError =>
  errors.timeout(`request did not complete within the allotted processing time of ${formatGoDuration(limitMs)}`);
