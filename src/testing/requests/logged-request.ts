import type { JsonValue } from '../../foundation/index.js';
import type { RequestOrigin } from '../../server/index.js';

/** A request that a test server has received, after its authentication. */
export interface LoggedRequest {
  /** Number of the request: 1 for the first. */
  readonly number: number;
  /** Time of its arrival on the test's clock, in milliseconds since the epoch. */
  readonly time: number;
  readonly via: RequestOrigin;
  /** Name of the user. */
  readonly user: string;
  readonly groups: readonly string[];
  /** User-Agent; of an in-process client, the name of its field manager. */
  readonly userAgent: string;
  readonly verb: string;
  /** Whether it is a patch that is a server-side apply. */
  readonly apply: boolean;
  readonly group: string;
  readonly version: string;
  /** Plural name; empty for a path that names no resource. */
  readonly resource: string;
  readonly subresource: string;
  /** Empty for cluster-scoped kinds, and for all namespaces. */
  readonly namespace: string;
  /** Name of the object; of a create, the name that the object has or got. */
  readonly name: string;
  readonly path: string;
  /** Parameters of the query. A parameter that was sent several times has its first value. */
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** The body as a JSON value; undefined without one. */
  readonly body: JsonValue | undefined;
  /** HTTP status code of the answer; 0 when the connection was lost, undefined while there is no answer. */
  readonly status: number | undefined;
  /**
   * The answer as a JSON value; undefined without one, for streams and other forms, and for lists before the newest 100
   * requests. Must not be changed.
   */
  readonly answer: JsonValue | undefined;
  /** Duration on the test's clock, in milliseconds; undefined while there is no answer. */
  readonly duration: number | undefined;
  /** Resource versions that the request has written. */
  readonly written: readonly number[];
}

/** Returns a request in one line: `alice update default/configmaps/web → 409`. */
export function requestLine(request: LoggedRequest): string {
  const { user, status, subresource } = request;
  const resource = request.group === '' ? request.resource : `${request.resource}.${request.group}`;
  const part = subresource === '' ? resource : `${resource}/${subresource}`;
  const place = [request.namespace, request.name].filter((text) => text !== '').join('/');
  const target = request.resource === '' ? request.path : `${part}${place === '' ? '' : ` ${place}`}`;
  const outcome = status === undefined ? 'no answer yet' : status === 0 ? 'connection lost' : String(status);
  return `${user} ${request.apply ? 'apply' : request.verb} ${target} → ${outcome}`;
}
