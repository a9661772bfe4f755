import type { OutboundRequest } from './http-client.js';

/** A request whose parts can be sent, and what messages call it. */
export interface CheckedRequest {
  readonly url: URL;
  readonly method: string;
  /** `GET https://host/path`: neither the query nor anything else that may be secret. */
  readonly name: string;
}

/** Token (RFC 9110 section 5.6.2). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Field value (RFC 9110 section 5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Checks what a platform's client would complain about in words that show it: some name the very value of a bad header.
 *
 * @throws Error for a URL or a header that cannot be sent; its message shows no value of either
 */
export function checkRequest(request: OutboundRequest): CheckedRequest {
  const url = parseUrl(request.url);
  for (const [name, values] of Object.entries(request.headers ?? {})) {
    if (!FIELD_NAME.test(name)) throw new Error('a header name of a request must be a token in lower case');
    if (![values].flat().every((value) => FIELD_VALUE.test(value)))
      throw new Error(`the value of header "${name}" has characters that cannot be sent`);
  }
  const method = request.method ?? 'GET';
  return { url, method, name: `${method} ${url.origin}${url.pathname}` };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new Error('the URL of a request must begin with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw new Error(`the URL of a request to ${url.host} must not have a user name or password`);
  return url;
}

/** What is said of an answer that is longer than the request allows. */
export function tooLong({ name }: CheckedRequest, maxBytes: number): Error {
  return new Error(`${name}: the answer is longer than ${maxBytes} bytes`);
}

/** What is said of a request that has no answer. */
export function noAnswer({ name }: CheckedRequest, cause: unknown): Error {
  return new Error(`${name}: ${reasonOf(cause)}`, { cause });
}

/** The words of an error, or of what caused it where the error itself says nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  // Several addresses were tried, each with its own failure.
  if (error instanceof AggregateError && error.message === '')
    return [...new Set(error.errors.map(reasonOf))].join(', ');
  return error.message === '' ? error.name : error.message;
}
