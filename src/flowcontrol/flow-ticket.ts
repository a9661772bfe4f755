import { errors, type ApiError } from '../meta/api-error.js';
import type { Clock, Timer } from '../meta/clock.js';
import { onAbort } from '../meta/on-abort.js';
import type { AdmittedRequest, RequestFlow } from './flow-control.js';
import { FlowRequest } from './flow-queue.js';
import type { PriorityLevel } from './priority-level.js';
import type { WorkEstimate } from './work.js';

/** What a {@link FlowTicket} is made of. */
export interface FlowTicketParts {
  readonly flow: RequestFlow;
  readonly work: WorkEstimate;
  readonly request: AdmittedRequest;
  readonly clock: Clock;
  /** Called when the request has to wait. */
  readonly waits: () => void;
  /** Called when the level may have become idle. */
  readonly idle: (level: PriorityLevel) => void;
}

/** The place of one request at its priority level. */
export class FlowTicket {
  readonly #parts: FlowTicketParts;
  #place: FlowRequest | undefined;
  #ready: Promise<void> | undefined;
  #beganMs = 0;
  #isDispatched = false;
  #isOver = false;
  /** Called when the request is dispatched from its queue; undefined while it is in none. */
  #turn: (() => void) | undefined;
  /** Takes the request out of its queue; undefined while it is in none. */
  #abandon: ((reason: 'time-out' | 'cancelled') => void) | undefined;

  constructor(parts: FlowTicketParts) {
    this.#parts = parts;
  }

  /** Resolves when the request may execute; undefined when it may at once. Rejects with 429, or when the client has gone. */
  get ready(): Promise<void> | undefined {
    return this.#ready;
  }

  /** Whether the request has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Asks for a seat. Called once for each phase of the request. @throws ApiError 429 */
  begin(): void {
    const { flow, work, request, clock } = this.#parts;
    const { level, classification } = flow;
    const flowSchema = classification.flowSchema.name;
    const distinguisher = classification.flowDistinguisher;
    const meter = level.flow(flowSchema);
    this.#beganMs = clock.now();
    const place = new FlowRequest({
      ...{ flowSchema, distinguisher, work, meter, details: request.details },
      dispatched: () => this.#turn?.(),
    });
    this.#place = place;
    meter.estimated(place.seats);
    const admission = level.queueSet.start(place);
    if (admission === 'executing') return this.#executes();
    if (admission !== 'waiting') {
      this.#notExecuted();
      throw this.#refusal();
    }
    this.#ready = this.#inQueue(place);
    // The one who waits may have gone.
    this.#ready.catch(ignore);
    this.#parts.waits();
  }

  /** Waits in the queue. Rejects when the request leaves it without having been dispatched. */
  #inQueue(place: FlowRequest): Promise<void> {
    const { flow, request, clock } = this.#parts;
    request.counted('waiting', 1);
    return new Promise((resolve, reject) => {
      const settled = (): void => {
        request.counted('waiting', -1);
        this.#turn = undefined;
        this.#abandon = undefined;
        timer.cancel();
        stop();
      };
      this.#abandon = (reason) => {
        settled();
        flow.level.queueSet.cancel(place, reason);
        this.#notExecuted();
        this.#parts.idle(flow.level);
        reject(this.#refusal());
      };
      this.#turn = () => {
        settled();
        this.#executes();
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
    const { flow, clock, request } = this.#parts;
    if (place.state === 'executing') {
      place.meter.executed(clock.now() - place.startMs, request.isWatch);
      request.counted('executing', -1);
    }
    flow.level.queueSet.finish(place);
    this.#parts.idle(flow.level);
  }

  /** Asks for a seat again. @throws ApiError 429, also when the request has already ended */
  async take(): Promise<void> {
    if (this.#isOver) throw this.#refusal();
    this.begin();
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

  #executes(): void {
    const { flow, clock, request } = this.#parts;
    request.counted('executing', 1);
    const { level } = flow;
    if (!level.isExempt) this.#place?.meter.waited(clock.now() - this.#beganMs, true);
    if (this.#isDispatched) return;
    this.#isDispatched = true;
    level.queueSet.totals.dispatched += 1;
    this.#place?.meter.dispatched();
  }

  #notExecuted(): void {
    const { flow, clock } = this.#parts;
    this.#place?.meter.waited(clock.now() - this.#beganMs, false);
    flow.level.retryAdvice.refused(clock.now());
  }

  #refusal(): ApiError {
    return errors.tooManyRequests(
      'Too many requests, please try again later.',
      this.#parts.flow.level.retryAdvice.seconds,
    );
  }
}

const ignore = (): void => undefined;
