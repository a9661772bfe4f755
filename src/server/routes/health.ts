/**
 * The health endpoints `/healthz`, `/livez` and `/readyz` (contract, section "Health endpoints").
 *
 * @module
 */
import { delay, goQuote, messageOf, type Clock } from '../../foundation/index.js';
import type { ApiResponse } from '../requests/http.js';

/** Names of the endpoints, as in their responses. */
export const healthEndpoints: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** Name of a health endpoint. */
export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** A health check. */
export interface HealthCheck {
  /** Name in verbose responses and in the path of the check, e.g. `ping` or `poststarthook/rbac`. */
  readonly name: string;
  /**
   * Returns when the check passes.
   *
   * @throws Error with the reason of the failure; users see the message
   */
  check(signal: AbortSignal): Promise<void> | void;
}

/** Options of the health checks. */
export interface HealthOptions {
  readonly clock: Clock;
  /** Timeout of a check, in milliseconds. Default 2000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Grace period from now, in milliseconds, during which the checks added to `/livez` pass without being run; the flag
   * `--livez-grace-period`. Default 0.
   */
  readonly livezGracePeriodMs?: number | undefined;
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

/** The health checks of a server. */
export class HealthChecks {
  readonly #options: HealthOptions;
  readonly #checks: Record<HealthEndpoint, HealthCheck[]>;
  readonly #graceEndsAt: number;
  #shuttingDown = false;

  /**
   * Starts with `ping` and `log` on every endpoint, and `shutdown` on `/readyz`.
   *
   * @internal
   */
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
   * @param endpoints endpoints that run the check; default all
   * @throws TypeError when an endpoint already has a check of that name
   */
  add(check: HealthCheck, endpoints: readonly HealthEndpoint[] = healthEndpoints): void {
    for (const endpoint of endpoints) {
      const checks = this.#checks[endpoint];
      if (checks.some(({ name }) => name === check.name))
        throw new TypeError(`/${endpoint} already has a check "${check.name}"`);
      // `shutdown` stays last.
      checks.splice(
        endpoint === 'readyz' ? checks.length - 1 : checks.length,
        0,
        endpoint === 'livez' ? this.#afterGracePeriod(check) : check,
      );
    }
  }

  /** Fails `/readyz` from now on, so that load balancers send no more requests. */
  startShutdown(): void {
    this.#shuttingDown = true;
  }

  /**
   * Returns every path served, for the list of paths at the root.
   *
   * @internal
   */
  paths(): string[] {
    return healthEndpoints.flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#checks[endpoint].map(({ name }) => `/${endpoint}/${name}`),
    ]);
  }

  /**
   * Answers a request.
   *
   * @param path decoded path
   * @returns the response, 404 for an unknown check; undefined when the path is not that of a health endpoint
   * @internal
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
    // A failed endpoint lists its checks even without `verbose`; only the reasons need `verbose`.
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
