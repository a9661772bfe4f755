import { nextTurn, type Clock } from '../../../foundation/index.js';
import type { FlowMeter, LevelLimits, LevelMeter } from '../flow-meter.js';
import type { LevelSettings } from '../level-settings.js';
import { RetryAdvice } from '../retry-after.js';
import { QueueSet } from './queue-set.js';
import { SeatDemand } from './seat-demand.js';

/** Part of the nominal seats of a level that a single request may occupy. */
const MAX_SEATS_FRACTION = 0.15;

/** A priority level: its limits, its queues and its demand. */
export class PriorityLevel {
  settings: LevelSettings;
  readonly meter: LevelMeter;
  readonly queueSet: QueueSet;
  readonly demand: SeatDemand;
  readonly retryAdvice = new RetryAdvice();
  /** Whether it is no longer configured, and goes when its last request has ended. */
  isQuiescing = false;
  limits: LevelLimits = { nominal: 0, lower: 0, upper: 0 };
  /** Seats that it may currently occupy. */
  current = 0;
  readonly #flows = new Map<string, FlowMeter>();

  constructor(settings: LevelSettings, clock: Clock, meter: LevelMeter) {
    this.settings = settings;
    this.meter = meter;
    this.demand = new SeatDemand(clock.now());
    this.queueSet = new QueueSet({
      ...{ clock, meter },
      demand: (seats, nowMs) => this.demand.set(seats, nowMs),
      soon: (dispatch) => void nextTurn().then(dispatch),
    });
  }

  get isExempt(): boolean {
    return this.settings.queuing.type === 'Exempt';
  }

  /** Maximum number of seats of one request; undefined when the level sets none. */
  get maxRequestSeats(): number | undefined {
    const { queuing } = this.settings;
    if (queuing.type !== 'Queue') return undefined;
    const { nominal } = this.limits;
    return Math.max(1, Math.min(Math.ceil(nominal * MAX_SEATS_FRACTION), Math.floor(nominal / queuing.handSize)));
  }

  /** Number of requests that may wait. */
  get waitingCapacity(): number {
    const { queuing } = this.settings;
    return queuing.type === 'Queue' ? queuing.queues * queuing.queueLengthLimit : 0;
  }

  /** Sets the limits by the shares of all levels. */
  limitTo(seats: number, shareSum: number): void {
    const { shares, lendablePercent, borrowingLimitPercent } = this.settings;
    const nominal = shareSum === 0 ? 0 : Math.ceil((seats * shares) / shareSum);
    const lendable = Math.round((nominal * lendablePercent) / 100);
    const borrowing = borrowingLimitPercent === undefined ? seats : Math.round((nominal * borrowingLimitPercent) / 100);
    this.limits = { nominal, lower: nominal - lendable, upper: nominal + borrowing };
    this.meter.configured(this.limits, Math.max(1, this.waitingCapacity));
  }

  /** Returns what follows the requests of a schema. */
  flow(flowSchema: string): FlowMeter {
    let meter = this.#flows.get(flowSchema);
    if (meter === undefined) this.#flows.set(flowSchema, (meter = this.meter.flow(flowSchema)));
    return meter;
  }
}
