import { Linked, LinkedList } from '../../../foundation/index.js';
import type { FlowMeter } from '../flow-meter.js';
import { maxSeats, totalWork, type WorkEstimate } from '../work.js';

/** The details of a request that are shown to those who look for the reason of a delay. */
export interface RequestDetails {
  readonly username: string;
  readonly verb: string;
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
}

/** The request that a {@link FlowRequest} belongs to. */
export interface FlowRequestOwner {
  details(): RequestDetails;
  /** Time of the processor that the request has used, in milliseconds. */
  readonly cpuMs: number;
  /** Called when the request leaves its queue in order to execute. Not called for one that executes at once. */
  dispatched(): void;
}

/** One request at a priority level. */
export class FlowRequest extends Linked<FlowRequest> {
  readonly flowSchema: string;
  /** The value that tells the flows of the schema apart. */
  readonly distinguisher: string;
  readonly meter: FlowMeter;
  readonly owner: FlowRequestOwner;
  /** Seats that it occupies or will occupy. */
  readonly seats: number;
  /**
   * Those of its seats that flows without any need not wait for: it has them only because requests of its kind took
   * long, or it has begun to share the processor.
   */
  addedSeats: number;
  /** Estimated work, in seat-seconds. */
  readonly totalWork: number;
  work: WorkEstimate;
  /** `lingering`: no longer executing, but its seats are occupied. */
  state: 'new' | 'waiting' | 'executing' | 'lingering' | 'over' = 'new';
  /** Its queue; undefined for one that needed none. */
  queue: FlowQueue | undefined;
  /** Time of arrival, in milliseconds since the epoch. */
  arrivalMs = 0;
  /** Virtual time of arrival, in seat-seconds. */
  arrivalR = 0;
  /** Time at which it began to execute, in milliseconds since the epoch; 0 before. */
  startMs = 0;

  constructor(
    flowSchema: string,
    distinguisher: string,
    work: WorkEstimate,
    meter: FlowMeter,
    owner: FlowRequestOwner,
  ) {
    super();
    this.flowSchema = flowSchema;
    this.distinguisher = distinguisher;
    this.work = work;
    this.meter = meter;
    this.owner = owner;
    this.seats = maxSeats(work);
    this.addedSeats = work.addedSeats ?? 0;
    this.totalWork = totalWork(work);
  }
}

/** A queue of a priority level. */
export class FlowQueue extends Linked<FlowQueue> {
  index: number;
  /** Requests that wait, oldest first. */
  readonly waiting = new LinkedList<FlowRequest>();
  readonly executing = new LinkedList<FlowRequest>();
  /** Requests that have executed and still occupy their seats. */
  readonly lingering = new LinkedList<FlowRequest>();
  /** Seats of its requests that execute, or have executed and still occupy them. */
  seatsInUse = 0;
  /** Virtual start of the oldest request, in seat-seconds. */
  nextDispatchR = 0;
  /** Estimated work of the requests that wait, in seat-seconds. */
  waitingWork = 0;
  /** Time of the processor that its requests have used, in milliseconds. */
  cpuMs = 0;

  constructor(index: number) {
    super();
    this.index = index;
  }

  /** Whether a request waits or executes. */
  get isActive(): boolean {
    return this.waiting.size > 0 || this.executing.size > 0;
  }

  /** Whether a request of the same flow occupies a seat. */
  seatsLike({ flowSchema, distinguisher }: FlowRequest): boolean {
    for (const seated of [this.executing, this.lingering])
      for (const other of seated)
        if (other.flowSchema === flowSchema && other.distinguisher === distinguisher) return true;
    return false;
  }

  /** The request that waits longest. */
  get oldest(): FlowRequest | undefined {
    return this.waiting.first;
  }

  enqueue(request: FlowRequest): void {
    this.waiting.add(request);
    this.waitingWork += request.totalWork;
  }

  dequeue(request: FlowRequest): void {
    this.waiting.delete(request);
    // Sums of fractions do not return to zero.
    this.waitingWork = this.waiting.size === 0 ? 0 : this.waitingWork - request.totalWork;
  }

  /**
   * Keeps the virtual start of a request from preceding its arrival. Otherwise a queue that uses less than its part of
   * the seats would save it up, and later delay all the others.
   */
  boundNextDispatch(): void {
    const { oldest } = this;
    if (oldest !== undefined && this.nextDispatchR < oldest.arrivalR) this.nextDispatchR = oldest.arrivalR;
  }

  /** Sets its virtual times back. */
  rewind(by: number): void {
    this.nextDispatchR = Math.max(0, this.nextDispatchR - by);
    for (const request of this.waiting) request.arrivalR = Math.max(0, request.arrivalR - by);
  }
}
