import {
  checkOptions,
  either,
  isJsonObject,
  listOf,
  matching,
  shown,
  type JsonValue,
  type OptionChecks,
} from '../../foundation/index.js';
import type { ServedResource } from '../../registry/index.js';
import { factsFilter, matchChecks, wildcards, type FaultMatch, type MatchedFacts } from '../faults/match.js';
import { requestLine, type LoggedRequest } from './logged-request.js';

/** Selects requests of a log. Absent members select everything; see {@link FaultMatch} for the others. */
export interface RequestMatch extends Omit<FaultMatch, 'after' | 'times' | 'controllers'> {
  /** Status codes of the answer; 0 for a lost connection. */
  readonly status?: number | readonly number[] | undefined;
  /** Part of the body: objects match when they contain these members, lists and other values when they are equal. */
  readonly body?: JsonValue | undefined;
}

const aCode = matching('a status code, or 0 for a lost connection', (value) => Number.isInteger(value));
const { after: _after, times: _times, controllers: _controllers, ...factChecks } = matchChecks;
const checks: OptionChecks<RequestMatch> = {
  ...factChecks,
  status: either(listOf(aCode), aCode),
  body: () => undefined,
};

/** Requests of a log, oldest first. Every method returns a new list. */
export class RequestList implements Iterable<LoggedRequest> {
  readonly #requests: readonly LoggedRequest[];
  readonly #served: () => readonly ServedResource[];

  constructor(requests: readonly LoggedRequest[], served: () => readonly ServedResource[]) {
    this.#requests = requests;
    this.#served = served;
  }

  get length(): number {
    return this.#requests.length;
  }

  [Symbol.iterator](): Iterator<LoggedRequest> {
    return this.#requests[Symbol.iterator]();
  }

  /** Returns the request at an index; a negative one counts from the end. */
  at(index: number): LoggedRequest | undefined {
    return this.#requests.at(index);
  }

  /** The newest request. */
  get last(): LoggedRequest | undefined {
    return this.#requests.at(-1);
  }

  /** Returns the requests as an array. */
  toArray(): LoggedRequest[] {
    return [...this.#requests];
  }

  /** Returns the results of a function for each request. */
  map<Result>(convert: (request: LoggedRequest) => Result): Result[] {
    return this.#requests.map((request) => convert(request));
  }

  /**
   * Returns the requests that a match or a function selects.
   *
   * @throws TypeError for an unknown member, verb or resource
   */
  where(select: RequestMatch | ((request: LoggedRequest) => boolean)): RequestList {
    const selects = typeof select === 'function' ? select : this.#filter(select);
    return this.#list(this.#requests.filter((request) => selects(request)));
  }

  /** The requests of a user; a `*` stands for any characters. */
  by(user: string | readonly string[]): RequestList {
    return this.where({ user });
  }

  /** The requests for a resource: `pods`, `deployments.apps`, `pods/status`. */
  to(resource: string | readonly string[]): RequestList {
    return this.where({ resource });
  }

  /** The requests that change objects. */
  get writes(): RequestList {
    return this.where({ verb: 'write' });
  }

  /** The gets, lists and watches. */
  get reads(): RequestList {
    return this.where({ verb: 'read' });
  }

  /** The requests that were answered with an error, or lost their connection. */
  get failed(): RequestList {
    return this.where(({ status }) => status === 0 || (status !== undefined && status >= 400));
  }

  /** The requests after another one. */
  since(request: LoggedRequest): RequestList {
    return this.where(({ number }) => number > request.number);
  }

  /** The requests, a line for each. */
  toString(): string {
    return this.#requests.map(requestLine).join('\n');
  }

  #list(requests: readonly LoggedRequest[]): RequestList {
    return new RequestList(requests, this.#served);
  }

  #filter(match: RequestMatch): (request: LoggedRequest) => boolean {
    checkOptions('requests', match, checks);
    const { status, body, name, ...rest } = match;
    const concerns = factsFilter('requests', { ...rest, controllers: true }, this.#served());
    const named = name === undefined ? undefined : wildcards(name);
    const codes = status === undefined ? undefined : typeof status === 'number' ? [status] : status;
    return (request) =>
      concerns(factsOf(request)) &&
      (named === undefined || named(request.name)) &&
      (codes === undefined || (request.status !== undefined && codes.includes(request.status))) &&
      (body === undefined || contains(request.body, body));
  }
}

const factsOf = (request: LoggedRequest): MatchedFacts => ({
  via: request.via === 'server' ? 'controllers' : request.via,
  verb: request.verb,
  isResource: request.resource !== '',
  group: request.group,
  resource: request.resource,
  subresource: request.subresource,
  namespace: request.namespace,
  user: { username: request.user, groups: request.groups },
  path: request.path,
  contentType: request.contentType,
});

/** Returns whether a value contains another: objects at least its members, lists and other values exactly. */
export function contains(value: JsonValue | undefined, part: JsonValue): boolean {
  if (isJsonObject(part))
    return (
      isJsonObject(value) &&
      Object.entries(part).every(([key, member]) =>
        member === undefined ? value[key] === undefined : contains(value[key], member),
      )
    );
  if (isList(part))
    return isList(value) && value.length === part.length && part.every((item, at) => contains(value[at], item));
  return Object.is(value, part);
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** Checks the argument of `test.requests`. @throws TypeError */
export function checkSelection(value: unknown): void {
  if (value === undefined || typeof value === 'function' || isJsonObject(value)) return;
  throw new TypeError(
    `requests: the argument must be a match, such as { verb: 'create', resource: 'pods' }, or a function, got ${shown(value)}`,
  );
}
