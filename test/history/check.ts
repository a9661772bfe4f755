import { Bounds } from './bounds.js';
import { checkLinearizable } from './check-linearizable.js';
import { checkOperations } from './check-operations.js';
import { checkWatches } from './check-watches.js';
import type { History } from './history.js';
import { Replay } from './replay.js';
import type { Violation } from './violation.js';

/** Checks a history by revisions, its watches, and each key without revisions. @returns the broken rules, in order of time */
export function checkHistory(history: History): Violation[] {
  const replay = new Replay(history);
  const bounds = new Bounds(history);
  return [
    ...replay.violations,
    ...checkOperations(history, replay, bounds),
    ...checkWatches(history, replay, bounds),
    ...checkLinearizable(history),
  ].sort((left, right) => left.at - right.at);
}
