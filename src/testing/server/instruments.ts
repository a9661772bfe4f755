/**
 * The instruments of a test server: its requests, its past, its decisions about access, and its faults.
 *
 * @module
 */
import { callerPlace } from './caller-place.js';
import type { ApiServer } from '../../apiserver/index.js';
import {
  aCount,
  checkOptions,
  definedOnly,
  type Clock,
  type OptionChecks,
  type UserInfo,
} from '../../foundation/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import type { AccessExplanation, AccessRecording, RecordingOptions } from '../../security/index.js';
import { importText } from '../../security/late.js';
import {
  isPageEndpoint,
  type ContinueRequest,
  type InterceptedServer,
  type RequestInterceptor,
} from '../../server/index.js';
import type { Revision, Storage } from '../../storage/index.js';
import { createFaults, type Faults } from '../faults/faults.js';
import { Journal } from '../past/journal.js';
import { pastMembers, type PastMembers } from '../past/past.js';
import type { LoggedRequest } from '../requests/logged-request.js';
import { recordedEvents, type EventMatch, type RecordedEvent } from '../requests/recorded-events.js';
import { checkSelection, RequestList, type RequestMatch } from '../requests/request-list.js';
import { RequestLog } from '../requests/request-log.js';
import type { StateSource } from '../saved-state/gather.js';
import { settingsOf } from '../saved-state/settings.js';
import type { TestCore } from './core.js';

/** Limits of what a test server remembers. */
export interface RecordedLimits {
  /** Maximum number of requests in the log, of clients and of the server's own controllers each. Default 1,000. */
  readonly requests?: number | undefined;
  /** Maximum number of writes that `history` and `diff` know. Default 10,000. */
  readonly versions?: number | undefined;
}

const limitChecks: OptionChecks<RecordedLimits> = { requests: aCount('requests', 1), versions: aCount('versions', 1) };

/** Checks the limits. @throws TypeError */
export function checkRecordedLimits(subject: string, limits: unknown): void {
  if (limits !== undefined) checkOptions(subject, limits, limitChecks);
}

/** A question about access: may a user do something? See `ApiServer.explain`. */
export interface AccessQuestion {
  readonly user: UserInfo | string;
  readonly verb: string;
  readonly resource: ResourceDefinition | string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  readonly group?: string | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** The members of a test server that observe it and let it fail. */
export interface InstrumentMembers extends PastMembers {
  /** Faults by rule. */
  readonly faults: Faults;
  /**
   * Returns the requests that the server has received from clients, oldest first: those that a match or a function
   * selects, or all. Requests that fail to authenticate are not among them.
   *
   * @param options.controllers whether to return the requests of the server's own controllers instead
   * @throws TypeError for an unknown member, verb or resource of the match
   */
  requests(
    select?: RequestMatch | ((request: LoggedRequest) => boolean),
    options?: { readonly controllers?: boolean | undefined },
  ): RequestList;
  /**
   * Returns the Events that were recorded since the test began, also those that have expired.
   *
   * @throws TypeError for an unknown member of the match
   */
  events(match?: EventMatch): RecordedEvent[];
  /**
   * Explains why a user may or may not do something; `String(explanation)` is the explanation as text.
   *
   * @throws TypeError as `ApiServer.explain` does
   */
  explain(question: AccessQuestion): Promise<AccessExplanation>;
  /**
   * Records the access of a user, or of all users, from now on. `record.role()` is the smallest role that allows it, and
   * the matcher `toFitRole` compares it with a role.
   */
  recordAccess(user?: UserInfo | string, options?: RecordingOptions): AccessRecording;
}

/** Observes one server and lets it fail. A fork has instruments of its own. */
export class Instruments {
  /** Lets go the requests that rules hold: the server ends, and waits for them. */
  readonly release: () => void;
  /** The interceptor of the server. */
  readonly interceptor: RequestInterceptor;
  readonly #limits: RecordedLimits;
  /** The informers and controllers of the code under test that run. */
  readonly #followers = new Set<{ readonly what: string }>();
  readonly #log: RequestLog;
  readonly #journal: Journal;
  readonly #faults: Faults;
  #attached: InterceptedServer | undefined;
  #restart: () => Promise<void> = () => Promise.reject(new Error('the server has not been made yet'));

