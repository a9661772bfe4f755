/** An error with the code of the host. */
export interface CodedError {
  readonly error: Error;
  readonly code: string;
}

/** Returns the first error with a code among an error and its causes. Node collects the errors of several addresses. */
export function codedCause(error: unknown): CodedError | undefined {
  let at = error;
  for (let depth = 0; depth < 4 && at instanceof Error; depth += 1) {
    if (at instanceof AggregateError) at = at.errors[0];
    if (at instanceof Error && 'code' in at && typeof at.code === 'string') return { error: at, code: at.code };
    at = at instanceof Error ? at.cause : undefined;
  }
  return undefined;
}
