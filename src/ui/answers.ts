/**
 * The JSON that the endpoints of the page answer, for both sides: the server that writes it, and the page that checks it.
 *
 * @module
 */

/** A request that the server has answered. */
export interface RecordedRequest {
  /** Its place in the order of answers, from 1. */
  readonly number: number;
  /** Time of its arrival, in milliseconds since the epoch. */
  readonly time: number;
  /** Time until its answer began, in milliseconds. */
  readonly ms: number;
  /** Empty when nobody was authenticated. */
  readonly user: string;
  readonly verb: string;
  readonly method: string;
  readonly path: string;
  /** The query without the values of parameters that the API does not have: they may be credentials. */
  readonly query: string;
  readonly code: number;
  /** Length of the body by its header field; 0 without one. */
  readonly bytesIn: number;
  /** Length of the answer; 0 for a stream, which goes on. */
  readonly bytesOut: number;
  readonly userAgent: string;
  readonly auditId: string;
  /** How much of it the audit policy records; empty for nothing. */
  readonly level: string;
}

/** The bodies of a request, as far as the audit policy records them. */
export interface RecordedBodies {
  /** JSON of the body, or its beginning; absent when there was none, or none is recorded. */
  readonly request?: string | undefined;
  /** JSON of the answer, or its beginning. */
  readonly response?: string | undefined;
  /** Whether the audit log left out bodies because they are longer than its longest event. */
  readonly tooLong: boolean;
  /** Lengths of the whole texts. */
  readonly lengths: readonly [request: number, response: number];
}

/** An object that depends on another one, by its names. */
export interface Dependant {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  /** Empty for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An object that names another one in a field. */
export interface Referrer extends Dependant {
  /** The path of the field. */
  readonly field: string;
}

/** An object that needs attention. */
export interface Concern extends Omit<Dependant, 'uid'> {
  readonly sign: 'failed' | 'deleting' | 'warning';
  /** Why, in a few words. */
  readonly words: string;
  /** RFC 3339: since when, or for a certificate when it ends; may be empty. */
  readonly since: string;
}
