import { connect, type Client } from '../../../entries/client-web.js';
import { groupSuffixes } from '../../../foundation/index.js';
import type { Session } from './session.js';

/** A failure, with the words of the server. */
export class ApiFailure extends Error {
  readonly code: number;
  /** How long the server asks to wait before another attempt, in milliseconds; 0 unless it does. */
  readonly retryAfterMs: number;

  constructor(code: number, message: string, retryAfterMs = 0) {
    super(message);
    this.name = 'ApiFailure';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns the code of a failure of the server; undefined for another one. */
export const codeOf = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined;

/** Returns what failed, in words. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether a request was ended by the page itself. */
export const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** Whether a request opens a stream: a watch, or something else that is followed. */
export const isStream = (url: string): boolean => /[?&]watch=(?:1|true)(?:&|$)|\/follow(?:\?|$)/.test(url);

/** The server behind the page, as the signed-in user. */
export class Api {
  /** The root of the server, with a trailing slash. */
  readonly root: URL;
  /** The end of the names of this server's groups, such as the domain of `authentication.<domain>`. */
  readonly suffix: string;
  readonly client: Client;
  readonly user: string;
  readonly #session: Session;
  readonly #fetch: Send;

  private constructor(parts: {
    root: URL;
    session: Session;
    fetch: Send;
    suffix: string;
    client: Client;
    user: string;
  }) {
    this.root = parts.root;
    this.#session = parts.session;
    this.#fetch = parts.fetch;
    this.suffix = parts.suffix;
    this.client = parts.client;
    this.user = parts.user;
  }

  /** Signs in. @throws ApiFailure when the server refuses the token, or knows nobody without one */
  static async open(root: URL, session: Session, fetcher: Send = fetch.bind(globalThis)): Promise<Api> {
    const groups = await json<{ groups: { name: string }[] }>(await request(fetcher, new URL('apis', root), session));
    const suffix = groups.groups
      .map(({ name }) => /^authentication\.(.+)$/.exec(name)?.[1])
      .find((found) => found !== undefined);
    if (suffix === undefined) throw new ApiFailure(404, 'The server has no group "authentication"');
    const client = await connect(
      {
        url: root,
        fetch: (to, init) => fetcher(to, withHeaders(init, session)),
      },
      { dialect: suffix === groupSuffixes.orch ? 'orch' : 'kubernetes', fieldManager: 'ui' },
    );
    const user = await whoAmI(fetcher, root, session, suffix);
    return new Api({ root, session, fetch: fetcher, suffix, client, user });
  }

  /** Sends a request. @param path below the root @throws ApiFailure for a failure */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    return request(this.#fetch, new URL(path, this.root), this.#session, init);
  }

  /** Sends JSON, and reads the JSON of the answer. @throws ApiFailure for a failure */
  async post<T>(path: string, body: object): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    return json<T>(await this.request(path, { method: 'POST', headers, body: JSON.stringify(body) }));
  }

  /** Reads JSON. @throws ApiFailure for a failure */
  async read<T>(path: string, accept = 'application/json', signal?: AbortSignal): Promise<T> {
    return json<T>(await this.request(path, { headers: { accept }, ...(signal === undefined ? {} : { signal }) }));
  }

  /** The media type of lists as tables. */
  get tableType(): string {
    return `application/json;as=Table;v=v1;g=meta.${this.suffix}`;
  }
}

const json = async <T>(response: Response): Promise<T> => (await response.json()) as T;

/** Sends a request of a browser. */
export type Send = typeof fetch;

const withHeaders = (init: RequestInit | undefined, session: Session): RequestInit => {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(session.headers)) headers.set(name, value);
  return { ...init, headers };
};

const request = (fetcher: Send, url: URL, session: Session, init: RequestInit = {}): Promise<Response> =>
  send(url, { ...withHeaders(init, session), fetcher });

/** Sends a request. @throws ApiFailure for a failure, with the words of the server */
export async function send(
  url: URL,
  { fetcher = fetch.bind(globalThis), ...init }: RequestInit & { readonly fetcher?: Send | undefined },
): Promise<Response> {
  const response = await fetcher(url, { ...init, redirect: 'error' });
  if (response.ok) return response;
  throw new ApiFailure(
    response.status,
    messageIn(await response.text()) || `${response.status} ${response.statusText}`,
    retryAfterOf(response),
  );
}

/** Returns how long a response asks to wait, in milliseconds: the server sends whole seconds. */
function retryAfterOf({ headers }: Response): number {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : 0;
}

/** Returns the message of a Status, or the text itself. */
function messageIn(text: string): string {
  try {
    const status: unknown = JSON.parse(text);
    if (typeof status === 'object' && status !== null && 'message' in status) return String(status.message);
  } catch {
    // Not from the server itself, but from a proxy.
  }
  return text.slice(0, 1000).trim();
}

/** Returns the name of the user, as the server sees it. */
async function whoAmI(fetcher: Send, root: URL, session: Session, suffix: string): Promise<string> {
  const group = `authentication.${suffix}`;
  const url = new URL(`apis/${group}/v1/selfsubjectreviews`, root);
  const body = JSON.stringify({ apiVersion: `${group}/v1`, kind: 'SelfSubjectReview' });
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  const review = await json<{ status?: { userInfo?: { username?: string } } }>(
    await request(fetcher, url, session, init),
  );
  return review.status?.userInfo?.username ?? '';
}
