/** Sends a request over the transport under test. The body may be a string, bytes, or a stream. */
export type CaseFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The context of a case. */
export interface TransportCaseContext {
  /** URL of the reference handler, without a trailing slash: `http://127.0.0.1:8080` or `…/mounted`. */
  readonly base: string;
  readonly fetch: CaseFetch;
}

/** A requirement on every transport. */
export interface TransportCase {
  readonly name: string;
  /** Rejects when the transport does not meet the requirement. It has no timeout: set your own. */
  readonly run: (context: TransportCaseContext) => Promise<void>;
}
