/** The functions of a server that its page needs. */
export interface PageHost {
  /** Called when a transport serves the page: from then on the server has the endpoints of the page. */
  readonly serve: () => void;
  /** Returns the token of the owner for the code of a link, once; undefined for a wrong, used or late code. */
  readonly redeem: (code: string) => string | undefined;
  /** Returns the time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns random bytes. */
  readonly randomBytes: (length: number) => Uint8Array;
}
