/** What the user wrote cannot be done as it is written: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the user wrote is fine, but the machine is not so: one line on stderr, exit code 1. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
