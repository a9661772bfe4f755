/** Where an authenticator says what goes on with its provider. A server's logger fits. Tokens and claims are never passed to it. */
export interface OidcLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Says nothing. */
export const silentLog: OidcLog = { info: () => undefined, error: () => undefined };

/** The words of whatever was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error of production's words before those of its cause. */
export function wrapped(words: string, cause: unknown): Error {
  return new Error(`${words}: ${wordsOf(cause)}`, { cause });
}
