import type { Clock, HttpClient } from '../../foundation/index.js';
import type { Catalogue } from '../../registry/index.js';

/** An OpenID provider whose tokens a server accepts. */
export interface PageProvider {
  readonly issuerUrl: string;
  /** URL of its configuration; undefined for the well-known one below the issuer. */
  readonly discoveryUrl: string | undefined;
  /** The client that tokens are issued to. */
  readonly clientId: string;
  /** Authorities of the provider's certificate, PEM; undefined for those of the host. */
  readonly certificateAuthority: string | undefined;
  /** Sends requests to the provider. */
  readonly http: HttpClient;
}

/** The functions of a server that its page needs. */
export interface PageHost {
  /**
   * Called when a transport serves the page: from then on the server has the endpoints of the page.
   *
   * @param takesCommands whether it authorizes the commands of a test server, which the transport runs
   * @returns a promise that resolves when the endpoints record; the first request waits for it in any case
   */
  readonly serve: (takesCommands: boolean) => Promise<unknown>;
  /** Returns the token of the owner for the code of a link, once; undefined for a wrong, used or late code. */
  readonly redeem: (code: string) => string | undefined;
  /** Returns the clock of the server. */
  readonly clock: () => Clock;
  /** Returns random bytes. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** Returns the kinds that the server serves. */
  readonly catalogue: () => Catalogue;
  /** Returns the providers with which people sign in. */
  readonly providers: () => readonly PageProvider[];
}
