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

/** The last failure of a controller. */
export interface ReportedFailure {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The words of the error; of long ones the beginning. */
  readonly message: string;
  /** The key of its run, mostly the namespace and name of an object; empty for a failure of another kind. */
  readonly object: string;
  /** How often the controller has failed on this server. */
  readonly count: number;
}

/** A controller, as a server knows it. */
export interface ReportedController {
  readonly name: string;
  /** The group of controllers that one of several servers runs; empty for one that this server runs for itself. */
  readonly group: string;
  /**
   * `runs`, `elsewhere` while this server does not lead the group, or `waits` for something to do, such as the first object
   * of its kind.
   */
  readonly state: 'runs' | 'elsewhere' | 'waits';
  /** Keys that wait for a worker. */
  readonly waiting: number;
  /** Keys in work. */
  readonly active: number;
  /** Keys whose last run has failed, or that have to run again: they wait for another attempt. */
  readonly retries: number;
  /** Keys that wait for time to pass: those of `retries`, and those with something to do later. */
  readonly delayed: number;
  /** How long the run takes that has been at work longest, in milliseconds; 0 for none. */
  readonly oldestMs: number;
  readonly error?: ReportedFailure | undefined;
}

/** A group of controllers, which one of several servers runs. */
export interface ReportedGroup {
  readonly name: string;
  /** The holder of its Lease, as this server last saw it; empty while it has seen none. */
  readonly leader: string;
  /** Whether this server leads. */
  readonly leads: boolean;
  /** The last failure of the election on this server. */
  readonly error?: ReportedFailure | undefined;
}

/** The controllers of a server, as it knows them. */
export interface ControllersReport {
  /** The name of this server as a candidate; empty on a server that elects no leaders, and so runs all. */
  readonly identity: string;
  readonly groups: readonly ReportedGroup[];
  readonly controllers: readonly ReportedController[];
}
