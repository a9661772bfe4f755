import { bearer, CredentialError, type CredentialSource } from './credential.js';

/** A bearer token, or a function that returns the current one. */
export type TokenSource = string | (() => string | Promise<string>);

/** Returns the credentials of a token. A function is asked for each request, and again when the server refuses its token. */
export function tokenCredentials(token: TokenSource): CredentialSource {
  if (typeof token === 'string') return { get: () => ({ authorization: bearer(token) }) };
  const get = async (): Promise<{ readonly authorization: string }> => {
    const current: unknown = await token();
    if (typeof current !== 'string' || current === '')
      throw new CredentialError('the function token returned no token');
    return { authorization: bearer(current) };
  };
  return { get, replace: get };
}
