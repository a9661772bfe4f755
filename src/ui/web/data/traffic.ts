import type { RecordedBodies, RecordedRequest } from '../../answers.js';
import type { TrafficQuery } from './address.js';
import type { Api } from './api.js';
import { isMap, listOf, textOf } from './guards.js';
import { jsonLinesOf } from './lines.js';

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

/** Which requests are wanted. */
type RequestFilter = Pick<TrafficQuery, 'verb' | 'user' | 'code' | 'path'>;

/** The requests of a server that pass a filter, over several streams: the server ends each after some time. */
export class FollowedRequests {
  readonly #api: Api;
  readonly #search: URLSearchParams;
  readonly #seen: (requests: readonly RecordedRequest[], isNew: boolean) => void;
  /** The number of the newest that has been told; undefined before the first stream. */
  #newest: number | undefined;

  /**
   * @param seen called with requests that have not been told before; the second argument says whether those of before are
   *   of another server, such as one that was started again
   */
  constructor(
    api: Api,
    { verb, user, code, path }: RequestFilter,
    seen: (requests: readonly RecordedRequest[], isNew: boolean) => void,
  ) {
    this.#api = api;
    this.#search = new URLSearchParams(Object.entries({ verb, user, code, path }).filter(([, value]) => value !== ''));
    this.#seen = seen;
  }

  /**
   * Reads the newest requests, then follows those that come until the server ends the stream.
   *
   * @param works called once the server has answered
   * @throws ApiFailure
   */
  async follow(signal: AbortSignal, works: () => void): Promise<'ended'> {
    const following = await this.#api.request(`ui/v1/requests/follow?${this.#search}`, { signal });
    const read = await this.#api.read<unknown>(`ui/v1/requests?${this.#search}`, 'application/json', signal);
    works();
    const list = isMap(read) ? listOf(read['requests']).filter(isRequest) : [];
    const last = list.at(-1)?.number ?? this.#newest ?? 0;
    // Another server counts from 1.
    const isNew = this.#newest === undefined || last < this.#newest;
    const known = isNew ? 0 : (this.#newest ?? 0);
    this.#newest = last;
    this.#seen(
      list.filter(({ number }) => number > known),
      isNew,
    );
    for await (const request of jsonLinesOf(following)) {
      // A request between the two is in both.
      if (!isRequest(request) || request.number <= this.#newest) continue;
      this.#newest = request.number;
      this.#seen([request], false);
    }
    return 'ended';
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
