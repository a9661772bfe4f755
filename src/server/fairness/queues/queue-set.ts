/**
 * The queues of one priority level, served by fair queuing. Each queue makes the same progress in virtual time, which
 * is measured in seat-seconds: a request moves the virtual start of the next request of its queue by its seats times its
 * duration, and the queue whose request would finish first is served next.
 *
 * Source: the fair queuing for server requests of KEP-1040, as Kubernetes 1.31 implements it.
 *
 * @module
 */
import { LinkedList, type Clock } from '../../../foundation/index.js';
import type { LevelMeter } from '../flow-meter.js';
import { ESTIMATED_SECONDS, narrowed } from '../work.js';
import { Dealer } from './dealer.js';
import { FlowQueue, type FlowRequest } from './flow-queue.js';

/** The way in which a level handles requests beyond its seats. */
export type Queuing =
  | { readonly type: 'Exempt' }
  | { readonly type: 'Reject' }
  | {
      readonly type: 'Queue';
      readonly queues: number;
      /** Queues of one flow. */
      readonly handSize: number;
      /** Maximum number of requests that wait in one queue, while all seats are taken. */
      readonly queueLengthLimit: number;
    };

/** Numbers of the requests of a level since its creation. */
export interface QueueSetTotals {
  dispatched: number;
  refused: number;
  timedOut: number;
  cancelled: number;
  /** Time of the processor that its requests have used, in milliseconds. */
  cpuMs: number;
}

/** The outcome of a new request. */
export type Admission = 'executing' | 'waiting' | 'queue-full' | 'concurrency-limit';

/** Time of the processor from which a request is charged for it, in milliseconds. */
const LONG_CPU_MS = 10;

/** Progress from which the meter is set back: above it, small steps of a double are longer than a microsecond. */
const REWIND_FROM = 2 ** 32;

/** The parts of a {@link QueueSet}. */
export interface QueueSetParts {
  readonly clock: Clock;
  readonly meter: LevelMeter;
  /** Called with the seats that are occupied or waited for, whenever they have changed. */
  readonly demand: (seats: number, nowMs: number) => void;
  /**
   * Calls back soon, in order to give free seats to requests that wait. It should let the event loop turn: requests of a
   * long queue would otherwise follow each other before the server reads what other clients have sent.
   */
  readonly soon: (dispatch: () => void) => void;
}

/** The queues of one level. */
export class QueueSet {
  readonly totals: QueueSetTotals = { dispatched: 0, refused: 0, timedOut: 0, cancelled: 0, cpuMs: 0 };
  readonly #clock: Clock;
  readonly #meter: LevelMeter;
  readonly #demand: QueueSetParts['demand'];
  readonly #soon: QueueSetParts['soon'];
  #queuing: Queuing = { type: 'Reject' };
  #limit = 0;
  #dealer: Dealer | undefined;
  readonly #queues: FlowQueue[] = [];
  /** Queues in which requests wait. */
  readonly #waitingQueues = new LinkedList<FlowQueue>();
  /** Requests that execute without having had a queue. */
  readonly #queueless = new LinkedList<FlowRequest>();
  #activeQueues = 0;
  #waiting = 0;
  #executing = 0;
  #seatsInUse = 0;
  /** Those of the seats in use that flows without any need not wait for; see `addedSeats` of a request. */
  #addedSeats = 0;
  #seatsWaiting = 0;
  /** The seat-seconds that each active queue has been given. */
  #r = 0;
  #sinceMs: number;
  #robin = 0;
  #enqueued = 0;
  /** Whether free seats will soon be given away. New requests join their queues until then. */
  #isDispatching = false;

  constructor({ clock, meter, demand, soon }: QueueSetParts) {
    this.#clock = clock;
    this.#meter = meter;
    this.#demand = demand;
    this.#soon = soon;
    this.#sinceMs = clock.now();
  }

