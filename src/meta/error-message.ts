/** The message of whatever was thrown: an Error's own, or the value as a string. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * Whatever was thrown as an Error, where one is required.
 *
 * @param message of the new Error when the value is none; default the value as a string
 */
export function toError(thrown: unknown, message = String(thrown)): Error {
  return thrown instanceof Error ? thrown : new Error(message, { cause: thrown });
}

/** An Error that says what could not be done, and why: `message: cause`. */
export function wrapError(message: string, cause: unknown): Error {
  return new Error(`${message}: ${messageOf(cause)}`, { cause });
}
