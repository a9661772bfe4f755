/**
 * Asks the server of an API group whether it serves a version, as the aggregator of Kubernetes does.
 *
 * Source: `kube-aggregator/pkg/controllers/status/remote` of Kubernetes 1.31, for the texts and times.
 *
 * @module
 */
import {
  messageOf,
  networkErrorText,
  type Clock,
  type Dialect,
  type StreamingHttpClient,
  type WebhookService,
} from '../../foundation/index.js';
import { MASTERS_GROUP } from '../../security/index.js';
import { streaming, type ForwardParts } from './forward.js';
import { userFields } from './forwarded-fields.js';

/** Number of requests, of which one has to succeed: the service may have several endpoints. */
const ATTEMPTS = 5;
const TIMEOUT_MS = 5000;
const TIMED_OUT = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

/** The parts that a check uses. */
export interface CheckParts extends Pick<ForwardParts, 'http' | 'findService' | 'identity'> {
  readonly clock: Clock;
  readonly dialect: Dialect;
}

/** The subject of a check. */
export interface CheckedVersion {
  readonly service: WebhookService;
  readonly group: string;
  readonly version: string;
  /** Ends the check. */
  readonly signal: AbortSignal;
}

/** Returns why a server does not serve a version of a group; undefined when it does. */
export async function availabilityProblem(parts: CheckParts, checked: CheckedVersion): Promise<string | undefined> {
  const others = new AbortController();
  const signal = AbortSignal.any([checked.signal, others.signal]);
  const attempts = Array.from({ length: ATTEMPTS }, () => attempt(parts, checked, signal));
  try {
    await Promise.any(attempts);
    return undefined;
  } catch (error) {
    return messageOf(error instanceof AggregateError ? error.errors.at(-1) : error);
  } finally {
    others.abort();
  }
}

/** Asks once. @throws Error in the words of Kubernetes */
async function attempt(
  parts: CheckParts,
  { service, group, version }: CheckedVersion,
  signal: AbortSignal,
): Promise<void> {
  const { origin } = await parts.findService(service);
  const url = `${origin}${group === '' ? '/api' : `/apis/${group}`}/${version}`;
  try {
    const status = await statusOf(url, parts, signal);
    if (status < 200 || status >= 300) throw new Error(`bad status from ${url}: ${status}`);
  } catch (error) {
    throw new Error(`failing or missing response from ${url}: ${messageOf(error)}`, { cause: error });
  }
}

async function statusOf(
  url: string,
  { http, identity, clock, dialect }: CheckParts,
  end: AbortSignal,
): Promise<number> {
  const late = new AbortController();
  const timer = clock.after(TIMEOUT_MS, () => late.abort());
  const signal = AbortSignal.any([end, late.signal]);
  try {
    const send: StreamingHttpClient['stream'] = streaming(http);
    const username = `system:${dialect.aggregatorName}`;
    const answer = await send({
      url,
      headers: userFields({ username, groups: [MASTERS_GROUP] }),
      // Whoever answers in place of the server can at most change the condition.
      tls: { ...(await identity()), insecureSkipVerify: true },
      background: true,
      signal,
    });
    answer.cancel();
    return answer.status;
  } catch (error) {
    const reason = late.signal.aborted ? TIMED_OUT : networkErrorText(error);
    throw new Error(`Get ${JSON.stringify(url)}: ${reason}`, { cause: error });
  } finally {
    timer.cancel();
  }
}
