/**
 * The flow control of a server: classifies requests, and admits, queues or refuses them by the seats of their priority
 * level.
 *
 * Source: KEP-1040, as Kubernetes 1.31 implements it.
 *
 * @module
 */
import type { Clock, Timer } from '../../foundation/index.js';
import type { flowcontrolV1 } from '../../kinds/index.js';
import { allocateSeats } from './allocation.js';
import {
  flowClassifier,
  type Classification,
  type FlowClassifier,
  type RequestDigest,
} from './classification/classify.js';
import type { FlowControlMeter } from './flow-meter.js';
import { levelSettings, type LevelSettings } from './level-settings.js';
import { levelsInForce } from './levels.js';
import type { RequestDetails } from './queues/flow-queue.js';
import { FlowTicket, type TicketHost } from './queues/flow-ticket.js';
import { PriorityLevel } from './queues/priority-level.js';
import type { WorkEstimate } from './work.js';

/** Time between two adjustments of the seats of the levels, in milliseconds. */
const ADJUSTMENT_MS = 10_000;

/**
 * Maximum number of missed adjustments that are made up for, after a time without requests. Their effect shrinks with
 * each one: after so many, the smoothed demand has lost 99.99 % of its former value.
 */
const MAX_MISSED = 400;

/** The parts that a {@link FlowControl} needs. */
export interface FlowControlParts {
  readonly clock: Clock;
  /** Seats of the server: requests that execute at the same time, except exempt ones. */
  readonly seats: number;
  readonly meter: FlowControlMeter;
}

/** The flow of a request: where it queues, and with whom. */
export interface RequestFlow {
  readonly classification: Classification;
  readonly level: PriorityLevel;
}

/** The flow control of one server. It knows the mandatory levels before it is configured. */
export class FlowControl {
  readonly #clock: Clock;
  readonly #seats: number;
  readonly #meter: FlowControlMeter;
  readonly #levels = new Map<string, PriorityLevel>();
  #classifier: FlowClassifier | undefined;
  #schemas: readonly flowcontrolV1.FlowSchema[] = [];
  #configured: readonly flowcontrolV1.PriorityLevelConfiguration[] = [];
  #nominalSum = 0;
  /** Time of the next adjustment, in milliseconds since the epoch. */
  #dueMs: number;
  #timer: Timer | undefined;
  readonly #tickets: TicketHost;

  constructor({ clock, seats, meter }: FlowControlParts) {
    this.#clock = clock;
    this.#seats = seats;
    this.#meter = meter;
    this.#dueMs = clock.now() + ADJUSTMENT_MS;
    this.#tickets = { clock, waits: () => this.#armTimer(), idle: (level) => this.#reap(level) };
    this.configure([], []);
  }

  /** The levels, by name. */
  get levels(): ReadonlyMap<string, PriorityLevel> {
    return this.#levels;
  }

  /**
   * Replaces the configuration. Requests that wait stay where they are; a level that is no longer configured goes when
   * its last request has ended. A missing mandatory object is replaced by its default.
   */
  configure(
    schemas: readonly flowcontrolV1.FlowSchema[],
    levels: readonly flowcontrolV1.PriorityLevelConfiguration[],
  ): void {
    this.#schemas = schemas;
    this.#configured = levels;
    this.#apply();
  }

