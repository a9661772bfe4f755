/** Sends a request over the transport under test. The body of an init may be a string, bytes, or a stream. */
export type CaseFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** What a case is given. */
export interface TransportCaseContext {
  /** Where the reference handler is served, without a slash at the end: `http://127.0.0.1:8080` or `…/mounted`. */
  readonly base: string;
  readonly fetch: CaseFetch;
}

/** One thing that every transport must do. */
export interface TransportCase {
  readonly name: string;
  /** Rejects when the transport does not do it. Does not wait on a clock: give it a time limit of your own. */
  readonly run: (context: TransportCaseContext) => Promise<void>;
}
