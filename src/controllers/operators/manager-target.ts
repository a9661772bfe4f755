import type { Clock } from '../../foundation/index.js';
import { HealthChecks, METRICS_MEDIA_TYPE, type ApiResponse } from '../../server/index.js';
import type { TransportTarget } from '../../transport/index.js';

/** How far a manager is. It is `starting` until its informers have completed their first lists. */
export type ManagerState = 'idle' | 'starting' | 'running' | 'stopping';

/** The parts of {@link managerTarget}. */
export interface ManagerFacts {
  readonly clock: Clock;
  state(): ManagerState;
  /** Returns the names of the controllers of which as many runs as they have workers go on after their abort. */
  stuck(): readonly string[];
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>;
}

/**
 * Returns what answers the requests about a manager: `/healthz` and `/livez`, which fail when the runs of a
 * controller do not end; `/readyz`, which fails before the informers have completed their first lists; and `/metrics`. A manager that
 * waits for the lead is ready when its informers are.
 */
export function managerTarget({ clock, state, stuck, metrics }: ManagerFacts): TransportTarget {
  const checks = new HealthChecks({ clock });
  const workers = (): void => {
    const names = stuck();
    if (names.length > 0) throw new Error(`runs of ${names.join(', ')} do not end`);
  };
  const informers = (): void => {
    const current = state();
    if (current === 'idle') throw new Error('the manager does not run');
    if (current === 'starting') throw new Error('the informers have not completed their first lists');
    if (current === 'stopping') throw new Error('the manager stops');
  };
  checks.add({ name: 'workers', check: workers });
  checks.add({ name: 'informer-sync', check: informers }, ['readyz']);
  return {
    async handle({ method, path, query, signal }) {
      if (method !== 'GET' && method !== 'HEAD') return text(405, 'method not allowed\n', { allow: 'GET, HEAD' });
      const answer =
        path === '/metrics'
          ? text(200, await metrics(), { 'content-type': METRICS_MEDIA_TYPE })
          : ((await checks.handle(path, new URLSearchParams(query), signal)) ?? text(404, '404 page not found\n'));
      return method === 'HEAD' ? { ...answer, body: '' } : answer;
    },
  };
}

const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
  body,
});