  /** Returns the flow of a request. */
  classify(digest: RequestDigest): RequestFlow {
    const classification = (this.#classifier as FlowClassifier).classify(digest);
    const level = this.#levels.get(classification.priorityLevel.name);
    if (level === undefined) throw new Error(`unreachable: there is no level ${classification.priorityLevel.name}`);
    return { classification, level };
  }

  /**
   * Lets a request begin, or puts it into a queue.
   *
   * @returns its ticket, which must be ended when the request has ended
   * @throws ApiError 429 when it is refused
   */
  admit(flow: RequestFlow, work: WorkEstimate, request: AdmittedRequest): FlowTicket {
    const nowMs = this.#clock.now();
    if (nowMs >= this.#dueMs) this.#catchUp(nowMs);
    const ticket = new FlowTicket(flow, work, request, this.#tickets);
    ticket.begin(nowMs);
    return ticket;
  }

  /** Makes the adjustments that are due, so that all numbers are current. */
  refresh(): void {
    this.#catchUp(this.#clock.now());
  }

  /** Stops the timer. Requests that wait are not ended. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #apply(): void {
    const wanted = new Map(
      levelsInForce(this.#configured).map((level) => {
        const settings = levelSettings(level);
        return [settings.name, settings] as const;
      }),
    );
    this.#classifier = flowClassifier(this.#schemas, this.#configured);
    this.#replaceLevels(wanted);
    const levels = [...this.#levels.values()];
    const shareSum = levels.reduce((sum, { settings }) => sum + settings.shares, 0);
    for (const level of levels) level.limitTo(this.#seats, shareSum);
    this.#nominalSum = levels.reduce((sum, { limits }) => sum + limits.nominal, 0);
    const waiting = levels.reduce((sum, { waitingCapacity }) => sum + waitingCapacity, 0);
    this.#meter.capacity(this.#nominalSum, waiting);
    this.#adjust(this.#clock.now());
  }

  #replaceLevels(wanted: ReadonlyMap<string, LevelSettings>): void {
    for (const [name, level] of this.#levels) {
      level.isQuiescing = !wanted.has(name);
      if (!level.isQuiescing || !level.queueSet.isIdle) continue;
      this.#levels.delete(name);
      level.meter.removed();
    }
    for (const [name, settings] of wanted) {
      const level = this.#levels.get(name);
      if (level === undefined)
        this.#levels.set(name, new PriorityLevel(settings, this.#clock, this.#meter.level(name)));
      else level.settings = settings;
    }
  }

  /** Removes a level that is no longer wanted once it is idle. Its seats go to the others. */
  #reap(level: PriorityLevel): void {
    if (level.isQuiescing && level.queueSet.isIdle && this.#levels.get(level.settings.name) === level) this.#apply();
  }

  /** Makes the adjustments that are due. Between two uses of the flow control nothing else has changed. */
  #catchUp(nowMs: number): void {
    if (nowMs < this.#dueMs) return;
    this.#adjust(this.#dueMs);
    const missed = Math.floor((nowMs - this.#dueMs) / ADJUSTMENT_MS);
    for (let index = Math.max(1, missed - MAX_MISSED); index <= missed; index += 1)
      this.#adjust(this.#dueMs + index * ADJUSTMENT_MS);
    this.#dueMs += (missed + 1) * ADJUSTMENT_MS;
  }

  /** Adjusts the seats of the levels to their demand. */
  #adjust(atMs: number): void {
    const levels = [...this.#levels.values()];
    const claims = levels.map(({ demand, limits }) => {
      demand.update(atMs);
      // A level gets back at once what it has lent and needs.
      const lowerBound = Math.max(limits.lower, Math.min(limits.nominal, demand.highWatermark));
      return { lowerBound, upperBound: limits.upper, target: Math.max(lowerBound, demand.smoothed) };
    });
    const allocation = allocateSeats(this.#nominalSum, claims);
    if (allocation !== undefined) this.#meter.fairFraction(allocation.fairFraction);
    for (const [index, level] of levels.entries()) {
      level.current = Math.round(allocation?.seats[index] ?? level.current);
      const { average, deviation, highWatermark, smoothed } = level.demand;
      level.meter.adjusted({
        ...{ average, deviation, highWatermark, smoothed, current: level.current },
        target: claims[index]?.target ?? 0,
        denominator: level.current > 0 ? level.current : Math.max(1, Math.round(this.#seats / 10)),
      });
      level.queueSet.configure(level.settings.queuing, level.current);
    }
  }

  /** Adjusts in time while requests wait. Without them, an adjustment has an effect only on the next request. */
  #armTimer(): void {
    this.#timer ??= this.#clock.after(Math.max(0, this.#dueMs - this.#clock.now()), () => {
      this.#timer = undefined;
      this.refresh();
      if ([...this.#levels.values()].some(({ queueSet }) => queueSet.waiting > 0)) this.#armTimer();
    });
  }
}

/** A request that asks to be admitted. */
export interface AdmittedRequest {
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Maximum time in a queue, in milliseconds. */
  readonly waitLimitMs: number;
  readonly isWatch: boolean;
  /** Time of the processor that it has used, in milliseconds. */
  readonly cpuMs: number;
  /** Called when one more or one less request of its kind waits or executes. */
  counted(phase: 'waiting' | 'executing', change: 1 | -1, nowMs: number): void;
  details(): RequestDetails;
}
