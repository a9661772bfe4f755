/**
 * The verb and the resource of a request, parsed from its method and path alone. This is the first step of a request;
 * authorization, limits, audit and routing depend on it.
 *
 * The path is split at its raw slashes, and every segment is percent-decoded once, separately. So an encoded slash
 * never shifts the segments, and authorization sees the same segments as routing.
 *
 * @module
 */
import { ApiError, errors, goQuote } from '../../foundation/index.js';

/** The verb and the resource of a request. Strings are empty when the path has no such part. */
export interface RequestInfo {
  /**
   * Whether the path names a resource (`/api/v1/…`, `/apis/{group}/{version}/…`); any other request is a non-resource
   * request.
   */
  readonly isResource: boolean;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection` or `proxy` for resources, and
   * empty for an unsupported method. For non-resource requests the method in lower case.
   */
  readonly verb: string;
  /**
   * Whether the path contains the verb (the deprecated `…/v1/watch/…`): then only the path names the object, never a
   * selector.
   */
  readonly verbViaPathPrefix: boolean;
  /** The decoded path for authorizers and audit, with its trailing slash if it was sent with one. */
  readonly path: string;
  /** `api` or `apis`. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  /** For requests on a namespace object, also the name of that namespace. */
  readonly namespace: string;
  /** Whether the path has the form `…/namespaces/{namespace}/{resource}`. */
  readonly underNamespace: boolean;
  readonly resource: string;
  readonly subresource: string;
  /** Writable: a list or watch that selects `metadata.name` is authorized for that name, which the caller sets. */
  name: string;
  /** The segments from the resource on: `[resource, name, subresource, …]`. No served path has more than three. */
  readonly parts: readonly string[];
}

/**
 * The query: as sent, parsed, or parsed on demand. Only a GET of a resource reads it, and only for `watch`. The string
 * is the cheapest: it is not parsed when the word does not occur in it.
 */
export type QuerySource = string | URLSearchParams | (() => URLSearchParams);

const RESOURCE_VERBS: ReadonlyMap<string, string> = new Map([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Returns whether a segment in the position of a namespaced resource is a subresource of the namespace. */
const isNamespaceSubresource = (word: string): boolean => word === 'status' || word === 'finalize';

const NO_PARTS: readonly string[] = Object.freeze([]);

/**
 * Parses the verb and the resource of a request, as Kubernetes' RequestInfoFactory does, with two differences that the
 * contract requires: `watch` on the path of one object watches that object, and an ambiguous path is refused.
 *
 * One trailing slash of a resource path is ignored, as in Kubernetes: `DELETE …/configmaps/` deletes the collection,
 * and is authorized as such.
 *
 * Refused: percent-encoding that is malformed or not UTF-8; an encoded slash, percent sign or NUL; the segments `.` and
 * `..` and empty segments within a resource path.
 *
 * @param method HTTP method in upper case
 * @param path path as sent, without the query
 * @returns the request info, or the error: 400 BadRequest, or 404 NotFound for an empty segment
 */
export function parseRequestInfo(method: string, path: string, query: QuerySource): RequestInfo | ApiError {
  const segments = splitPath(path);
  if (segments instanceof ApiError) return segments;
  const { words, encoded } = segments;
  const decodedPath = encoded ? `/${words.join('/')}` : path;
  const first = words[0];
  // A resource path has at least a version and a resource after `api`, and a group before them after `apis`.
  const versionAt = first === 'api' ? 1 : 2;
  if ((first === 'api' || first === 'apis') && length(words) >= versionAt + 2) {
    words.length = length(words);
    return resourceRequest(method, decodedPath, segments, versionAt, query);
  }
  return encoded && words.some(isAmbiguous)
    ? errors.badRequest('the path may not contain an encoded slash or NUL')
    : nonResource(method, decodedPath);
}

/** Returns whether a segment would change the path when the segments are joined. */
const isAmbiguous = (word: string): boolean => word.includes('/') || word.includes('\0');

/**
 * Returns the number of segments without the empty one of a trailing slash: `/api/v1/` lists the resources of a
 * version.
 */
function length(words: readonly string[]): number {
  return words[words.length - 1] === '' ? words.length - 1 : words.length;
}

function nonResource(method: string, path: string): RequestInfo {
  return {
    isResource: false,
    verb: method === 'GET' ? 'get' : method.toLowerCase(),
    verbViaPathPrefix: false,
    path,
    apiPrefix: '',
    group: '',
    version: '',
    namespace: '',
    underNamespace: false,
    resource: '',
    subresource: '',
    name: '',
    parts: NO_PARTS,
  };
}

function resourceRequest(
  method: string,
  path: string,
  { words, encoded }: Segments,
  versionAt: number,
  query: QuerySource,
): RequestInfo | ApiError {
  for (let index = 1; index < words.length; index += 1) if (words[index] === '') return errors.resourceNotFound();
  let at = versionAt + 1;
  let verb = RESOURCE_VERBS.get(method) ?? '';
  const special = words[at];
  const verbViaPathPrefix = special === 'watch' || special === 'proxy';
  if (verbViaPathPrefix) {
    at += 1;
    if (at >= words.length) return errors.badRequest(`unable to determine kind and namespace from url, ${path}`);
    // For any method, as in Kubernetes: after authorization the router refuses methods other than GET.
    verb = special;
  }
  let namespaceAt = -1;
  let underNamespace = false;
  if (words[at] === 'namespaces' && at + 1 < words.length) {
    namespaceAt = at + 1;
    const next = words[at + 2];
    underNamespace = next !== undefined && !isNamespaceSubresource(next);
    if (underNamespace) at += 2;
  }
  const refusal = checkSegments(words, encoded, namespaceAt, at + 1);
  if (refusal !== undefined) return refusal;
  const parts = words.slice(at);
  const name = parts[1] ?? '';
  const subresource = verb === 'proxy' ? '' : (parts[2] ?? '');
  return {
    isResource: true,
    verb: finalVerb(verb, name, subresource, query),
    verbViaPathPrefix,
    path,
    apiPrefix: versionAt === 1 ? 'api' : 'apis',
    group: versionAt === 1 ? '' : (words[1] ?? ''),
    version: words[versionAt] ?? '',
    namespace: namespaceAt < 0 ? '' : (words[namespaceAt] ?? ''),
    underNamespace,
    resource: parts[0] ?? '',
    subresource,
    name,
    parts,
  };
}

function finalVerb(verb: string, name: string, subresource: string, query: QuerySource): string {
  if (verb === 'get') {
    if (subresource === '' && wantsWatch(query)) return 'watch';
    return name === '' ? 'list' : 'get';
  }
  return verb === 'delete' && name === '' ? 'deletecollection' : verb;
}

/** Returns whether `watch` is present and neither `false` nor `0`. The first value counts. */
function wantsWatch(query: QuerySource): boolean {
  let parameters: URLSearchParams;
  if (typeof query === 'string') {
    // A percent-encoded letter could hide the word.
    if (!query.includes('watch') && !query.includes('%')) return false;
    parameters = new URLSearchParams(query);
  } else {
    parameters = typeof query === 'function' ? query() : query;
  }
  const value = parameters.get('watch');
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** Refuses invalid segments: an invalid name or namespace with 400, any other segment with 404. */
function checkSegments(
  words: readonly string[],
  encoded: boolean,
  namespaceAt: number,
  nameAt: number,
): ApiError | undefined {
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] as string;
    if (!encoded && word.charCodeAt(0) !== 0x2e) continue;
    const problem = segmentProblem(word);
    if (problem === '') continue;
    if (index === nameAt) return errors.badRequest(`Name parameter invalid: ${goQuote(word)}: ${problem}`);
    if (index === namespaceAt) return errors.badRequest(`Namespace parameter invalid: ${goQuote(word)}: ${problem}`);
    return errors.resourceNotFound();
  }
  return undefined;
}

/** Returns the problem of a decoded segment, in Kubernetes' words for names in paths; empty when it is valid. */
export function segmentProblem(word: string): string {
  if (word === '.') return "may not be '.'";
  if (word === '..') return "may not be '..'";
  for (let index = 0; index < word.length; index += 1) {
    const code = word.charCodeAt(index);
    if (code === 0x2f) return "may not contain '/'";
    if (code === 0x25) return "may not contain '%'";
    if (code === 0) return 'may not contain NUL';
  }
  return '';
}

interface Segments {
  /** Decoded segments, without the empty one before the first slash. */
  readonly words: string[];
  /**
   * Whether a percent sign or NUL occurred: the decoded path differs from the path as sent, and the segments must be
   * checked.
   */
  readonly encoded: boolean;
}

function splitPath(path: string): Segments | ApiError {
  const words: string[] = [];
  let encoded = false;
  let start = path.charCodeAt(0) === 0x2f ? 1 : 0;
  let escaped = false;
  for (let index = start; index <= path.length; index += 1) {
    const code = index === path.length ? 0x2f : path.charCodeAt(index);
    if (code === 0x25) escaped = encoded = true;
    else if (code === 0) encoded = true;
    if (code !== 0x2f) continue;
    let word = path.slice(start, index);
    if (escaped) {
      const decoded = decodeSegment(word);
      if (decoded === undefined) return errors.badRequest(escapeProblem(word));
      word = decoded;
      escaped = false;
    }
    words.push(word);
    start = index + 1;
  }
  return { words, encoded };
}

function decodeSegment(word: string): string | undefined {
  try {
    return decodeURIComponent(word);
  } catch {
    return undefined;
  }
}

/**
 * Describes the first malformed escape. When every escape is well-formed, the bytes are not UTF-8 (overlong or
 * truncated).
 */
function escapeProblem(word: string): string {
  for (let at = word.indexOf('%'); at >= 0; at = word.indexOf('%', at + 1)) {
    if (!isHexDigit(word.charCodeAt(at + 1)) || !isHexDigit(word.charCodeAt(at + 2)))
      return `invalid URL escape ${goQuote(word.slice(at, at + 3))}`;
  }
  return `invalid URL escape ${goQuote(word)}: not UTF-8`;
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}
