/** Returns the message of a thrown value: that of an Error, or the value as a string. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * Returns a thrown value as an Error.
 *
 * @param message the message of the new Error for a value that is not an Error; default the value as a string
 */
export function toError(thrown: unknown, message = String(thrown)): Error {
  return thrown instanceof Error ? thrown : new Error(message, { cause: thrown });
}

/** Returns an Error with the failed action and its cause: `message: cause`. */
export function wrapError(message: string, cause: unknown): Error {
  return new Error(`${message}: ${messageOf(cause)}`, { cause });
}