  /** Number of requests that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Number of requests that execute. */
  get executing(): number {
    return this.#executing;
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  /** Whether no request waits or executes. */
  get isIdle(): boolean {
    return this.#waiting === 0 && this.#executing === 0;
  }

  /** The queues, in their order. */
  get queues(): readonly FlowQueue[] {
    return this.#queues;
  }

  /** Requests that execute without having had a queue. */
  get queueless(): Iterable<FlowRequest> {
    return this.#queueless;
  }

  /**
   * Changes the queues, the number of seats, or both. Requests that wait stay in their queues: a queue that is no longer
   * wanted goes when it is empty.
   *
   * @param limit seats of the level; without meaning for an exempt one
   */
  configure(queuing: Queuing, limit: number): void {
    this.#advance();
    const known = this.#queuing;
    this.#queuing = queuing;
    this.#limit = limit;
    if (queuing.type === 'Queue') {
      const isSameDeal =
        known.type === 'Queue' && known.queues === queuing.queues && known.handSize === queuing.handSize;
      if (this.#dealer === undefined || !isSameDeal) this.#dealer = new Dealer(queuing.queues, queuing.handSize);
      while (this.#queues.length < queuing.queues) this.#queues.push(new FlowQueue(this.#queues.length));
    }
    for (const queue of this.#queues.slice(this.#wanted)) this.#dropEmpty(queue);
    this.#dispatchAll();
  }

  /** Admits, queues or refuses a new request. */
  start(request: FlowRequest, nowMs = this.#clock.now()): Admission {
    this.#advance(nowMs);
    request.arrivalMs = nowMs;
    request.arrivalR = this.#virtualTime();
    if (this.#queuing.type !== 'Queue') {
      if (!this.#accommodates(request.seats)) return this.#refused(request, 'concurrency-limit');
      this.#queueless.add(request);
      this.#begin(request, nowMs);
      return 'executing';
    }
    const queue = this.#queueFor(request);
    if (this.#seatsInUse >= this.#limit && queue.waiting.size >= this.#queuing.queueLengthLimit)
      return this.#refused(request, 'queue-full');
    request.queue = queue;
    const isNext = this.#waiting === 0 && this.#seatsInUse < this.#limit && this.#accommodates(request.seats);
    if (isNext || (queue.waiting.size === 0 && this.#isOwedSeat(queue, request))) {
      this.#pass(queue, request, nowMs);
      return 'executing';
    }
    this.#enqueue(queue, request, nowMs);
    if (!this.#isDispatching) this.#dispatchAll();
    return request.state === 'waiting' ? 'waiting' : 'executing';
  }

  /**
   * Ends the execution of a request. Its seats are free at once, or after its final phase.
   *
   * @param cpuMs time of the processor that it has used, in milliseconds
   */
  finish(request: FlowRequest, cpuMs = 0, nowMs = this.#clock.now()): void {
    if (request.state !== 'executing') return;
    this.#advance(nowMs);
    const { queue, work } = request;
    this.#executing -= 1;
    request.meter.ended();
    this.totals.cpuMs += cpuMs;
    if (queue === undefined) this.#queueless.delete(request);
    else {
      const executed = (nowMs - request.startMs) / 1000;
      queue.executing.delete(request);
      queue.cpuMs += cpuMs;
      const used = work.initialSeats * executed;
      queue.nextDispatchR += Math.max(used, this.#processorSeconds(cpuMs)) - work.initialSeats * ESTIMATED_SECONDS;
      queue.boundNextDispatch();
      if (!queue.isActive) this.#activeQueues -= 1;
    }
    if (work.finalSeats > 0 && work.additionalLatencyMs > 0) {
      request.state = 'lingering';
      queue?.lingering.add(request);
      // Watches get the events in turns that are shared with everyone.
      this.#share(request);
      this.#report(nowMs);
      this.#clock.after(work.additionalLatencyMs, () => {
        this.#release(request, this.#advance());
        this.#dispatchSoon();
      });
      this.#dispatchSoon();
      return;
    }
    this.#release(request, nowMs);
    this.#dispatchSoon();
  }

  /**
   * Lets flows without a seat begin beside a request, which does long work in slices from now on: it shares the processor
   * with them by what its flow has used, and its memory is reserved. Requests of its own flow wait for its seats.
   */
  shareSeats(request: FlowRequest): void {
    if (request.state !== 'executing') return;
    this.#share(request);
    this.#dispatchSoon();
  }

  #share(request: FlowRequest): void {
    this.#addedSeats += request.seats - request.addedSeats;
    request.addedSeats = request.seats;
  }

  /** Removes a request from its queue, and refuses it. Does nothing for one that does not wait. */
  cancel(request: FlowRequest, reason: 'time-out' | 'cancelled'): void {
    const { queue } = request;
    if (request.state !== 'waiting' || queue === undefined) return;
    const nowMs = this.#advance();
    this.#dequeue(queue, request);
    queue.boundNextDispatch();
    if (!queue.isActive) this.#activeQueues -= 1;
    this.#dropEmpty(queue);
    request.state = 'over';
    this.totals.refused += 1;
    this.totals[reason === 'time-out' ? 'timedOut' : 'cancelled'] += 1;
    request.meter.refused(reason);
    this.#report(nowMs);
    // The seats that the request would have needed may suffice for another one.
    this.#dispatchSoon();
  }

  /**
   * Returns what a request has used of the level by its time of the processor, in seat-seconds: while it computes, nobody
   * else does, so it uses all seats. The time of a short request says more of the machine than of the request.
   */
  #processorSeconds(cpuMs: number): number {
    return cpuMs < LONG_CPU_MS ? 0 : (cpuMs / 1000) * this.#limit;
  }

  /** Number of queues by the configuration. */
  get #wanted(): number {
    return this.#queuing.type === 'Queue' ? this.#queuing.queues : 0;
  }

  #refused(request: FlowRequest, reason: 'queue-full' | 'concurrency-limit'): Admission {
    this.totals.refused += 1;
    request.state = 'over';
    request.meter.refused(reason);
    return reason;
  }

  /**
   * Moves virtual time to the present: by the time for which seats were in use, divided by the active queues. Kubernetes
   * counts all seats for which there were requests. Here seats stay free until the event loop turns; if these moments
   * counted, each busy queue would seem to be owed the time, and its oldest request would go before that of a new flow.
   *
   * @returns the current time, in milliseconds
   */
  #advance(nowMs = this.#clock.now()): number {
    const elapsedMs = nowMs - this.#sinceMs;
    this.#sinceMs = nowMs;
    if (elapsedMs <= 0 || this.#activeQueues === 0) return nowMs;
    this.#r += ((this.#seatsInUse / this.#activeQueues) * elapsedMs) / 1000;
    if (this.#r >= REWIND_FROM) this.#rewind();
    this.#meter.advanced(this.#r);
    return nowMs;
  }

  /**
   * Returns the virtual time for a new request: the progress, or that of the queue that is served next, if it is behind.
   * A queue falls behind while requests of others occupy their seats for long, as when the process stalls. It catches up
   * before those, but not before a new flow, which would wait for all of its requests.
   */
  #virtualTime(): number {
    let least = this.#r;
    for (let queue = this.#waitingQueues.first; queue !== undefined; queue = queue.after)
      least = Math.min(least, queue.nextDispatchR);
    return least;
  }

  #rewind(): void {
    const by = this.#r;
    this.#r = 0;
    for (const queue of this.#queues) queue.rewind(by);
    this.#meter.rewound();
  }

  /** Picks the queue with the least waiting work from the hand of a flow. */
  #queueFor(request: FlowRequest): FlowQueue {
    const hand = this.#dealer?.handOf(request.flowSchema, request.distinguisher) ?? [];
    const offset = this.#enqueued % hand.length;
    this.#enqueued += 1;
    let best: FlowQueue | undefined;
    for (let index = 0; index < hand.length; index += 1) {
      // Two flows with the same first queue do not both begin with it.
      const queue = this.#queues[hand[(offset + index) % hand.length] as number] as FlowQueue;
      if (best === undefined || queue.waitingWork < best.waitingWork) best = queue;
      if (best.waitingWork === 0) break;
    }
    return best as FlowQueue;
  }

  /** Lets a request pass its queue at once: it would be the next one. */
  #pass(queue: FlowQueue, request: FlowRequest, nowMs: number): void {
    this.#activate(queue, this.#r);
    queue.nextDispatchR = Math.max(queue.nextDispatchR, this.#r);
    request.meter.enqueued(request.seats, 1);
    request.meter.dequeued(request.seats);
    const s = queue.nextDispatchR;
    const discounted = s - queue.seatsInUse * ESTIMATED_SECONDS;
    this.#meter.dispatchedAt({
      r: this.#r,
      s,
      least: s,
      most: s,
      leastDiscounted: discounted,
      mostDiscounted: discounted,
    });
    this.#robin = queue.index;
    this.#execute(queue, request, nowMs);
  }

  /** Counts an idle queue that gets a request. It begins now: what it used before is forgotten. */
  #activate(queue: FlowQueue, virtualTime: number): void {
    if (queue.isActive) return;
    this.#activeQueues += 1;
    queue.nextDispatchR = virtualTime;
  }

