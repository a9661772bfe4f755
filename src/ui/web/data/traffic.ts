import type { RecordedBodies, RecordedRequest } from '../../answers.js';
import type { TrafficQuery } from './address.js';
import { ApiFailure, type Api } from './api.js';
import { isMap, listOf, textOf } from './guards.js';
import { linesOf } from './lines.js';

/** Values over time. */
export interface Series {
  /** Length of a step, in milliseconds. */
  readonly step: number;
  readonly names: readonly string[];
  /** For each step in which something happened its start, then the values in the order of the names. */
  readonly values: readonly (readonly number[])[];
}

const NUMBERS = ['number', 'time', 'ms', 'code', 'bytesIn', 'bytesOut'] as const;
const TEXTS = ['user', 'verb', 'method', 'path', 'query', 'userAgent', 'auditId', 'level'] as const;

const isRequest = (value: unknown): value is RecordedRequest =>
  isMap(value) &&
  NUMBERS.every((name) => typeof value[name] === 'number') &&
  TEXTS.every((name) => typeof value[name] === 'string');

/**
 * Reads the newest requests, then follows those that come until the signal aborts. The server ends a stream after some
 * time; another one goes on then.
 *
 * @throws ApiFailure
 */
export async function followRequests(
  api: Api,
  query: TrafficQuery,
  signal: AbortSignal,
  seen: (requests: readonly RecordedRequest[]) => void,
): Promise<never> {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  let newest = 0;
  for (;;) {
    const following = await api.request(`ui/v1/requests/follow?${search}`, { signal });
    if (following.body === null) throw new ApiFailure(503, 'the server has ended the stream of requests');
    const read = await api.read<unknown>(`ui/v1/requests?${search}`, 'application/json', signal);
    const list = isMap(read) && Array.isArray(read['requests']) ? read['requests'].filter(isRequest) : [];
    const last = list.at(-1)?.number ?? newest;
    // Another server, or one that was restarted, counts from 1.
    if (last < newest) newest = 0;
    seen(list.filter(({ number }) => number > newest));
    newest = last;
    for await (const line of linesOf(following.body)) {
      const request: unknown = JSON.parse(line);
      // A request between the two is in both.
      if (!isRequest(request) || request.number <= newest) continue;
      newest = request.number;
      seen([request]);
    }
  }
}

/** Reads the values of the last hour. @throws ApiFailure */
export const readSeries = (api: Api, signal: AbortSignal): Promise<Series> =>
  api.read<Series>('ui/v1/series', 'application/json', signal);

/** Reads the bodies of a request. @throws ApiFailure */
export async function readBodies(api: Api, number: number, signal: AbortSignal): Promise<RecordedBodies> {
  const sent = await api.read<unknown>(`ui/v1/requests/bodies?number=${number}`, 'application/json', signal);
  const { request, response, tooLong, lengths } = isMap(sent) ? sent : {};
  const [ofRequest, ofResponse] = listOf(lengths).map(Number);
  return {
    request: textOf(request),
    response: textOf(response),
    tooLong: tooLong === true,
    lengths: [ofRequest ?? 0, ofResponse ?? 0],
  };
}

/** Returns the text of a body for people: indented, unless only its beginning is known. */
export function bodyText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** Returns a request as a command of kubectl; undefined for a request that kubectl cannot send as it was. */
export function kubectlOf({ method, path, query }: RecordedRequest): string | undefined {
  const verb = KUBECTL_VERBS.get(method);
  // A value that is redacted cannot be sent again.
  if (verb === undefined || query.includes('REDACTED')) return undefined;
  return `kubectl ${verb} --raw ${quoted(query === '' ? path : `${path}?${query}`)}`;
}

/** Commands that send a request as it is. A body comes from the standard input. */
const KUBECTL_VERBS: ReadonlyMap<string, string> = new Map([
  ['GET', 'get'],
  ['POST', 'create -f -'],
  ['PUT', 'replace -f -'],
  ['DELETE', 'delete'],
]);

/** Returns a text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a request as a command of curl, with the token in a variable. */
export function curlOf({ method, path, query }: RecordedRequest, root: URL): string {
  const url = new URL(path.replace(/^\//, ''), root);
  url.search = query;
  return `curl ${method === 'GET' ? '' : `-X ${quoted(method)} `}-H "Authorization: Bearer $TOKEN" ${quoted(url.href)}`;
}

/** Returns a number of bytes in words. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}
