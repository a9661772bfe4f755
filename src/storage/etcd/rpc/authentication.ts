import { decodeAuthenticate, encodeAuthenticate } from '../wire/services.js';
import type { Connection } from './connection.js';
import { GrpcCode, RpcError } from './rpc-error.js';

/** A user of etcd's own authentication. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const AUTHENTICATE = '/etcdserverpb.Auth/Authenticate';
const NO_HEADERS: Identity = {};
const NOT_ENABLED = 'authentication is not enabled';

/** Headers that authenticate a call. */
export type Identity = Readonly<Record<string, string>>;

const headersOf = (token: string): Identity => (token === '' ? NO_HEADERS : { token });

/** The token that authenticates calls. It is fetched on first use, and again when a member does not accept it. */
export class Authentication {
  readonly #credentials: Credentials | undefined;
  #token: string | undefined;
  #fetching: Promise<string> | undefined;

  /** @param credentials undefined: calls carry no token */
  constructor(credentials: Credentials | undefined) {
    this.#credentials = credentials;
  }

  /**
   * Returns the headers that authenticate a call; a promise when the token has to be fetched.
   *
   * @throws RpcError when the member refuses the user or does not respond
   */
  headers(connection: Connection, timeoutMs: number): Identity | Promise<Identity> {
    if (this.#credentials === undefined) return NO_HEADERS;
    if (this.#token !== undefined) return headersOf(this.#token);
    this.#fetching ??= this.#fetch(this.#credentials, connection, timeoutMs).finally(
      () => (this.#fetching = undefined),
    );
    return this.#fetching.then(headersOf);
  }

  /** Drops the token of a refused call. Returns false when a new token would not help. */
  forget(headers: Identity): boolean {
    if (this.#credentials === undefined) return false;
    if (this.#token === (headers['token'] ?? '')) this.#token = undefined;
    return true;
  }

  async #fetch({ username, password }: Credentials, connection: Connection, timeoutMs: number): Promise<string> {
    try {
      this.#token = decodeAuthenticate(
        await connection.call(AUTHENTICATE, encodeAuthenticate(username, password), {}, timeoutMs),
      );
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      // An etcd without authentication needs no token.
      if (error.code === GrpcCode.FailedPrecondition && error.message.includes(NOT_ENABLED)) this.#token = '';
      else if (error.remedy === 'elsewhere') throw new RpcError(error.code, error.message, 'none', 'elsewhere', error);
      else
        throw new RpcError(
          GrpcCode.Unauthenticated,
          `etcd refuses the user ${JSON.stringify(username)}: ${error.message}`,
          'none',
          'never',
          error,
        );
    }
    return this.#token ?? '';
  }
}