  #enqueue(queue: FlowQueue, request: FlowRequest, nowMs: number): void {
    this.#activate(queue, request.arrivalR);
    queue.enqueue(request);
    queue.boundNextDispatch();
    this.#waitingQueues.add(queue);
    this.#waiting += 1;
    this.#seatsWaiting += request.seats;
    request.state = 'waiting';
    request.meter.enqueued(request.seats, queue.waiting.size);
    this.#report(nowMs);
  }

  #dequeue(queue: FlowQueue, request: FlowRequest): void {
    queue.dequeue(request);
    if (queue.waiting.size === 0) this.#waitingQueues.delete(queue);
    this.#waiting -= 1;
    this.#seatsWaiting -= request.seats;
    request.meter.dequeued(request.seats);
  }

  /**
   * Gives free seats away in the next turns of the event loop, to those who wait by then: one in each turn, as a request
   * on data in memory takes its whole turn.
   */
  #dispatchSoon(): void {
    if (this.#isDispatching || this.#waiting === 0) return;
    this.#isDispatching = true;
    this.#soon(() => {
      this.#isDispatching = false;
      this.#advance();
      if (this.#hasSeats && this.#waiting > 0 && this.#dispatchNext() && this.#hasSeats) this.#dispatchSoon();
    });
  }

  #dispatchAll(): void {
    while (this.#waiting > 0 && this.#hasSeats && this.#dispatchNext());
  }

  /**
   * Dispatches the request that would finish first in virtual time, or, when it does not fit, one whose flow is owed a
   * seat. Returns false when there is none.
   */
  #dispatchNext(): boolean {
    const next = this.#nextQueue();
    if (next?.oldest === undefined) return false;
    if (this.#accommodates(next.oldest.seats)) return this.#dispatch(next, next.oldest);
    next.oldest.meter.didNotFit();
    for (const queue of this.#waitingQueues) {
      const { oldest } = queue;
      if (oldest !== undefined && this.#isOwedSeat(queue, oldest)) return this.#dispatch(queue, oldest);
    }
    return false;
  }

  #dispatch(queue: FlowQueue, request: FlowRequest): true {
    this.#meter.dispatchedAt(this.#times(queue));
    this.#robin = queue.index;
    this.#dequeue(queue, request);
    this.#execute(queue, request, this.#sinceMs);
    queue.boundNextDispatch();
    request.owner.dispatched();
    return true;
  }

  #execute(queue: FlowQueue, request: FlowRequest, nowMs: number): void {
    request.work = narrowed(request.work, this.#limit);
    queue.executing.add(request);
    queue.seatsInUse += request.seats;
    this.#begin(request, nowMs);
    queue.nextDispatchR += request.totalWork;
  }

  /** Returns the queue whose oldest request would finish first; of equal ones, the next in turn. */
  #nextQueue(): FlowQueue | undefined {
    const count = this.#queues.length;
    let next: FlowQueue | undefined;
    let nextFinish = Infinity;
    let nextTurn = Infinity;
    for (const queue of this.#waitingQueues) {
      const finish = queue.nextDispatchR + (queue.oldest?.totalWork ?? 0);
      const turn = (queue.index - this.#robin - 1 + count) % count;
      if (finish > nextFinish || (finish === nextFinish && turn > nextTurn)) continue;
      next = queue;
      nextFinish = finish;
      nextTurn = turn;
    }
    return next;
  }

  #times({ nextDispatchR: s }: FlowQueue): Parameters<LevelMeter['dispatchedAt']>[0] {
    let [least, most, leastDiscounted, mostDiscounted] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { nextDispatchR, seatsInUse } of this.#waitingQueues) {
      const discounted = nextDispatchR - seatsInUse * ESTIMATED_SECONDS;
      least = Math.min(least, nextDispatchR);
      most = Math.max(most, nextDispatchR);
      leastDiscounted = Math.min(leastDiscounted, discounted);
      mostDiscounted = Math.max(mostDiscounted, discounted);
    }
    return { r: this.#r, s, least, most, leastDiscounted, mostDiscounted };
  }

  #begin(request: FlowRequest, nowMs: number): void {
    request.state = 'executing';
    request.startMs = nowMs;
    this.#executing += 1;
    this.#seatsInUse += request.seats;
    this.#addedSeats += request.addedSeats;
    request.meter.began(request.seats);
    this.#report(nowMs);
  }

  #release(request: FlowRequest, nowMs: number): void {
    request.state = 'over';
    this.#seatsInUse -= request.seats;
    this.#addedSeats -= request.addedSeats;
    request.meter.released(request.seats);
    const { queue } = request;
    if (queue !== undefined) {
      queue.lingering.delete(request);
      queue.seatsInUse -= request.seats;
      this.#dropEmpty(queue);
    }
    this.#report(nowMs);
  }

  /** Removes a queue beyond the wanted ones once it is empty. */
  #dropEmpty(queue: FlowQueue): void {
    if (queue.index < this.#wanted || queue.isActive || this.#queues[queue.index] !== queue) return;
    this.#queues.splice(queue.index, 1);
    for (let index = queue.index; index < this.#queues.length; index += 1)
      (this.#queues[index] as FlowQueue).index = index;
    if (this.#robin >= queue.index && this.#robin > 0) this.#robin -= 1;
  }

  /** A request of more seats than the level has executes alone. */
  #accommodates(seats: number): boolean {
    if (this.#queuing.type === 'Exempt') return true;
    if (seats > this.#limit) return this.#executing === 0;
    return this.#seatsInUse + seats <= this.#limit;
  }

  /** Whether a request of one seat may begin, if those in use are counted without the added ones. */
  get #hasSeats(): boolean {
    return this.#seatsInUse - this.#addedSeats < this.#limit;
  }

  /**
   * Returns whether a request begins although its seat is occupied: it needs one, its flow has none, and others have that
   * seat only because their requests are expected to take long, or do long work in slices. These share the processor with
   * it by what their flow has used. In Kubernetes, whose requests share many processors, they do so without seats.
   */
  #isOwedSeat(queue: FlowQueue, request: FlowRequest): boolean {
    const isNarrow = request.seats - request.addedSeats === 1;
    return isNarrow && this.#addedSeats > 0 && this.#hasSeats && !queue.seatsLike(request);
  }

  #report(nowMs: number): void {
    const demand = this.#seatsInUse + this.#seatsWaiting;
    this.#demand(demand, nowMs);
    this.#meter.occupied(
      { waiting: this.#waiting, executing: this.#executing, seats: this.#seatsInUse, demand },
      nowMs,
    );
  }
}
