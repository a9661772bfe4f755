/**
 * Matchers about the requests of a test server, for `expect.extend` of vitest, jest and bun. They import no runner.
 *
 * ```
 * import { matchers } from 'orch-apiserver/testing';
 * expect.extend(matchers);
 * expect(test).toHaveApplied({ resource: 'configmaps', name: 'web' });
 * ```
 *
 * @module
 */
import { aFunction, isJsonObject, jsonText, shown, type JsonObject } from '../../foundation/index.js';
import { AccessRecording } from '../../security/index.js';
import { requestLine } from '../requests/logged-request.js';
import { eventLine, type EventMatch } from '../requests/recorded-events.js';
import { RequestList, type RequestMatch } from '../requests/request-list.js';
import type { InstrumentMembers } from '../server/instruments.js';
import { fitOf, fitText, rulesOf } from './fit-role.js';

/** The result that a matcher returns to its runner. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** The subject of matchers: a test server, or a selection of its requests. */
export type Requested = InstrumentMembers | RequestList;

/** How often something must have happened. Default at least once. */
export interface Occurrences {
  readonly times?: number | undefined;
}

/** Maximum number of requests and versions that a message names. */
const MAX_NAMED = 10;

function requestsOf(matcher: string, received: unknown): RequestList {
  if (received instanceof RequestList) return received;
  if (isTestServer(received)) return received.requests();
  throw new TypeError(
    `${matcher}: expect(...) must get a test server, or the requests of one, such as expect(test.requests()), got ${shown(received)}`,
  );
}

function isTestServer(value: unknown): value is InstrumentMembers {
  return (
    typeof value === 'object' &&
    value !== null &&
    'requests' in value &&
    aFunction(value.requests, '') === undefined &&
    'history' in value
  );
}

/** Returns a matcher about successful requests with a verb. @param done how the verb reads in a message */
const about =
  (matcher: string, done: string, verb: RequestMatch['verb'], onlySuccessful: boolean) =>
  (received: Requested, match: RequestMatch = {}, { times }: Occurrences = {}): MatcherResult => {
    if (verb !== undefined && match.verb !== undefined)
      throw new TypeError(`${matcher}: leave the verb out: the matcher is about requests that ${done}`);
    const all = requestsOf(matcher, received);
    const asked = all.where(verb === undefined ? match : { ...match, verb });
    const found =
      onlySuccessful && match.status === undefined
        ? asked.where(({ status }) => status !== undefined && status >= 200 && status < 300)
        : asked;
    const pass = times === undefined ? found.length > 0 : found.length === times;
    return { pass, message: () => messageOf({ matcher, done, match, times, found, asked, all, received, pass }) };
  };

interface MessageParts {
  readonly matcher: string;
  readonly done: string;
  readonly match: RequestMatch;
  readonly times: number | undefined;
  readonly found: RequestList;
  /** The requests that match, whatever their answers. */
  readonly asked: RequestList;
  readonly all: RequestList;
  readonly received: Requested;
  readonly pass: boolean;
}

function messageOf({ matcher, done, match, times, found, asked, all, received, pass }: MessageParts): string {
  const often = times === undefined ? '' : ` ${times} times`;
  const wanted = `${matcher}: expected ${pass ? 'no' : 'a'} request that ${done} ${matchText(match)}${often}`;
  const nearest = [found, asked, withoutDetails(all, match), all].find(({ length }) => length > 0);
  const shownRequests = nearest?.toArray().slice(-MAX_NAMED) ?? [];
  const title =
    found.length > 0
      ? `there were ${found.length}:`
      : asked.length > 0
        ? 'there were only requests with other answers:'
        : shownRequests.length > 0
          ? `there was none among ${all.length}; the nearest, newest last:`
          : 'the server received no request at all';
  return [
    wanted,
    title,
    ...shownRequests.map((request) => `  ${requestLine(request)}`),
    ...historyLines(received, match),
  ].join('\n');
}

/** Returns the requests for the same resource and name, whatever else they are. */
function withoutDetails(all: RequestList, { resource, name }: RequestMatch): RequestList {
  return all.where({ resource, name });
}

