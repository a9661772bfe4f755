/**
 * Faults by rule: what goes wrong between the code under test and the server, for requests over HTTP and of in-process
 * clients alike.
 *
 * @module
 */
import { checkOptions, definedOnly, matching, type Duration } from '../../foundation/index.js';
import {
  ConnectionLostError,
  type InterceptedAnswer,
  type InterceptedRequest,
  type RequestChange,
  type RequestInterceptor,
} from '../../server/index.js';
import { CrashSwitch, type LastWrite } from './crash-switch.js';
import { effectOf as effectOfSpec, failing, type FaultsCore } from './effects.js';
import { requestFilter, type FaultMatch } from './match.js';
import { ActiveRule, type Continue, type FaultEffect, type FaultRule } from './rule.js';
import { checkSpec, type DropMoment, type FaultSpec, type FaultStatus, type PartitionedWatches } from './spec.js';
import { WatchedStream } from './watched-stream.js';

/** How a request fails. */
export type Failure =
  | { readonly status: number | FaultStatus }
  /** An ApiError is the answer; any other error is answered with 500, as when the server itself fails. */
  | { readonly error: Error };

/** A partition. */
export interface Partition extends FaultRule {
  /** Ends the partition; the same as {@link FaultRule.remove}. */
  heal(): void;
}

/** A crash. */
export interface Crash extends FaultRule {
  /** Resolves when the server has crashed. */
  readonly crashed: Promise<void>;
  /**
   * Starts the server again on the same storage: writes that were acknowledged are there. Everything that only memory
   * held is gone.
   *
   * @throws Error when the server has not crashed
   */
  restart(): Promise<void>;
}

/** When a server crashes. */
export interface CrashOptions {
  /** Number of further writes that are acknowledged, of the server's own controllers too. Default: it crashes now. */
  readonly afterWrites?: number | undefined;
  /** The fate of the write during which it crashes, whose client gets no answer. Default `kept`. */
  readonly lastWrite?: LastWrite | undefined;
}

/**
 * The faults of a test server. Rules apply in the order in which they were made; the first that ends a request is the
 * last that sees it. A rule counts what it strikes, and can be removed.
 */
export interface Faults {
  /** Fails requests. */
  fail(match: FaultMatch, failure: Failure): FaultRule;
  /**
   * Delays requests on the test's clock. A delay beyond the request timeout fails the request with 504, and a write
   * still happens then.
   *
   * @param duration a string such as `2s`, or milliseconds
   */
  delay(match: FaultMatch, duration: Duration): FaultRule;
  /**
   * Drops the connection of requests instead of an answer: HTTP clients find their socket closed, and in-process clients
   * get a ConnectionLostError.
   *
   * @param when `before commit`: the server never handles the request; `after commit`: it does, and a write happens
   */
  dropConnection(match: FaultMatch, when: DropMoment): FaultRule;
  /**
   * Drops open watches now; with `after` or `times`, watches that are open then or later, after that many events.
   *
   * @param options.cleanly whether the watches end as after their timeout, instead of with a lost connection
   */
  dropWatches(match?: FaultMatch, options?: { readonly cleanly?: boolean | undefined }): FaultRule;
  /**
   * Compacts the history now. Open watches end with an ERROR event 410; watches and exact lists of older versions, and
   * their continue tokens, get 410.
   */
  expireHistory(match?: FaultMatch): FaultRule;
  /**
   * Answers gets and lists from a past state, as a stale cache does.
   *
   * @param versions number of the last writes that the answer does not show: writes to the object, or to the collection
   */
  staleReads(match: FaultMatch, versions: number): FaultRule;
  /**
   * Stops reading watches, as a client that is too slow. When the rule is removed, reading continues; a watch whose
   * events the server no longer has ends with 410.
   */
  slowConsumer(match: FaultMatch): FaultRule;
  /**
   * Separates a user from the server: requests fail with a lost connection.
   *
   * @param options.watches `cut` (default) ends the open watches; `silent` keeps them open without events until the
   *   partition heals, and ends them then
   */
  partition(
    user: string | readonly string[],
    options?: { readonly watches?: PartitionedWatches | undefined },
  ): Partition;
  /**
   * Lets another writer come first, once (or `times`): an update or patch of an existing object fails with 409, and the
   * object has a new version with the same content.
   */
  conflictOnce(match: FaultMatch): FaultRule;
  /**
   * Crashes the server, now or during a write. From then on every request loses its connection, watches are cut, and
   * nothing is written any more, until `restart()`.
   */
  crash(options?: CrashOptions): Crash;
  /** Makes a rule from plain JSON. @throws TypeError that names what is wrong with it */
  add(spec: FaultSpec): FaultRule;
  /** The rules in force, in their order. */
  readonly rules: readonly FaultRule[];
  /** Removes all rules. */
  clear(): void;
  /**
   * Checks that every rule has struck, also those that were removed.
   *
   * @throws Error with the rules that have not
   */
  assertAllUsed(): void;
}

/** The faults of a server, and the interceptor through which they work. */
export interface FaultParts {
  readonly faults: Faults;
  /** Lets go the requests that rules hold: the server ends, and waits for them. */
  readonly release: () => void;
  readonly interceptor: RequestInterceptor;
}

