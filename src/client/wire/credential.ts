/** Credentials of a request. */
export interface Credential {
  /** Value of the `Authorization` header. */
  readonly authorization?: string | undefined;
  /** Client certificate with its intermediates, and its key, in PEM. Both or neither. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Source of credentials. */
export interface CredentialSource {
  /**
   * Returns the credentials for the next request.
   *
   * @throws CredentialError when none are available
   */
  get(): Credential | Promise<Credential>;
  /**
   * Returns new credentials after the server refused the given ones. Absent when the source has no others.
   *
   * @throws CredentialError when none are available
   */
  replace?(refused: Credential): Promise<Credential>;
}

/**
 * Unavailable credentials, for example because a plugin fails or a token file is missing. The message contains no
 * secret.
 */
export class CredentialError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CredentialError';
  }
}

/** Returns the `Authorization` header of a bearer token. */
export const bearer = (token: string): string => `Bearer ${token}`;
