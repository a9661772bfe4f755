import { errors, onAbort, type ApiError, type Clock, type Timer } from '../../../foundation/index.js';
import type { AdmittedRequest, RequestFlow } from '../flow-control.js';
import type { WorkEstimate } from '../work.js';
import { FlowRequest, type FlowRequestOwner, type RequestDetails } from './flow-queue.js';
import type { PriorityLevel } from './priority-level.js';

/** The parts that the tickets of a flow control share. */
export interface TicketHost {
  readonly clock: Clock;
  /** Called when the request has to wait. */
  readonly waits: () => void;
  /** Called when the level may have become idle. */
  readonly idle: (level: PriorityLevel) => void;
}

/** The place of one request at its priority level. */
export class FlowTicket implements FlowRequestOwner {
  readonly #flow: RequestFlow;
  readonly #work: WorkEstimate;
  readonly #request: AdmittedRequest;
  readonly #host: TicketHost;
  #place: FlowRequest | undefined;
  #ready: Promise<void> | undefined;
  #beganMs = 0;
  /** Time of the processor that its queue has been charged for, in milliseconds. */
  #chargedMs = 0;
  #isDispatched = false;
  #isOver = false;
  /** Called when the request is dispatched from its queue; undefined while it is in none. */
  #turn: (() => void) | undefined;
  /** Takes the request out of its queue; undefined while it is in none. */
  #abandon: ((reason: 'time-out' | 'cancelled') => void) | undefined;

  constructor(flow: RequestFlow, work: WorkEstimate, request: AdmittedRequest, host: TicketHost) {
    this.#flow = flow;
    this.#work = work;
    this.#request = request;
    this.#host = host;
  }

  get cpuMs(): number {
    return this.#request.cpuMs;
  }

  details(): RequestDetails {
    return this.#request.details();
  }

  dispatched(): void {
    this.#turn?.();
  }

  /** Resolves when the request may execute; undefined when it may at once. Rejects with 429, or when the client has gone. */
  get ready(): Promise<void> | undefined {
    return this.#ready;
  }

  /** Whether the request has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Time at which it asked for a seat, for the last time, in milliseconds since the epoch. */
  get beganMs(): number {
    return this.#beganMs;
  }

  /** Asks for a seat. Called once for each phase of the request. @throws ApiError 429 */
  begin(nowMs: number): void {
    const { level, classification } = this.#flow;
    const flowSchema = classification.flowSchema.name;
    const meter = level.flow(flowSchema);
    this.#beganMs = nowMs;
    const place = new FlowRequest(flowSchema, classification.flowDistinguisher, this.#work, meter, this);
    this.#place = place;
    meter.estimated(place.seats);
    const admission = level.queueSet.start(place, nowMs);
    if (admission === 'executing') return this.#executes(nowMs);
    if (admission !== 'waiting') {
      this.#notExecuted();
      throw this.#refusal();
    }
    this.#ready = this.#inQueue(place);
    // The one who waits may have gone.
    this.#ready.catch(ignore);
    this.#host.waits();
  }

  /** Waits in the queue. Rejects when the request leaves it without having been dispatched. */
  #inQueue(place: FlowRequest): Promise<void> {
    const flow = this.#flow;
    const request = this.#request;
    const { clock } = this.#host;
    request.counted('waiting', 1, this.#beganMs);
    return new Promise((resolve, reject) => {
      const settled = (): void => {
        request.counted('waiting', -1, clock.now());
        this.#turn = undefined;
        this.#abandon = undefined;
        timer.cancel();
        stop();
      };
      this.#abandon = (reason) => {
        settled();
        flow.level.queueSet.cancel(place, reason);
        this.#notExecuted();
        this.#host.idle(flow.level);
        reject(this.#refusal());
      };
      this.#turn = () => {
        settled();
        this.#executes(clock.now());
        resolve();
      };
      const timer: Timer = clock.after(request.waitLimitMs, () => this.#abandon?.('time-out'));
      const stop = onAbort(request.signal, () => this.#abandon?.('cancelled'));
    });
  }

  /** Gives the seat up, while the request only waits or for good. */
  leave(): void {
    const place = this.#place;
    if (place === undefined) return;
    this.#place = undefined;
    this.#ready = undefined;
    const flow = this.#flow;
    const request = this.#request;
    const nowMs = this.#host.clock.now();
    if (place.state === 'executing') {
      place.meter.executed(nowMs - place.startMs, request.isWatch);
      request.counted('executing', -1, nowMs);
    }
    const { cpuMs } = request;
    flow.level.queueSet.finish(place, cpuMs - this.#chargedMs, nowMs);
    this.#chargedMs = cpuMs;
    this.#host.idle(flow.level);
  }

  /** Lets flows without a seat begin beside the request, whose work takes slices from now on. */
  shareSeats(): void {
    if (this.#place !== undefined) this.#flow.level.queueSet.shareSeats(this.#place);
  }

  /** Asks for a seat again. @throws ApiError 429, also when the request has already ended */
  async take(): Promise<void> {
    if (this.#isOver) throw this.#refusal();
    this.begin(this.#host.clock.now());
    await this.#ready;
    // It has been answered in the meantime, for example at its deadline.
    if (this.#isOver) throw this.#refusal();
  }

  /** Ends the request, wherever it is. Only the first call counts. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#abandon?.('cancelled');
    this.leave();
  }

  #executes(nowMs: number): void {
    const { level } = this.#flow;
    this.#request.counted('executing', 1, nowMs);
    if (!level.isExempt) this.#place?.meter.waited(nowMs - this.#beganMs, true);
    if (this.#isDispatched) return;
    this.#isDispatched = true;
    level.queueSet.totals.dispatched += 1;
    this.#place?.meter.dispatched();
  }

  #notExecuted(): void {
    const flow = this.#flow;
    const { clock } = this.#host;
    this.#place?.meter.waited(clock.now() - this.#beganMs, false);
    flow.level.retryAdvice.refused(clock.now());
  }

  #refusal(): ApiError {
    return errors.tooManyRequests('Too many requests, please try again later.', this.#flow.level.retryAdvice.seconds);
  }
}

const ignore = (): void => undefined;
