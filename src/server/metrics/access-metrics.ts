/**
 * The metrics of authentication and authorization, by the names and labels of Kubernetes 1.31.
 *
 * @module
 */
import type { Dialect } from '../../foundation/index.js';
import type { AuthResult, Decision } from '../../security/index.js';
import type { Metrics } from './metrics.js';
import { accessMetrics } from './table/access-metrics.js';

/** Counts and measures results, which took a time in milliseconds. */
export type AccessMeter<Result> = (result: Result, tookMs: number) => void;

/** Returns what counts the results of authentication. */
export function authenticationMeter(metrics: Metrics, dialect: Dialect): AccessMeter<AuthResult> {
  const shown: ReadonlySet<string> = new Set(['admin', 'client', `${dialect.shortProduct}_proxy`]);
  const attempts = metrics.counter(accessMetrics.authentication_attempts);
  const users = metrics.counter(accessMetrics.authenticated_user_requests);
  const durations = metrics.histogram(accessMetrics.authentication_duration_seconds);
  const seriesOf = (result: string) => ({ total: attempts.series({ result }), duration: durations.series({ result }) });
  const series = { success: seriesOf('success'), failure: seriesOf('failure'), error: seriesOf('error') };
  const byUser = new Map([...shown, 'email_id', 'other'].map((username) => [username, users.series({ username })]));
  return (result, tookMs) => {
    const outcome = result === undefined ? 'failure' : 'error' in result ? 'error' : 'success';
    const { total, duration } = series[outcome];
    total.add();
    duration.observe(tookMs / 1000);
    if (result !== undefined && !('error' in result)) byUser.get(shownUser(result.user.username, shown))?.add();
  };
}

/** Names of users are not shown, as in Kubernetes: there may be any number of them. */
function shownUser(username: string, shown: ReadonlySet<string>): string {
  if (shown.has(username)) return username;
  return username.includes('@') ? 'email_id' : 'other';
}

/** Returns what counts the decisions of authorization. */
export function authorizationMeter(metrics: Metrics): AccessMeter<Decision> {
  const attempts = metrics.counter(accessMetrics.authorization_attempts_total);
  const durations = metrics.histogram(accessMetrics.authorization_duration_seconds);
  const seriesOf = (result: string) => ({ total: attempts.series({ result }), duration: durations.series({ result }) });
  // A map: an authorizer of the embedder may return anything.
  const series = new Map([
    ['Allow', seriesOf('allowed')],
    ['Deny', seriesOf('denied')],
    ['NoOpinion', seriesOf('no-opinion')],
    ['error', seriesOf('error')],
  ]);
  return (decision, tookMs) => {
    const found = series.get(decision.error === undefined ? decision.decision : 'error');
    found?.total.add();
    found?.duration.observe(tookMs / 1000);
  };
}

/** Returns what measures the remaining lifetimes of client certificates, in milliseconds. */
export function certificateLifetimeMeter(metrics: Metrics): (remainingMs: number) => void {
  const lifetimes = metrics.histogram(accessMetrics.apiserver_client_certificate_expiration_seconds).series();
  return (remainingMs) => lifetimes.observe(remainingMs / 1000);
}
