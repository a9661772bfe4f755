import { errors, whenReady, type Clock, type Dialect } from '../../foundation/index.js';
import type { AdmittedRequest, FlowControl, RequestFlow } from '../fairness/flow-control.js';
import type { RequestDetails } from '../fairness/queues/flow-queue.js';
import type { FlowTicket } from '../fairness/queues/flow-ticket.js';
import { widened } from '../fairness/work-estimator.js';
import type { WorkEstimate } from '../fairness/work.js';
import type { ExpectedCpu } from '../limits/expected-cpu.js';
import {
  isLimited,
  requestClass,
  tooManyRequests,
  type InFlightLimiter,
  type RequestClass,
} from '../limits/in-flight.js';
import { isLasting } from '../requests/connections.js';
import { isStream, type ApiResponse } from '../requests/http.js';
import type { Endpoint, Filter, RequestScope } from '../requests/request-scope.js';
import type { RequestWork } from '../requests/request-work.js';
import { accountableUser } from './in-flight.js';
import { untilAnswered } from './until-answered.js';

/** The flow control of a started server, with what it needs for its requests. */
export interface Fairness {
  readonly control: FlowControl;
  readonly work: RequestWork;
  /** Counts the requests of a class that wait or execute. */
  counted(kind: RequestClass, phase: 'waiting' | 'executing', change: 1 | -1, nowMs: number): void;
}

/** The parts that the filter needs. */
export interface FairnessParts {
  /** Returns the flow control; undefined before the start of the server. */
  readonly fairness: () => Fairness | undefined;
  /** Limits what waits for its body or for a future version. */
  readonly limiter: InFlightLimiter;
  /** The time of the processor that requests of a kind are expected to use. */
  readonly expected: ExpectedCpu;
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** Maximum duration of a request, in milliseconds. */
  readonly requestTimeoutMs: number;
}

/** Part of its time that a request may spend in a queue. */
const WAIT_FRACTION = 0.25;
const MAX_WAIT_MS = 60_000;
/** Status of an accepted WebSocket, whose messages are not a stream of the response. */
const SWITCHING_PROTOCOLS = 101;

/**
 * Admits requests by priority and fairness: a request beyond the seats of its priority level waits in a queue, or is
 * refused with 429. A watch occupies its seat until its initial events have been sent; connections are not limited.
 */
export function fairness(parts: FairnessParts): Filter {
  const headersOf = flowHeaders(parts.dialect);
  return (next) => {
    const limited = limitedRequests(parts, next);
    return (scope) => {
      const { info, user } = scope;
      const isWatch = info.verb === 'watch';
      if (isLasting(info) && !isWatch) return next(scope);
      const found = parts.fairness();
      if (found === undefined) throw errors.internal('the flow control has not started');
      const flow = found.control.classify({ user, request: info });
      scope.flow = flow;
      scope.flowHeaders = headersOf(flow);
      const admit = (estimate: WorkEstimate): FlowTicket => {
        const seats = parts.expected.seats(scope, flow);
        const work = widened(estimate, seats, flow.level.maxRequestSeats);
        return found.control.admit(flow, work, new ScopeRequest(scope, found, parts.requestTimeoutMs));
      };
      const run = (estimate: WorkEstimate): ApiResponse | Promise<ApiResponse> =>
        isWatch ? watched(parts, found, scope, admit(estimate), next) : limited(scope, admit(estimate));
      return whenReady(found.work.estimate(scope, flow), run);
    };
  };
}

/** Returns the function that returns the header fields of a flow. They are made once for each configuration. */
function flowHeaders({ flowHeaders: names }: Dialect): (flow: RequestFlow) => Readonly<Record<string, string>> {
  const known = new WeakMap<object, Readonly<Record<string, string>>>();
  return ({ classification: { flowSchema, priorityLevel } }) => {
    let headers = known.get(flowSchema);
    if (headers === undefined) {
      headers = { [names.flowSchema]: flowSchema.uid, [names.priorityLevel]: priorityLevel.uid };
      known.set(flowSchema, headers);
    }
    return headers;
  };
}

