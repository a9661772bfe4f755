/**
 * The health endpoints `/healthz`, `/livez` and `/readyz` (contract, section "Health endpoints").
 *
 * @module
 */
import { delay, type Clock } from '../meta/clock.js';
import { messageOf } from '../meta/error-message.js';
import { goQuote } from '../meta/go-text.js';
import type { ApiResponse } from './http.js';

/** The endpoints by the name that stands in their answers. */
export const healthEndpoints = ['healthz', 'livez', 'readyz'] as const;

/** Name of a health endpoint. */
export type HealthEndpoint = (typeof healthEndpoints)[number];

/** One thing that must work. */
export interface HealthCheck {
  /** As it stands in verbose answers and after the endpoint's path, e.g. `ping` or `poststarthook/rbac`. */
  readonly name: string;
  /**
   * Returns when all is well.
   *
   * @throws Error whose message says what is wrong; users see it
   */
  check(signal: AbortSignal): Promise<void> | void;
}

/** How the checks are run. */
export interface HealthOptions {
  readonly clock: Clock;
  /** Time after which a check that has not answered has failed, in milliseconds. Default 2000. */
  readonly timeoutMs?: number;
  /** Time from now during which the checks of `/livez` added with {@link HealthChecks.add} pass unasked, in milliseconds; the flag `--livez-grace-period`. Default 0. */
  readonly livezGracePeriodMs?: number;
}

interface Outcome {
  readonly name: string;
  readonly state: 'ok' | 'excluded' | 'failed';
  readonly reason: string;
}

const HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

function text(status: number, body: string): ApiResponse {
  return { status, headers: HEADERS, body };
}

/** The checks of a server and the answers that they come to. */
export class HealthChecks {
  readonly #options: HealthOptions;
  readonly #checks: Record<HealthEndpoint, HealthCheck[]>;
  readonly #graceEndsAt: number;
  #shuttingDown = false;

  /** Starts with `ping` and `log` on every endpoint, and `shutdown` on `/readyz`. */
  constructor(options: HealthOptions) {
    this.#options = options;
    this.#graceEndsAt = options.clock.now() + (options.livezGracePeriodMs ?? 0);
    const always = (name: string): HealthCheck => ({ name, check: () => undefined });
    const shutdown: HealthCheck = {
      name: 'shutdown',
      check: () => {
        if (this.#shuttingDown) throw new Error('process is shutting down');
      },
    };
    const common = [always('ping'), always('log')];
    this.#checks = { healthz: [...common], livez: [...common], readyz: [...common, shutdown] };
  }

  /**
   * Adds a check.
   *
   * @param endpoints where it counts; default all
   * @throws TypeError when an endpoint has a check of that name
   */
  add(check: HealthCheck, endpoints: readonly HealthEndpoint[] = healthEndpoints): void {
    for (const endpoint of endpoints) {
      const checks = this.#checks[endpoint];
      if (checks.some(({ name }) => name === check.name))
        throw new TypeError(`/${endpoint} has a check "${check.name}" already`);
      // `shutdown` stays last.
      checks.splice(
        endpoint === 'readyz' ? checks.length - 1 : checks.length,
        0,
        endpoint === 'livez' ? this.#afterGracePeriod(check) : check,
      );
    }
  }

  /** From now on `/readyz` fails, so that no new work is sent here. */
  startShutdown(): void {
    this.#shuttingDown = true;
  }

  /** Every path that is served, for the list of paths at the root. */
  paths(): string[] {
    return healthEndpoints.flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#checks[endpoint].map(({ name }) => `/${endpoint}/${name}`),
    ]);
  }

  /**
   * Answers a request.
   *
   * @param path decoded
   * @returns undefined when the path is not one of a health endpoint; 404 for a check that does not exist
   */
  async handle(path: string, query: URLSearchParams, signal: AbortSignal): Promise<ApiResponse | undefined> {
    const endpoint = healthEndpoints.find((name) => path === `/${name}` || path.startsWith(`/${name}/`));
    if (endpoint === undefined) return undefined;
    const checks = this.#checks[endpoint];
    if (path.length === endpoint.length + 1) return this.#all(endpoint, checks, query, signal);
    const name = path.slice(endpoint.length + 2);
    const check = checks.find((candidate) => candidate.name === name);
    if (check === undefined) return text(404, '404 page not found\n');
    const { state, reason } = await this.#run(check, signal);
    return state === 'ok' ? text(200, 'ok') : text(500, `internal server error: ${reason}\n`);
  }

  async #all(
    endpoint: HealthEndpoint,
    checks: readonly HealthCheck[],
    query: URLSearchParams,
    signal: AbortSignal,
  ): Promise<ApiResponse> {
    const verbose = query.has('verbose');
    const excluded = new Set(query.getAll('exclude'));
    const outcomes = await Promise.all(
      checks.map((check) =>
        excluded.has(check.name)
          ? Promise.resolve({ name: check.name, state: 'excluded' as const, reason: '' })
          : this.#run(check, signal),
      ),
    );
    for (const { name } of outcomes) excluded.delete(name);
    const report = outcomes.map((outcome) => line(outcome, verbose)).join('') + unknownExclusions(excluded);
    // A failure is told in full even when nobody asked; only the reasons wait for `verbose`.
    if (outcomes.some(({ state }) => state === 'failed')) return text(500, `${report}${endpoint} check failed\n`);
    return text(200, verbose ? `${report}${endpoint} check passed\n` : 'ok');
  }

  async #run({ name, check }: HealthCheck, signal: AbortSignal): Promise<Outcome> {
    const timeoutMs = this.#options.timeoutMs ?? 2000;
    const over = new AbortController();
    const late = delay(this.#options.clock, timeoutMs, over.signal).then(() => {
      if (!over.signal.aborted) throw new Error(`no answer within ${timeoutMs}ms`);
    });
    try {
      await Promise.race([check(AbortSignal.any([signal, over.signal])), late]);
      return { name, state: 'ok', reason: '' };
    } catch (error) {
      return { name, state: 'failed', reason: messageOf(error) };
    } finally {
      over.abort();
    }
  }

  #afterGracePeriod({ name, check }: HealthCheck): HealthCheck {
    return { name, check: (signal) => (this.#options.clock.now() >= this.#graceEndsAt ? check(signal) : undefined) };
  }
}

function line({ name, state, reason }: Outcome, verbose: boolean): string {
  if (state === 'failed') return `[-]${name} failed: ${verbose ? reason : 'reason withheld'}\n`;
  return state === 'excluded' ? `[+]${name} excluded: ok\n` : `[+]${name} ok\n`;
}

function unknownExclusions(names: ReadonlySet<string>): string {
  if (names.size === 0) return '';
  return `warn: some health checks cannot be excluded: no matches for ${[...names].sort().map(goQuote).join(', ')}\n`;
}