  /** @param origin instruments of the server that this one was forked from: both have the same past */
  constructor(clock: Clock, limits: RecordedLimits = {}, origin?: Instruments) {
    this.#limits = limits;
    const {
      faults,
      release,
      interceptor: faulty,
    } = createFaults({
      clock,
      server: () => this.#server,
      restart: () => this.#restart(),
    });
    this.#faults = faults;
    this.release = release;
    this.#log = new RequestLog({ clock, max: limits.requests ?? 1000 });
    const journal = new Journal(clock, limits.versions ?? 10_000, origin === undefined ? undefined : origin.#journal);
    this.#journal = journal;
    const logging = this.#log.interceptor(faulty);
    this.interceptor = {
      ...faulty,
      opened: (what) => {
        const place = callerPlace(new Error(what).stack);
        const follower = { what: place === undefined ? what : `${what} (started at ${place})` };
        this.#followers.add(follower);
        return () => this.#followers.delete(follower);
      },
      // The page's own requests do not belong to the test, and no fault may keep them from removing it.
      request: (request, proceed) =>
        isPageEndpoint(request.path) ? unobserved(proceed) : logging.request(request, proceed),
      written: (request, record) => {
        logging.written?.(request, record);
        journal.author(record.modRevision, request);
      },
      attach: (attached) => {
        faulty.attach?.(attached);
        this.#attached = attached;
        journal.attach(attached.storage);
      },
    };
  }

  /** The informers and controllers of the code under test that run: names and places of start, without those that repeat. */
  get followers(): readonly string[] {
    return [...new Set([...this.#followers].map(({ what }) => what))];
  }

  /** Returns instruments for a fork of the server. */
  fork(clock: Clock): Instruments {
    return new Instruments(clock, this.#limits, this);
  }

  /** Removes all rules and forgets all requests, because the server has gone back to a former state. */
  reset(): void {
    this.#faults.clear();
    this.#log.clear();
  }

  /** Sets the function that starts the server again on the same storage. */
  restartsWith(restart: () => Promise<void>): void {
    this.#restart = restart;
  }

  /** Returns the current revision of the storage. */
  revision(): Promise<Revision> {
    return this.#server.storage.currentRevision();
  }

  /**
   * Returns the state of the server, to save it.
   *
   * @param storage a fork of its storage, for a server that closes; default the storage itself
   */
  state(storage: Storage | undefined, { clock, options, server }: TestCore): StateSource {
    const { served, storage: own } = this.#server;
    const log = this.#log;
    return {
      ...{ storage: storage ?? own, served, now: clock.now(), settings: settingsOf(options, server.dialect.name) },
      writes: () => this.#journal.entries,
      requests: () => log.byClients,
    };
  }

  /** Returns the members of a test server. */
  members(server: ApiServer): InstrumentMembers {
    const served = (): ReturnType<InterceptedServer['served']> => this.#server.served();
    const journal = this.#journal;
    return {
      ...pastMembers({ journal, served, clientAt: (at) => server.client({ at }) }),
      faults: this.#faults,
      requests: (select, options = {}) => {
        checkSelection(select);
        const requests = options.controllers === true ? this.#log.byServer : this.#log.byClients;
        return new RequestList(requests, served).where(select ?? (() => true));
      },
      events: (match) => recordedEvents(journal, served(), match),
      explain: async ({ user, verb, resource, ...options }) => {
        const explanation = await server.explain(user, verb, resource, definedOnly(options));
        const { explanationText } = await importText();
        return Object.defineProperty(explanation, 'toString', { value: () => explanationText(explanation) });
      },
      recordAccess: (user, options) => server.recordAccess(user, options),
    };
  }

  get #server(): InterceptedServer {
    if (this.#attached === undefined) throw new Error('the server has not been made yet');
    return this.#attached;
  }
}

/** Lets a request pass. */
async function unobserved(proceed: ContinueRequest): Promise<void> {
  await proceed();
}
