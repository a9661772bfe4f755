/** Invalid usage of the command line: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Valid usage that fails in this environment: one line on stderr, exit code 1. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
