import { ChangedRequest, type ApiRequest } from '../../server/index.js';
import { GROUPS_FIELD, KEY_FIELD } from './key-field.js';
import { ReplacedHeaders } from './replaced-headers.js';

/** Returns a request with a token in place of a session. */
export function withToken(request: ApiRequest, token: string): ApiRequest {
  // Without the halves of the session.
  const own = new Map([
    ['authorization', [`Bearer ${token}`]],
    ['cookie', []],
    [KEY_FIELD, []],
  ]);
  return new ChangedRequest(request, { headers: new ReplacedHeaders(request.headers, own) });
}

/** Returns a request with a field of its own for each group that the page names together. */
export function withGroups(request: ApiRequest): ApiRequest {
  const sent = request.headers.get(GROUPS_FIELD);
  if (sent === undefined) return request;
  const groups = sent.split(',').filter((name) => name !== '');
  const own = new Map([
    ['impersonate-group', groups.map(bytesOf)],
    [GROUPS_FIELD, []],
  ]);
  return new ChangedRequest(request, { headers: new ReplacedHeaders(request.headers, own) });
}

/** Returns the bytes of a percent-encoded text, each as one character, as header fields have them. */
const bytesOf = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Returns a request for another path without a body, with a token. */
export function readAs(request: ApiRequest, path: string, token: string): ApiRequest {
  const { peer, signal } = request;
  return {
    ...{ method: 'GET', path, query: '', peer, signal },
    headers: withToken(request, token).headers,
    body: () => Promise.resolve(new Uint8Array()),
  };
}