/** Returns the last versions of the object that a match names. */
function historyLines(received: Requested, { resource, name, namespace }: RequestMatch): string[] {
  if (received instanceof RequestList || typeof name !== 'string' || typeof resource !== 'string') return [];
  const request = received.requests({ resource, name }).last;
  const answer = request?.answer;
  const { kind, apiVersion } = isJsonObject(answer) ? typeOf(answer) : {};
  if (request === undefined || kind === undefined || apiVersion === undefined || kind === 'Status') return [];
  const place = typeof namespace === 'string' ? namespace : request.namespace;
  const history = received.history({ apiVersion, kind, metadata: { name, namespace: place } });
  if (history.length === 0) return [];
  const lines = history.toString().split('\n');
  return [`the last versions of ${kind} ${name}:`, ...lines.slice(-2 * MAX_NAMED).map((line) => `  ${line}`)];
}

function typeOf(object: JsonObject): { readonly kind?: string | undefined; readonly apiVersion?: string | undefined } {
  const { kind, apiVersion } = object as { readonly kind?: unknown; readonly apiVersion?: unknown };
  return typeof kind === 'string' && typeof apiVersion === 'string' ? { kind, apiVersion } : {};
}

function matchText(match: RequestMatch): string {
  const text = jsonText(match);
  return text === '{}' ? '' : text;
}

/**
 * The matchers. `expect(test)` looks at all requests of clients; `expect(test.requests().by('alice'))` at a selection.
 * Those about writes count requests that succeeded, unless the match has a `status`.
 */
export const matchers = {
  /** A request that matches, whatever its answer. */
  toHaveRequested: about('toHaveRequested', 'is', undefined, false),
  /** An object was created, by a create. */
  toHaveCreated: about('toHaveCreated', 'creates', 'create', true),
  /** An object was replaced. */
  toHaveUpdated: about('toHaveUpdated', 'updates', 'update', true),
  /** An object was patched, in any way, by a server-side apply too. */
  toHavePatched: about('toHavePatched', 'patches', 'patch', true),
  /** An object was applied (server-side apply). */
  toHaveApplied: about('toHaveApplied', 'applies', 'apply', true),
  /** An object was deleted, or marked for deletion. */
  toHaveDeleted: about('toHaveDeleted', 'deletes', 'delete', true),
  /** An Event was recorded. */
  toHaveRecordedEvent(received: InstrumentMembers, match: EventMatch = {}): MatcherResult {
    if (!isTestServer(received))
      throw new TypeError(`toHaveRecordedEvent: expect(...) must get a test server, got ${shown(received)}`);
    const found = received.events(match);
    const all = received.events();
    return {
      pass: found.length > 0,
      message: () =>
        [
          `toHaveRecordedEvent: expected ${found.length > 0 ? 'no' : 'an'} Event ${jsonText(match)}; recorded were ${all.length}:`,
          ...all.slice(-MAX_NAMED).map((event) => `  ${eventLine(event)}`),
        ].join('\n'),
    };
  },
  /**
   * A role allows exactly what a recording needed. The role is an object, a text in YAML, or the path of a file; await
   * the assertion.
   */
  async toFitRole(record: AccessRecording, role: unknown): Promise<MatcherResult> {
    if (!(record instanceof AccessRecording))
      throw new TypeError(
        `toFitRole: expect(...) must get a recording, which test.recordAccess() returns, got ${shown(record)}`,
      );
    const fit = fitOf(record, await rulesOf(role));
    const pass = fit.missing.length === 0 && fit.superfluous.length === 0;
    return {
      pass,
      message: () => (pass ? 'toFitRole: expected the role not to fit, but it does' : `toFitRole: ${fitText(fit)}`),
    };
  },
} as const;

/**
 * The matchers as assertions, for the types of a runner:
 *
 * ```
 * declare module 'vitest' {
 *   interface Matchers<T> extends ApiMatchers<T> {}
 * }
 * ```
 */
export interface ApiMatchers<Result = unknown> {
  toHaveRequested(match?: RequestMatch, occurrences?: Occurrences): Result;
  toHaveCreated(match?: RequestMatch, occurrences?: Occurrences): Result;
  toHaveUpdated(match?: RequestMatch, occurrences?: Occurrences): Result;
  toHavePatched(match?: RequestMatch, occurrences?: Occurrences): Result;
  toHaveApplied(match?: RequestMatch, occurrences?: Occurrences): Result;
  toHaveDeleted(match?: RequestMatch, occurrences?: Occurrences): Result;
  toHaveRecordedEvent(match?: EventMatch): Result;
  toFitRole(role: unknown): Promise<void>;
}