/** A request of the server as the flow control sees it. */
class ScopeRequest implements AdmittedRequest {
  readonly waitLimitMs: number;
  readonly isWatch: boolean;
  readonly #scope: RequestScope;
  readonly #found: Fairness;

  constructor(scope: RequestScope, found: Fairness, requestTimeoutMs: number) {
    this.#scope = scope;
    this.#found = found;
    this.waitLimitMs = Math.min((scope.timeoutMs ?? requestTimeoutMs) * WAIT_FRACTION, MAX_WAIT_MS);
    this.isWatch = scope.info.verb === 'watch';
  }

  /** Made only for a request that waits. */
  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  counted(phase: 'waiting' | 'executing', change: 1 | -1, nowMs: number): void {
    this.#found.counted(requestClass(this.#scope.info.verb), phase, change, nowMs);
  }

  get cpuMs(): number {
    return this.#scope.work?.cpuMs ?? 0;
  }

  details(): RequestDetails {
    const { info, user } = this.#scope;
    const { verb, path, namespace, name, group: apiGroup, version: apiVersion, resource, subresource } = info;
    return { username: user.username, verb, path, namespace, name, apiGroup, apiVersion, resource, subresource };
  }
}

/** Waits for the seats of a request. Metrics of the service leave the time out, and audit events name it. */
async function seated(clock: Clock, scope: RequestScope, ready: Promise<void>): Promise<void> {
  const beganMs = clock.now();
  try {
    await ready;
  } finally {
    scope.momentMs = clock.now();
    scope.queuedMs = scope.momentMs - beganMs;
    scope.audit?.took('apf-queue-wait', scope.queuedMs);
  }
}

/** Returns the function that runs requests which give their seats up when they are answered. */
function limitedRequests(
  { clock, limiter }: FairnessParts,
  next: Endpoint,
): (scope: RequestScope, ticket: FlowTicket) => ApiResponse | Promise<ApiResponse> {
  /** Continues a request that has its seats. */
  const executed: Endpoint = (scope) => {
    const { ticket } = scope;
    if (ticket === undefined || ticket.isOver) throw tooManyRequests();
    const { username, groups } = accountableUser(scope);
    if (isLimited(scope.info.verb, groups)) scope.slot = limiter.slot(ticket, username);
    return next(scope);
  };
  return (scope, ticket) => {
    // The server ends it when it answers at the deadline, although the endpoint may hang.
    scope.ticket = ticket;
    const { ready } = ticket;
    if (ready !== undefined)
      return untilAnswered(scope, () => seated(clock, scope, ready).then(() => executed(scope)), leaveSeats);
    scope.momentMs = ticket.beganMs;
    return untilAnswered(scope, executed, leaveSeats);
  };
}

function leaveSeats({ ticket, work }: RequestScope): void {
  ticket?.end();
  work?.standBack();
}

async function watched(
  { clock }: FairnessParts,
  found: Fairness,
  scope: RequestScope,
  ticket: FlowTicket,
  next: Endpoint,
): Promise<ApiResponse> {
  let forget = (): void => undefined;
  const seat = {
    initialized: () => {
      ticket.end();
      scope.work?.standBack();
    },
    ended: () => {
      ticket.end();
      forget();
    },
  };
  scope.watchSeat = seat;
  try {
    if (ticket.ready === undefined) scope.momentMs = ticket.beganMs;
    else await seated(clock, scope, ticket.ready);
    forget = found.work.watch(scope);
    const answer = await next(scope);
    if (!isStream(answer.body) && answer.status !== SWITCHING_PROTOCOLS) seat.ended();
    return answer;
  } catch (error) {
    seat.ended();
    throw error;
  }
}
