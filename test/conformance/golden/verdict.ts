import { expectedFailures } from './expected-failures.js';
import type { Outcome } from './replay.js';

/** Differences between a family's outcome and the table of expected failures. */
export interface Verdict {
  /** Unlisted steps that differ, with their differences. */
  readonly unexpected: readonly string[];
  /** Listed steps that pass or do not exist: the table must drop them. */
  readonly stale: readonly string[];
}

/** Compares an outcome with {@link expectedFailures}. */
export function judge({ family, differences }: Outcome): Verdict {
  const listed = new Set(expectedFailures.filter((entry) => entry.family === family).flatMap(({ steps }) => steps));
  const failed = new Set(differences.map(({ step }) => step));
  return {
    unexpected: differences
      .filter(({ step }) => !listed.has(step))
      .map(({ step, why }) => [step, ...why].join('\n    ')),
    stale: [...listed].filter((step) => !failed.has(step)),
  };
}
