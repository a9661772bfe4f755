import {
  errors,
  FieldErrorList,
  forbidden,
  invalid,
  parseTime,
  type FieldError,
  type UserInfo,
} from '../../foundation/index.js';
import { NOT_NEGATIVE, POSITIVE, type StoredPod } from '../../kinds/index.js';
import type { ResourceCall } from '../endpoints/call.js';
import { parseFlag, parseInteger } from '../operations/list-options.js';
import type { ApiResponse } from '../requests/http.js';
import { answerOf, type Connection } from './connection.js';
import type { PodLogOptions } from './handlers.js';
import { logStream, type OpenLog } from './log-stream.js';
import { containerOf, targetOf, withoutHandler } from './pod-target.js';

/** Parses the options of a log. @throws ApiError 400 for values of a wrong type */
export function parseLogOptions(query: URLSearchParams): PodLogOptions {
  const flag = (name: string): boolean => {
    const value = query.get(name);
    return value !== null && parseFlag(value);
  };
  const integer = (name: string): number | undefined => {
    const value = query.get(name);
    return value === null ? undefined : parseInteger(value);
  };
  const sinceTime = query.get('sinceTime') ?? '';
  if (sinceTime !== '' && parseTime(sinceTime) === undefined)
    throw errors.badRequest(`parsing time ${JSON.stringify(sinceTime)}: it is not a time in RFC 3339`);
  return {
    container: query.get('container') ?? '',
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    sinceSeconds: integer('sinceSeconds'),
    sinceTime: sinceTime === '' ? undefined : sinceTime,
    tailLines: integer('tailLines'),
    limitBytes: integer('limitBytes'),
    insecureSkipTLSVerifyBackend: flag('insecureSkipTLSVerifyBackend'),
  };
}

/** Returns the errors of the options of a log. */
export function logOptionErrors({
  tailLines,
  limitBytes,
  sinceSeconds,
  sinceTime,
}: PodLogOptions): readonly FieldError[] {
  const found = new FieldErrorList();
  if (tailLines !== undefined && tailLines < 0) found.push(invalid('tailLines', tailLines, NOT_NEGATIVE));
  if (limitBytes !== undefined && limitBytes < 1) found.push(invalid('limitBytes', limitBytes, POSITIVE));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    found.push(forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1) found.push(invalid('sinceSeconds', sinceSeconds, POSITIVE));
  return found;
}

const HEADERS = Object.freeze({ 'content-type': 'text/plain', 'cache-control': 'no-cache, private' });

const NO_CONTENT: ApiResponse = Object.freeze({ status: 204, headers: Object.freeze({}), body: undefined });

/** The user who reads a log, and the time. */
interface LogRequest {
  readonly user: UserInfo;
  /** Current time, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Opens the log that the handler returns.
 *
 * @returns undefined for a pod without a node, which has no log unless there is a handler
 * @throws ApiError 400, 422 or 501; what the handler throws
 */
export async function openPodLog(
  pod: StoredPod,
  options: PodLogOptions,
  { user, nowMs }: LogRequest,
  connection: Connection,
): Promise<OpenLog | undefined> {
  const problems = logOptionErrors(options);
  if (problems.length > 0)
    throw errors.invalid({ group: '', kind: 'PodLogOptions' }, pod.metadata.name ?? '', problems);
  const checked = { ...options, container: containerOf(pod, options.container) };
  const handler = connection.handlers.pods?.log;
  if (handler === undefined) {
    // A pod without a node has no log, as in Kubernetes.
    if (!pod.spec?.nodeName) return undefined;
    throw withoutHandler('pods/log', 'pods.log');
  }
  const { signal, memory } = connection;
  const source = await answerOf(connection, () => handler(pod, { ...checked, user, signal }));
  return logStream(source, checked, { nowMs, signal, memory });
}

/** Answers `pods/log`: the log that the handler returns, as a stream of text. */
export async function podLog(call: ResourceCall, connection: Connection): Promise<ApiResponse> {
  const { scope, context } = call;
  const options = parseLogOptions(scope.query);
  const request = { user: scope.user, nowMs: context.clock.now() };
  const log = await openPodLog(await targetOf(call), options, request, connection);
  if (log === undefined) return NO_CONTENT;
  return { status: 200, headers: HEADERS, body: { stream: log.chunks, heldBytes: log.heldBytes } };
}
