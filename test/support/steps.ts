/** Takes steps to their end, and counts what they do. */
import { UNBOUNDED_WORK, type Steps, type Work } from '../../src/foundation/work/work.js';

/** The result of steps, with counts of their work. */
export interface Taken<Result> {
  readonly result: Result;
  /** Number of places at which they let others work. */
  readonly pauses: number;
  /** Most units of work between two of these places. */
  readonly longest: number;
}

/** Takes steps whose work pauses wherever it may. */
export function takeSteps<Result>(make: (work: Work) => Steps<Result>): Taken<Result> {
  let longest = 0;
  const work: Work = {
    ...UNBOUNDED_WORK,
    spend(units) {
      longest = Math.max(longest, units);
      return true;
    },
  };
  const steps = make(work);
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done === true) return { result: step.value, pauses, longest };
  }
}
