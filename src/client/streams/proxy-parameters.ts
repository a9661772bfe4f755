import type { GetParameters } from '../client.js';

/** Methods of requests through the server. */
export type ProxyMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request through the server. */
export interface ProxyParameters extends Pick<GetParameters, 'signal'> {
  /** Default `GET`. */
  readonly method?: ProxyMethod | undefined;
  /** Path and query at the target, encoded, with a leading slash and without the segments `.` and `..`. Default `/`. */
  readonly path?: string | undefined;
  /** Header fields for the target, names in lower case. `authorization` is that of the server, and cannot be set. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Number or name of the port. Default the one that the server chooses. */
  readonly port?: number | string | undefined;
  /** Scheme between server and target. Default `http`. */
  readonly scheme?: 'http' | 'https' | undefined;
}

/** The response of the target, or of the server when it refuses the request. */
export interface ProxiedResponse {
  readonly status: number;
  /** Returns a header field by its lower-case name. */
  header(name: string): string | undefined;
  /** The body in the pieces in which it arrives. Ending the iteration ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Reads the body to its end, at most 64 MiB. @throws Error for a longer one */
  text(): Promise<string>;
}
