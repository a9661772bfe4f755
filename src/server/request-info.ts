/**
 * What a request asks for, read from its method and path alone: the first thing that the server does with a request, and
 * what authorization, limits, audit and routing all go by.
 *
 * The path is taken apart at its raw slashes and every segment is percent-decoded once, on its own. So an encoded slash
 * can never move a word into another place, and the words that are authorized are the words that are routed.
 *
 * @module
 */
import { ApiError, errors } from '../meta/api-error.js';
import { goQuote } from '../meta/go-text.js';

/** What a request asks for. Strings are empty where the path has no such part. */
export interface RequestInfo {
  /** The path names a resource (`/api/v1/…`, `/apis/{group}/{version}/…`); all else is a non-resource request. */
  readonly isResource: boolean;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection` or `proxy` for resources; empty for
   * a method that resources do not know. The method in lower case for non-resource requests.
   */
  readonly verb: string;
  /** The verb stands in the path (the deprecated `…/v1/watch/…`): the path alone names the object of the request, never a selector. */
  readonly verbViaPathPrefix: boolean;
  /** The path, decoded, as authorizers and audit see it: with a slash at its end where it was sent with one. */
  readonly path: string;
  /** `api` or `apis`. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  /** Also the name of the namespace itself for requests on one namespace. */
  readonly namespace: string;
  /** The path puts the resource into a namespace: `…/namespaces/{namespace}/{resource}`. */
  readonly underNamespace: boolean;
  readonly resource: string;
  readonly subresource: string;
  /** Writable, because a list or watch that selects `metadata.name` is authorized for that name: its caller sets it. */
  name: string;
  /** The resource and what follows it: `[resource, name, subresource, …]`. More than three name nothing that is served. */
  readonly parts: readonly string[];
}

/**
 * Where the query comes from: as sent, parsed, or parsed on demand. Only a GET of a resource looks at it, and only for
 * `watch`; the string is the cheapest, because it need not be parsed when the word does not occur in it.
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

/** Words that stand where a namespaced resource would and are subresources of the namespace instead. */
const isNamespaceSubresource = (word: string): boolean => word === 'status' || word === 'finalize';

const NO_PARTS: readonly string[] = Object.freeze([]);

/**
 * Reads what a request asks for, as the production system's RequestInfoFactory does, with two differences that the
 * contract asks for: `watch` on the path of one object is a watch of that object, and a path that is not plain is refused.
 *
 * One slash at the end of a resource's path says nothing, as in Kubernetes: `DELETE …/configmaps/` deletes the collection,
 * and is authorized as that.
 *
 * Refused are: a broken percent-encoding or one that is not UTF-8; an encoded slash, percent sign or NUL; `.` and `..`
 * and empty segments within the path of a resource.
 *
 * @param method in upper case
 * @param path as sent, without the query
 * @returns the request, or the error to answer with: 400 BadRequest, or 404 NotFound where the path has a hole
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

/** A word that would read as another path once the words are joined. */
const isAmbiguous = (word: string): boolean => word.includes('/') || word.includes('\0');

/** Number of segments without the empty one that a slash at the end leaves: `/api/v1/` lists the resources of a version. */
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
    // Of any method, as in Kubernetes: the router refuses those that are not a GET, once their user has been found to be allowed.
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

/** `watch` is on unless it is absent, `false` or `0`; the first value counts. */
function wantsWatch(query: QuerySource): boolean {
  let parameters: URLSearchParams;
  if (typeof query === 'string') {
    // An encoded letter could hide the word.
    if (!query.includes('watch') && !query.includes('%')) return false;
    parameters = new URLSearchParams(query);
  } else {
    parameters = typeof query === 'function' ? query() : query;
  }
  const value = parameters.get('watch');
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** Refuses words that cannot be a segment: bad names are said to be that, and anything else is nothing that is served. */
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

/** What is wrong with a decoded segment, in the production system's words for names in paths; empty when nothing is. */
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
  /** Decoded words between the slashes, without the empty one before the first slash. */
  readonly words: string[];
  /** A percent sign or NUL occurred: the decoded path is not the path as sent, and the words need a closer look. */
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

/** Names the first escape that is none; when all are, their bytes are not UTF-8 (an overlong form, half a character). */
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