const anError = matching('an Error, such as an ApiError', (value) => value instanceof Error);

/** Creates the faults of a server. */
export function createFaults(core: FaultsCore): FaultParts {
  const engine = new FaultEngine(core);
  const faults: Faults = {
    fail: (match, failure) => {
      checkOptions('faults.fail', failure, { status: () => undefined, error: anError });
      if ('error' in failure) return engine.addError(match, failure.error);
      return engine.add('faults.fail', { fault: 'fail', match, status: failure.status });
    },
    delay: (match, duration) => engine.add('faults.delay', { fault: 'delay', match, duration }),
    dropConnection: (match, when) => engine.add('faults.dropConnection', { fault: 'dropConnection', match, when }),
    dropWatches: (match = {}, options = {}) =>
      engine.add('faults.dropWatches', { ...options, fault: 'dropWatches', match }),
    expireHistory: (match = {}) => engine.add('faults.expireHistory', { fault: 'expireHistory', match }),
    staleReads: (match, versions) => engine.add('faults.staleReads', { fault: 'staleReads', match, versions }),
    slowConsumer: (match) => engine.add('faults.slowConsumer', { fault: 'slowConsumer', match }),
    partition: (user, options = {}) => {
      const rule = engine.add('faults.partition', { ...options, fault: 'partition', user });
      return Object.assign(rule, { heal: () => rule.remove() });
    },
    conflictOnce: (match) => engine.add('faults.conflictOnce', { fault: 'conflictOnce', match }),
    crash: (options = {}) => engine.crash('faults.crash', { ...definedOnly(options), fault: 'crash' }),
    add: (spec) => engine.add('faults.add', spec),
    get rules() {
      return engine.rules;
    },
    clear: () => engine.clear(),
    assertAllUsed: () => engine.assertAllUsed(),
  };
  return { faults, interceptor: engine.interceptor, release: () => engine.release() };
}

/** Maximum number of removed rules that are remembered because they have not struck. */
const MAX_UNUSED = 1000;

class FaultEngine {
  readonly #core: FaultsCore;
  #rules: readonly ActiveRule[] = [];
  #count = 0;
  /** Rules that were removed before they struck. */
  readonly #unused: ActiveRule[] = [];
  readonly #streams = new Set<WatchedStream>();
  readonly #crashes = new CrashSwitch();
  /** Ends the requests in flight when the server crashes. */
  readonly #inFlight = new Set<() => void>();

  constructor(core: FaultsCore) {
    this.#core = core;
  }

  get rules(): readonly ActiveRule[] {
    return this.#rules;
  }

  readonly interceptor: RequestInterceptor = {
    request: async (request, proceed) => {
      await this.#unlessCrashed(() => this.#apply(0, request, proceed, {}));
    },
    storage: (inner) => this.#crashes.storage(inner),
    attach: () => this.release(),
    watch: (request, events) => this.#open(request, events),
  };

  add(subject: string, spec: FaultSpec): ActiveRule {
    checkSpec(subject, spec);
    const copy = structuredClone(spec);
    if (copy.fault === 'crash') return this.crash(subject, copy);
    return this.#start(subject, copy, () => effectOfSpec(copy, this.#core), codeOf(copy));
  }

