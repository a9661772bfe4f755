import type { Work } from '../../../foundation/index.js';

/** Units of a visited value: its rules take about 0.3 µs. */
const UNITS_OF_VISIT = 6;

/** Visits between two looks at the work. */
const VISITS = 64;

/** Counts the values that a walk visits, and tells when it should pause. */
export class Pace {
  readonly work: Work;
  #visits = 0;

  constructor(work: Work) {
    this.work = work;
  }

  /** Counts a visited value. Returns true when the walk should pause. */
  visit(): boolean {
    this.#visits += 1;
    return this.#visits % VISITS === 0 && this.work.spend(VISITS * UNITS_OF_VISIT);
  }

  /** Counts other work. Returns true when the walk should pause. */
  spend(units: number): boolean {
    return this.work.spend(units);
  }
}
