/**
 * Responses that are failures, in the words of Kubernetes's client.
 *
 * @module
 */
import { decodeUtf8Lossy } from '../encoding/utf8.js';
import { goQuote } from '../go/go-text.js';
import { isJsonObject, parsedJson } from '../json/json.js';
import { stringOrEmpty } from '../json/string-or-empty.js';
import type { OutboundResponse } from './http-client.js';

/** Maximum length of a response in a message, in bytes, as in Kubernetes. */
const MAX_QUOTED_BYTES = 2048;

const PLAIN_TEXTS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Statuses whose message is the response itself. */
const QUOTED: ReadonlySet<number> = new Set([403, 406, 415]);

/**
 * Describes a response that is a failure, as the client of Kubernetes does: the message of a Status, or else a text for
 * its code.
 *
 * @returns undefined for a success (200 to 206)
 */
export function serverErrorText(response: OutboundResponse): string | undefined {
  const { status, body } = response;
  if (status >= 200 && status <= 206) return undefined;
  const answer = parsedJson(decodeUtf8Lossy(body));
  if (isJsonObject(answer) && answer['kind'] === 'Status' && answer['status'] === 'Failure') {
    const { message } = answer;
    return stringOrEmpty(message);
  }
  const plain = PLAIN_TEXTS[status];
  if (plain !== undefined) return plain;
  const quoted = quotedBody(response);
  if (QUOTED.has(status))
    return status === 406 && (quoted === '' || quoted === 'unknown')
      ? 'the server was unable to respond with a content type that the client supports'
      : quoted;
  return status >= 500
    ? `an error on the server (${goQuote(quoted)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

/** Returns the text of a response for a message; `unknown` when it is not text. */
function quotedBody({ header, body }: OutboundResponse): string {
  const contentType = header('content-type') ?? '';
  const isText = contentType === '' || contentType.trim().toLowerCase().startsWith('text/');
  return isText ? decodeUtf8Lossy(body.subarray(0, MAX_QUOTED_BYTES)).trim() : 'unknown';
}
