/**
 * The metrics of authentication and authorization, by the names and labels of Kubernetes 1.31.
 *
 * Source: `apiserver/pkg/endpoints/filters/metrics.go` of Kubernetes 1.31.
 *
 * @module
 */
import type { Dialect } from '../../foundation/index.js';
import type { AuthResult, Decision } from '../../security/index.js';
import type { Metrics } from './metrics.js';

/** Kubernetes' buckets: doubled from a millisecond. */
const DURATIONS = Array.from({ length: 15 }, (_, index) => 0.001 * 2 ** index);

/** Counts and measures results, which took a time in milliseconds. */
export type AccessMeter<Result> = (result: Result, tookMs: number) => void;

/** Returns what counts the results of authentication. */
export function authenticationMeter(metrics: Metrics, dialect: Dialect): AccessMeter<AuthResult> {
  const shown: ReadonlySet<string> = new Set(['admin', 'client', `${dialect.shortProduct}_proxy`]);
  const attempts = metrics.counter({
    name: 'authentication_attempts',
    stability: 'ALPHA',
    help: 'Counter of authenticated attempts.',
  });
  const users = metrics.counter({
    name: 'authenticated_user_requests',
    stability: 'ALPHA',
    help: 'Counter of authenticated requests broken out by username.',
  });
  const durations = metrics.histogram({
    name: 'authentication_duration_seconds',
    help: 'Authentication duration in seconds broken out by result.',
    stability: 'ALPHA',
    buckets: DURATIONS,
  });
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
  const attempts = metrics.counter({
    name: 'authorization_attempts_total',
    stability: 'ALPHA',
    help: "Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
  });
  const durations = metrics.histogram({
    name: 'authorization_duration_seconds',
    stability: 'ALPHA',
    help: 'Authorization duration in seconds broken out by result.',
    buckets: DURATIONS,
  });
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

/** Kubernetes' buckets: from half an hour to 360 days, in seconds. */
const LIFETIMES = [
  0, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 345_600, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000,
];

/**
 * Returns what measures the remaining lifetimes of client certificates, in milliseconds.
 *
 * Source: `apiserver/pkg/authentication/request/x509/x509.go` of Kubernetes 1.31.
 */
export function certificateLifetimeMeter(metrics: Metrics): (remainingMs: number) => void {
  const lifetimes = metrics
    .histogram({
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'Distribution of the remaining lifetime on the certificate used to authenticate a request.',
      stability: 'ALPHA',
      buckets: LIFETIMES,
    })
    .series();
  return (remainingMs) => lifetimes.observe(remainingMs / 1000);
}
