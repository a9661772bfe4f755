/** Steps of one family that differ for one reason. */
export interface ExpectedFailure {
  readonly family: string;
  /** What is missing. */
  readonly reason: string;
  /** Names of the steps, as the recordings have them. */
  readonly steps: readonly string[];
}

/** Families that are replayed. */
export const families: readonly string[] = [
  'content',
  'crud',
  'deletion',
  'discovery',
  'dry-run',
  'errors',
  'field-validation',
  'generate-name',
  'listing',
  'namespaces',
  'watch',
];

/** Every step of {@link families} that differs from its recording. A step that passes must leave the list. */
export const expectedFailures: readonly ExpectedFailure[] = [
];