  /** Adds a rule that crashes the server. */
  crash(subject: string, spec: Extract<FaultSpec, { fault: 'crash' }>): ActiveRule & Crash {
    checkSpec(subject, spec);
    const { afterWrites = 0, lastWrite = 'kept' } = spec;
    let learn = (): void => undefined;
    const crashed = new Promise<void>((resolve) => (learn = resolve));
    const down = (): void => {
      rule.strike();
      this.#core.server().halt();
      for (const end of this.#inFlight) end();
      for (const stream of this.#streams) stream.end({ kind: 'lost' });
      learn();
    };
    const plan = { afterWrites, lastWrite, crashed: down };
    const removed = (): void => this.#crashes.cancel(plan);
    const rule: ActiveRule = this.#start(subject, spec, () => ({ removed }), codeOf(spec));
    if (spec.afterWrites === undefined) this.#crashes.crash(plan);
    else this.#crashes.add(plan);
    const restart = async (): Promise<void> => {
      if (!this.#crashes.down)
        throw new Error('faults.crash: the server has not crashed yet: await `crashed` before restart()');
      await this.#core.restart();
    };
    return Object.assign(rule, { crashed, restart });
  }

  /** Runs a request unless the server has crashed, or crashes meanwhile. @throws ConnectionLostError then */
  async #unlessCrashed<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#crashes.down) throw new ConnectionLostError();
    return new Promise((resolve, reject) => {
      const end = (): void => reject(new ConnectionLostError());
      this.#inFlight.add(end);
      run()
        .then(resolve, reject)
        .finally(() => this.#inFlight.delete(end));
    });
  }

  /** Adds a rule that fails with an error, which JSON cannot express. */
  addError(match: FaultMatch, error: Error): ActiveRule {
    const subject = 'faults.fail';
    const spec: FaultSpec = { fault: 'fail', match: { ...match }, status: 500 };
    checkSpec(subject, spec);
    const code = `test.faults.fail(${codeText(match)}, { error: new ${error.name}(${JSON.stringify(error.message)}) })`;
    return this.#start(subject, spec, () => failing(() => error), code);
  }

  /** @param effectOf makes the effect, once the match is known to be valid */
  #start(subject: string, spec: FaultSpec, effectOf: () => FaultEffect, code: string): ActiveRule {
    const match = spec.fault === 'partition' ? { user: spec.user } : 'match' in spec ? (spec.match ?? {}) : {};
    const concerns = requestFilter(subject, match, this.#core.server().served());
    const rule = new ActiveRule({
      id: (this.#count += 1),
      spec,
      concerns,
      effect: effectOf(),
      code,
      onRemove: (removed) => this.#removed(removed),
    });
    this.#rules = [...this.#rules, rule];
    for (const stream of this.#streams) this.#opened(rule, stream, false);
    return rule;
  }

  clear(): void {
    for (const rule of this.#rules) rule.remove();
  }

  /** Lets go the requests that rules hold, because the server that handles them ends. */
  release(): void {
    for (const { effect } of this.#rules) effect.released?.();
  }

  assertAllUsed(): void {
    const unused = [...this.#unused, ...this.#rules].filter(({ hits }) => hits === 0);
    if (unused.length === 0) return;
    throw new Error(
      `${unused.length === 1 ? 'a fault rule has' : `${unused.length} fault rules have`} not struck:\n${unused.map((rule) => `  ${rule.toString()}`).join('\n')}\nNo matching request was made while the rule was in force. Check its match, or remove it.`,
    );
  }

  #removed(rule: ActiveRule): void {
    this.#rules = this.#rules.filter((other) => other !== rule);
    if (rule.hits === 0 && this.#unused.length < MAX_UNUSED) this.#unused.push(rule);
  }

  /** Applies the rules from an index on, in order, and then continues the request. */
  async #apply(
    from: number,
    request: InterceptedRequest,
    proceed: Continue,
    change: RequestChange,
    rules = this.#rules,
  ): Promise<InterceptedAnswer> {
    for (let at = from; at < rules.length; at += 1) {
      const rule = rules[at];
      const effect = rule?.effect.request;
      if (rule === undefined || effect === undefined || !rule.active) continue;
      const concerned = rule.concerns(request);
      if (!(concerned instanceof Promise ? await concerned : concerned)) continue;
      return effect(
        request,
        (changed) => this.#apply(at + 1, request, proceed, { ...change, ...changed }, rules),
        rule.strike,
      );
    }
    return proceed(change);
  }

  #open(request: InterceptedRequest, events: ConstructorParameters<typeof WatchedStream>[1]): WatchedStream {
    const stream = new WatchedStream(request, events, {
      delivered: (on) => this.#delivered(on),
      over: (ended) => void this.#streams.delete(ended),
    });
    this.#streams.add(stream);
    for (const rule of this.#rules) this.#opened(rule, stream, true);
    return stream;
  }

  #opened(rule: ActiveRule, stream: WatchedStream, isNew: boolean): void {
    if (rule.effect.opened !== undefined && rule.concerns(stream.request) === true)
      rule.effect.opened(stream, rule.strike, isNew);
  }

  #delivered(stream: WatchedStream): void {
    for (const rule of this.#rules)
      if (rule.effect.delivered !== undefined && rule.concerns(stream.request) === true)
        rule.effect.delivered(stream, rule.strike);
  }
}

/** Returns the code that makes a rule. */
export function codeOf(spec: FaultSpec): string {
  const match = codeText('match' in spec ? (spec.match ?? {}) : {});
  switch (spec.fault) {
    case 'fail':
      return `test.faults.fail(${match}, { status: ${codeText(spec.status)} })`;
    case 'delay':
      return `test.faults.delay(${match}, ${codeText(spec.duration)})`;
    case 'dropConnection':
      return `test.faults.dropConnection(${match}, ${codeText(spec.when)})`;
    case 'dropWatches':
      return `test.faults.dropWatches(${match}${spec.cleanly === true ? ', { cleanly: true }' : ''})`;
    case 'expireHistory':
      return `test.faults.expireHistory(${match})`;
    case 'staleReads':
      return `test.faults.staleReads(${match}, ${spec.versions})`;
    case 'slowConsumer':
      return `test.faults.slowConsumer(${match})`;
    case 'partition':
      return `test.faults.partition(${codeText(spec.user)}${spec.watches === undefined ? '' : `, { watches: '${spec.watches}' }`})`;
    case 'conflictOnce':
      return `test.faults.conflictOnce(${match})`;
    case 'crash': {
      const { fault: _fault, ...options } = spec;
      return `test.faults.crash(${Object.keys(options).length === 0 ? '' : codeText(options)})`;
    }
  }
}

/** Returns a JSON value as code, in one line. */
function codeText(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`;
  if (Array.isArray(value)) return `[${value.map(codeText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.length === 0
    ? '{}'
    : `{ ${members.map(([name, member]) => `${name}: ${codeText(member)}`).join(', ')} }`;
}
