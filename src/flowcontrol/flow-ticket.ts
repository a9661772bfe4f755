import { errors, type ApiError } from '../meta/api-error.js';
import type { Clock, Timer } from '../meta/clock.js';
import { onAbort } from '../meta/on-abort.js';
import { nextTurn } from '../meta/turn.js';
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

  constructor(parts: FlowTicketParts) {
    this.#parts = parts;
  }

  /** Resolves when the request may execute; undefined when it may at once. Rejects with 429, or when the client has gone. */
  get ready(): Promise<void> | undefined {
    return this.#ready;
  }

  /** Asks for a seat. Called once for each phase of the request. @throws ApiError 429 */
  begin(): void {
    const { flow, work, request, clock } = this.#parts;
    const { level, classification, distinguisher } = flow;
    const flowSchema = classification.flowSchema.name;
    const meter = level.flow(flowSchema);
    this.#beganMs = clock.now();
    let dispatched: () => void = ignore;
    const place = new FlowRequest({
      ...{ flowSchema, distinguisher, work, meter, details: request.details },
      dispatched: () => dispatched(),
    });
    this.#place = place;
    meter.estimated(place.seats);
    const admission = level.queueSet.start(place);
    if (admission === 'executing') return this.#executes();
    if (admission !== 'waiting') {
      this.#notExecuted();
      throw this.#refusal();
    }
    this.#parts.waits();
    this.#ready = new Promise<void>((resolve, reject) => {
      const settled = (): void => {
        timer.cancel();
        stop();
      };
      const leave = (reason: 'time-out' | 'cancelled'): void => {
        settled();
        level.queueSet.cancel(place, reason);
        this.#notExecuted();
        this.#parts.idle(level);
        reject(this.#refusal());
      };
      dispatched = () => {
        settled();
        this.#executes();
        // Requests of a long queue would otherwise follow each other before the next connection is read.
        void nextTurn().then(resolve);
      };
      const timer: Timer = clock.after(request.waitLimitMs, () => leave('time-out'));
      const stop = onAbort(request.signal, () => leave('cancelled'));
    });
    // The one who waits may have gone.
    this.#ready.catch(ignore);
  }

  /** Gives the seat up while the request only waits. */
  pause(): void {
    const place = this.#place;
    if (place === undefined) return;
    this.#place = undefined;
    this.#ready = undefined;
    const { flow, clock, request } = this.#parts;
    if (place.state === 'executing') place.meter.executed(clock.now() - place.startMs, request.isWatch);
    flow.level.queueSet.finish(place);
    this.#parts.idle(flow.level);
  }

  /** Asks for a seat again. @throws ApiError 429, also when the request has already ended */
  async resume(): Promise<void> {
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
    const place = this.#place;
    if (place?.state === 'waiting') {
      this.#parts.flow.level.queueSet.cancel(place, 'cancelled');
      this.#notExecuted();
    }
    this.pause();
  }

  #executes(): void {
    const { flow, clock } = this.#parts;
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
