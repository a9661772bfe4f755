import type { OutboundRequest } from './http-client.js';

/** A valid request, with its name in messages. */
export interface CheckedRequest {
  readonly url: URL;
  readonly method: string;
  /** `GET https://host/path`, without the query and other parts that may be secret. */
  readonly name: string;
}

/** Token (RFC 9110 section 5.6.2). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Field value (RFC 9110 section 5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Checks a request before the platform's client does, whose messages may contain the value of an invalid header.
 *
 * @throws Error when the URL or a header is invalid; the message contains no value of either
 */
export function checkRequest(request: Pick<OutboundRequest, 'url' | 'method' | 'headers'>): CheckedRequest {
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
    throw new Error('the URL of a request must start with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw new Error('the URL of a request must not have a user name or password');
  return url;
}

/** Returns the error for a response that exceeds the limit. */
export function answerTooLong({ name }: CheckedRequest, maxBytes: number): Error {
  return new Error(`${name}: the answer is longer than ${maxBytes} bytes`);
}

/** Returns the error for a request without a response. */
export function noAnswer({ name }: CheckedRequest, cause: unknown): Error {
  return new Error(`${name}: ${reasonOf(cause)}`, { cause });
}

/** Returns the message of an error, or of its cause when the error has none. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  // Node tries several addresses and collects the error of each.
  if (error instanceof AggregateError && error.message === '')
    return [...new Set(error.errors.map(reasonOf))].join(', ');
  return error.message === '' ? error.name : error.message;
}
