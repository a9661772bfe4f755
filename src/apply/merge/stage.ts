import type { Work } from '../../meta/work.js';

/** Units of work of a stage: each looks at the clock, as it may take long. */
const UNITS_PER_STAGE = 512;

/** Counts a stage of a write, which visits a whole object or set. Returns whether the work should pause. */
export const mayPause = (work: Work): boolean => work.spend(UNITS_PER_STAGE);
