import type { Amounts, QuotaEvaluator } from '../../../kinds/index.js';
import type { AdmissionAttributes } from '../../../registry/index.js';

/** Measures the objects of a kind. */
export interface Measure {
  readonly evaluator: QuotaEvaluator;
  /** Whether an update can change what an object uses. */
  readonly updates: boolean;
}

/** The amounts that a request has taken from a quota. */
export interface Taken {
  /** Name of the quota. */
  readonly name: string;
  readonly requested: Amounts;
  readonly drop: () => void;
}

/** A request that takes from the quotas of its namespace. */
export class PendingCharge {
  readonly attributes: AdmissionAttributes;
  readonly measure: Measure;
  readonly #nowMs: number;
  /** Aborts when nobody waits for the result any more. */
  readonly #signal: AbortSignal;
  #usages: { readonly now: Amounts; readonly before: Amounts } | undefined;
  #refusal: { readonly reason: unknown } | undefined;
  /** The parts of quotas that it has taken so far. */
  readonly taken: Taken[] = [];

  constructor(attributes: AdmissionAttributes, measure: Measure, nowMs: number, signal: AbortSignal) {
    this.attributes = attributes;
    this.measure = measure;
    this.#nowMs = nowMs;
    this.#signal = signal;
  }

  /** Whether it has been refused, or nobody waits for it any more. */
  get isOver(): boolean {
    return this.#refusal !== undefined || this.#signal.aborted;
  }

  /** The use of its object now and before the request: measured once for all quotas. */
  get usages(): { readonly now: Amounts; readonly before: Amounts } {
    if (this.#usages !== undefined) return this.#usages;
    const { evaluator } = this.measure;
    const { object, oldObject } = this.attributes;
    const of = (one: typeof object): Amounts => (one === undefined ? new Map() : evaluator.usage(one, this.#nowMs));
    return (this.#usages = { now: of(object), before: of(oldObject) });
  }

  refuse(reason: unknown): void {
    this.#refusal ??= { reason };
  }

  /** @throws the reason for which it was refused, or why nobody waits any more */
  throwIfOver(): void {
    if (this.#refusal !== undefined) throw this.#refusal.reason;
    this.#signal.throwIfAborted();
  }
}
