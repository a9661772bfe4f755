/**
 * Path and query of the HTTP request that a call is, or would be.
 *
 * @module
 */
import { apiVersionOf } from '../foundation/index.js';

/** Where a kind is served. */
export interface KindPath {
  readonly group: string;
  readonly version: string;
  /** The plural of the kind. */
  readonly resource: string;
  readonly namespaced: boolean;
}

/** The object or collection of a request. Empty members are left out. */
export interface RequestTarget {
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** Returns the path of a request, with a leading slash. @param encode encodes a segment */
export function pathOf(
  { group, version, resource, namespaced }: KindPath,
  { namespace, name, subresource }: RequestTarget,
  encode: (segment: string) => string = encodedSegment,
): string {
  const scope = namespaced && namespace !== '' ? `/namespaces/${encode(namespace)}` : '';
  const object = name === '' ? '' : `/${encode(name)}`;
  const part = subresource === '' ? '' : `/${encode(subresource)}`;
  return `/${group === '' ? 'api' : 'apis'}/${apiVersionOf(group, version)}${scope}/${resource}${object}${part}`;
}

/** Encodes a segment of a path. The colons in the names of roles need no encoding. */
export const encodedSegment = (segment: string): string => encodeURIComponent(segment).replaceAll('%3A', ':');

/** Parameters of calls that are parameters of the query under the same name. */
const SAME_NAME = [
  ...['resourceVersion', 'resourceVersionMatch', 'labelSelector', 'fieldSelector', 'limit', 'continue'],
  ...['allowWatchBookmarks', 'sendInitialEvents', 'timeoutSeconds', 'fieldManager', 'fieldValidation', 'force'],
];

/**
 * Returns the query of a request, without a question mark.
 *
 * @param more further parameters with the same name
 */
export function queryOf(verb: string, parameters: object, more: readonly string[] = []): string {
  const query = new URLSearchParams(verb === 'watch' ? { watch: 'true' } : {});
  for (const name of more.length === 0 ? SAME_NAME : [...SAME_NAME, ...more]) {
    const value: unknown = Reflect.get(parameters, name);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      query.set(name, String(value));
  }
  if (Reflect.get(parameters, 'dryRun') === true) query.set('dryRun', 'All');
  return query.toString();
}
