import { expectedFailures } from './expected-failures.js';
import { newerTextOf, newerTexts } from './newer-releases.js';
import type { Outcome } from './replay.js';

/** Differences between a family's outcome and the tables of what may differ. */
export interface Verdict {
  /** Unlisted steps that differ, with their differences. */
  readonly unexpected: readonly string[];
  /** Listed steps that pass or do not exist, and listed texts that no step has: the tables must drop them. */
  readonly stale: readonly string[];
}

/** Compares an outcome with {@link expectedFailures} and {@link newerTexts}. */
export function judge({ family, differences }: Outcome): Verdict {
  const listed = new Set(expectedFailures.filter((entry) => entry.family === family).flatMap(({ steps }) => steps));
  const newer = new Set(differences.flatMap(({ why }) => why.map((line) => newerTextOf(family, line))));
  const differing = differences
    .map(({ step, why }) => ({ step, why: why.filter((line) => newerTextOf(family, line) === undefined) }))
    .filter(({ why }) => why.length > 0);
  const failed = new Set(differing.map(({ step }) => step));
  return {
    unexpected: differing.filter(({ step }) => !listed.has(step)).map(({ step, why }) => [step, ...why].join('\n    ')),
    stale: [
      ...[...listed].filter((step) => !failed.has(step)),
      ...newerTexts.filter((text) => text.family === family && !newer.has(text)).map(({ recorded }) => recorded),
    ],
  };
}
