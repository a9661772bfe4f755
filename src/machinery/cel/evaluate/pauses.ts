/**
 * Pauses of long evaluations. An evaluation that should pause is abandoned by an exception, and later repeated from the
 * start with what it had done: the results of loops and of expensive calls, and loops in progress. Everything else is
 * cheap to repeat and has no effects. So the steps of an expression are plain functions, which know nothing of pauses.
 *
 * @module
 */
import type { Steps, Work } from '../../../foundation/index.js';
import type { Meter, MeterReading } from '../cost/meter.js';
import type { CelResult } from '../types/declarations.js';
import type { CelValue } from './values.js';

/** Thrown by an evaluation that pauses, or that takes longer than a brief one may. No expression can catch it. */
export class EvaluationPause {
  readonly name = 'EvaluationPause';
}

/** A loop in progress. */
export interface LoopState {
  readonly items: Iterator<CelValue>;
  /** The item whose round has begun; undefined between two rounds. */
  item: CelValue | undefined;
  /** The accumulator before this round. */
  accumulated: CelResult;
  /** The results of this round. */
  round: Done;
  isOver: boolean;
}

/** The memory of an evaluation of a loop or a call: its result, or how far it has come. */
export type Remembered =
  { readonly result: CelResult } | { readonly loop: LoopState } | { readonly steps: Steps<CelResult> };

/**
 * The results in the expression, or in one round of a loop: there, each part is evaluated at most once. The keys
 * are the planned parts.
 */
export type Done = Map<object, Remembered>;

/** A call that is made in steps. */
export class CallInSteps {
  readonly steps: Steps<CelResult>;

  constructor(steps: Steps<CelResult>) {
    this.steps = steps;
  }
}

/** Costs below it are not looked at: looking at the clock is not free either. */
const LEAST_UNITS = 512;
/** Cost and work after which the result of a call is remembered. */
const EXPENSIVE = 16;

/** The pauses of one evaluation. */
export class Pauses {
  /** The results in the part that is evaluated. */
  done: Done;
  readonly #all: Done = new Map();
  readonly #meter: Meter;
  readonly #work: Work;
  #reported = 0;
  /** Where the evaluation has paused, and what was counted until there. */
  #pausedAt: { readonly place: Remembered; readonly reading: MeterReading } | undefined;
  /** The count when a result was last remembered. */
  #remembered = 0;

  constructor(meter: Meter, work: Work) {
    this.#meter = meter;
    this.#work = work;
    this.done = this.#all;
  }

  /** Begins the evaluation again after a pause. */
  restart(): void {
    this.done = this.#all;
    this.#meter.restore();
    this.#remembered = 0;
  }

  /** Reports what is left to report. */
  finish(): void {
    this.#work.spend(Math.max(0, this.#meter.total - this.#reported));
  }

  /** Must be called where the evaluation may have paused, before anything is charged. */
  resume(at: Remembered): void {
    if (this.#pausedAt?.place !== at) return;
    this.#meter.restore(this.#pausedAt.reading);
    this.#pausedAt = undefined;
    this.#remembered = this.#meter.total;
  }

  /**
   * Pauses if the slice is used up.
   *
   * @param at where the repeated evaluation will continue
   * @throws EvaluationPause
   */
  mayPause(at: Remembered): void {
    const units = this.#meter.total - this.#reported;
    if (units < LEAST_UNITS) return;
    this.#reported += units;
    if (!this.#work.spend(units)) return;
    this.#pausedAt = { place: at, reading: this.#meter.reading };
    throw new EvaluationPause();
  }

  /** Makes a call, unless its result is known. @param call returns the result, or the steps to it */
  call(key: object, call: () => CelResult | CallInSteps): CelResult {
    const known = this.done.get(key);
    if (known !== undefined && 'result' in known) {
      this.resume(known);
      return known.result;
    }
    if (known !== undefined && 'steps' in known) return this.#stepThrough(key, known);
    const made = call();
    if (made instanceof CallInSteps) {
      this.done.set(key, made);
      return this.#stepThrough(key, made);
    }
    return this.#meter.total - this.#remembered < EXPENSIVE ? made : this.#remember(key, made);
  }

  #stepThrough(key: object, at: { readonly steps: Steps<CelResult> }): CelResult {
    this.resume(at);
    for (;;) {
      const step = at.steps.next();
      if (step.done === true) return this.#remember(key, step.value);
      this.mayPause(at);
    }
  }

  #remember(key: object, result: CelResult): CelResult {
    const remembered: Remembered = { result };
    this.done.set(key, remembered);
    this.#remembered = this.#meter.total;
    this.mayPause(remembered);
    return result;
  }
}
