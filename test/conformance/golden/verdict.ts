import { expectedFailures } from './expected-failures.js';
import type { Outcome } from './replay.js';

/** What a family's outcome has that the table of expected failures does not, and the reverse. */
export interface Verdict {
  /** Steps that differ without being listed, with what differs. */
  readonly unexpected: readonly string[];
  /** Steps that are listed and yet pass, or that do not exist: the table must lose them. */
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
