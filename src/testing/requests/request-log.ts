import { ApiError, isJsonObject, type Clock, type JsonValue } from '../../foundation/index.js';
import {
  ConnectionLostError,
  type InterceptedAnswer,
  type InterceptedRequest,
  type RequestInterceptor,
} from '../../server/index.js';
import { nameIn } from '../faults/match.js';
import type { LoggedRequest } from './logged-request.js';

/** Options of a log. */
export interface RequestLogOptions {
  readonly clock: Clock;
  /** Maximum number of requests kept, the newest ones; of clients, and of the server's own controllers. */
  readonly max: number;
}

/** Number of the newest requests whose answers are kept even if they are lists, which can be large. */
const MAX_LISTS = 100;

/** A request in the log, while it is answered. */
class Entry implements LoggedRequest {
  readonly number: number;
  readonly time: number;
  readonly #request: InterceptedRequest;
  #answer: (() => JsonValue | undefined) | undefined;
  readonly written: number[] = [];
  body: JsonValue | undefined;
  status: number | undefined;
  duration: number | undefined;

  constructor(number: number, time: number, request: InterceptedRequest) {
    this.number = number;
    this.time = time;
    this.#request = request;
  }

  get via(): LoggedRequest['via'] {
    return this.#request.via;
  }

  get user(): string {
    return this.#request.user.username;
  }

  get groups(): readonly string[] {
    return this.#request.user.groups;
  }

  get userAgent(): string {
    return this.#request.userAgent;
  }

  get verb(): string {
    return this.#request.verb;
  }

  get apply(): boolean {
    return this.#request.verb === 'patch' && this.#request.contentType.includes('apply-patch+');
  }

  get group(): string {
    return this.#request.group;
  }

  get version(): string {
    return this.#request.version;
  }

  get resource(): string {
    return this.#request.resource;
  }

  get subresource(): string {
    return this.#request.subresource;
  }

  get namespace(): string {
    return this.#request.namespace;
  }

  get name(): string {
    const { name, verb } = this.#request;
    if (name !== '' || verb !== 'create') return name;
    return nameIn(this.body) || (this.status !== undefined && this.status < 300 ? nameIn(this.answer) : '');
  }

  get path(): string {
    return this.#request.path;
  }

  get query(): Readonly<Record<string, string>> {
    const query: Record<string, string> = {};
    new URLSearchParams(this.#request.query).forEach((value, name) => (query[name] ??= value));
    return query;
  }

  get contentType(): string {
    return this.#request.contentType;
  }

  get answer(): JsonValue | undefined {
    if (this.#answer === undefined) return undefined;
    const answer = this.#answer();
    this.#answer = () => answer;
    return answer;
  }

  /** Drops the answer, whatever it was or will be. */
  forgetAnswer(): void {
    this.#answer = () => undefined;
  }

  /** The members, for assertions that compare or print a request. */
  toJSON(): Record<string, unknown> {
    const { number, time, via, user, groups, userAgent, verb, apply, group, version, resource, subresource } = this;
    const { namespace, name, path, query, contentType, body, status, answer, duration, written } = this;
    return {
      ...{ number, time, via, user, groups, userAgent, verb, apply, group, version, resource, subresource },
      ...{ namespace, name, path, query, contentType, body, status, answer, duration, written },
    };
  }

  answered({ code, body }: InterceptedAnswer): void {
    this.status = code;
    this.#answer = body;
  }

  failed(error: unknown): void {
    if (error instanceof ApiError) {
      this.status = error.code;
      this.#answer = () => (isJsonObject(error.status) ? error.status : undefined);
    } else this.status = error instanceof ConnectionLostError ? 0 : 500;
  }
}

/** The newest requests of a server. */
export class RequestLog {
  readonly #clock: Clock;
  readonly #max: number;
  #byClients: Entry[] = [];
  #byServer: Entry[] = [];
  readonly #entries = new WeakMap<InterceptedRequest, Entry>();
  #count = 0;

  constructor({ clock, max }: RequestLogOptions) {
    this.#clock = clock;
    this.#max = max;
  }

  /** The requests of clients, oldest first. */
  get byClients(): readonly LoggedRequest[] {
    return this.#byClients;
  }

  /** The requests of the server's own controllers, and the steps of other requests, oldest first. */
  get byServer(): readonly LoggedRequest[] {
    return this.#byServer;
  }

  /** Forgets all requests. */
  clear(): void {
    this.#byClients = [];
    this.#byServer = [];
  }

  /** Records the requests of a server around another interceptor, whose effects it sees. */
  interceptor(inner: RequestInterceptor): Required<Pick<RequestInterceptor, 'request' | 'written'>> {
    return {
      request: (request, proceed) =>
        this.#record(request, () =>
          inner.request(request, async (change) => {
            const answer = await proceed(change);
            this.#entries.get(request)?.answered(answer);
            return answer;
          }),
        ),
      written: (request, record) => void this.#entries.get(request)?.written.push(record.modRevision),
    };
  }

  async #record(request: InterceptedRequest, run: () => Promise<void>): Promise<void> {
    const entry = this.#add(request);
    const startMs = entry.time;
    try {
      await run();
    } catch (error) {
      entry.failed(error);
      throw error;
    } finally {
      entry.duration = this.#clock.now() - startMs;
      entry.body = await request.body().catch(() => undefined);
    }
  }

  #add(request: InterceptedRequest): Entry {
    const entry = new Entry((this.#count += 1), this.#clock.now(), request);
    this.#entries.set(request, entry);
    const byServer = request.via === 'controllers' || request.via === 'server';
    const entries = byServer ? this.#byServer : this.#byClients;
    entries.push(entry);
    const older = entries.at(-MAX_LISTS - 1);
    if (older?.verb === 'list') older.forgetAnswer();
    // Half as many again, so that not every request moves all others.
    if (entries.length > this.#max * 1.5) entries.splice(0, entries.length - this.#max);
    return entry;
  }
}
