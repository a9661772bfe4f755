/**
 * Access of web pages of other origins (CORS): which pages may read the responses of the server.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol; release 1.31, `pkg/server/filters/cors.go` of the module apiserver
 * @module
 */
import type { ApiRequest, ApiResponse, Handler } from './http.js';

/** Web pages of other origins that may use the server. */
export interface CorsOptions {
  /**
   * Their origins, such as `https://app.example`; a `*` in a host or port stands for any text: `https://*.app.example`,
   * `http://localhost:*`. An origin `*` allows all pages, but none of them may send cookies or client certificates.
   */
  readonly origins: readonly string[];
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
/** Fields of responses that pages may read, besides the usual ones. */
const EXPOSED = 'Audit-Id, Date, Retry-After, Warning';
/** Time for which a browser may keep the answer to a preflight, in seconds. */
const MAX_AGE_SECONDS = '600';
const NO_CONTENT = 204;

/** The origin of a web page, with wildcards in its host and port. */
const ORIGIN = /^https?:\/\/(?:[-a-z0-9.*_]+|\[[0-9a-f:.]+\])(?::(?:[0-9]{1,5}|\*))?$/i;

/** Returns whether a text is an origin that {@link CorsOptions} may have. */
export const isOriginPattern = (text: unknown): boolean =>
  typeof text === 'string' && (text === '*' || ORIGIN.test(text));

/** Returns a handler that lets web pages of other origins read the responses of another handler. */
export function withCors(handle: Handler, { origins }: CorsOptions): Handler {
  const isForAll = origins.includes('*');
  const isAllowed = matcherOf(origins);
  const fieldsFor = (origin: string): Record<string, string> =>
    isForAll
      ? { 'access-control-allow-origin': '*' }
      : { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
  return async (request) => {
    const origin = request.headers.get('origin');
    if (origin === undefined || !isAllowed(origin)) return isForAll ? handle(request) : varying(await handle(request));
    const fields = fieldsFor(origin);
    if (isPreflight(request))
      return varying({ status: NO_CONTENT, headers: { ...fields, ...preflightFields(request) }, body: undefined });
    const response = await handle(request);
    const headers = { ...response.headers, ...fields, 'access-control-expose-headers': EXPOSED };
    return isForAll ? { ...response, headers } : varying({ ...response, headers });
  };
}

const isPreflight = ({ method, headers }: ApiRequest): boolean =>
  method === 'OPTIONS' && headers.get('access-control-request-method') !== undefined;

/** Field names (RFC 9110 section 5.1), separated by commas. */
const FIELD_NAMES = /^[-!#$%&'*+.^_`|~0-9a-z]+(?:, *[-!#$%&'*+.^_`|~0-9a-z]+)*$/i;

/** Returns the fields of the answer to a preflight. A page that may use the server may send any fields. */
function preflightFields({ headers }: ApiRequest): Record<string, string> {
  const asked = headers.get('access-control-request-headers') ?? '';
  return {
    'access-control-allow-methods': METHODS,
    ...(FIELD_NAMES.test(asked) ? { 'access-control-allow-headers': asked } : {}),
    'access-control-max-age': MAX_AGE_SECONDS,
  };
}

/** Says that a response depends on the origin of the page, so that no cache gives it to another. */
function varying(response: ApiResponse): ApiResponse {
  const { vary } = response.headers;
  const fields = [vary ?? []].flat().join(', ');
  return { ...response, headers: { ...response.headers, vary: fields === '' ? 'Origin' : `${fields}, Origin` } };
}

function matcherOf(origins: readonly string[]): (origin: string) => boolean {
  const exact = new Set(origins.map((origin) => origin.toLowerCase()));
  if (exact.has('*')) return () => true;
  const patterns = origins.filter((origin) => origin.includes('*')).map(patternOf);
  return (origin) => {
    const lower = origin.toLowerCase();
    return exact.has(lower) || patterns.some((pattern) => pattern.test(lower));
  };
}

/** Returns the pattern of an origin with wildcards, which stand for text without a slash. */
const patternOf = (origin: string): RegExp =>
  new RegExp(
    `^${origin
      .toLowerCase()
      .split('*')
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
      .join('[^/]*')}$`,
  );
