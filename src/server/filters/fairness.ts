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
  counted(kind: RequestClass, phase: 'waiting' | 'executing', change: 1 | -1): void;
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
    const passOn: Endpoint = (scope) => {
      scope.momentMs = parts.clock.now();
      return next(scope);
    };
    return (scope) => {
      const { info, user } = scope;
      const isWatch = info.verb === 'watch';
      if (isLasting(info) && !isWatch) return next(scope);
      const found = parts.fairness();
      if (found === undefined) throw errors.internal('the flow control has not started');
      const flow = found.control.classify({ user, request: info });
      scope.flow = flow;
      scope.flowHeaders = headersOf(flow);
      const run = isWatch ? watched : limited;
      const work = found.work.estimate(scope, flow);
      const started = { parts, found, flow, scope, next: passOn };
      const seats = parts.expected.seats(scope, flow);
      return whenReady(work, (estimate) => run(started, widened(estimate, seats, flow.level.maxRequestSeats)));
    };
  };
}

/** A request that has been classified. */
interface StartedRequest {
  readonly parts: FairnessParts;
  readonly found: Fairness;
  readonly flow: RequestFlow;
  readonly scope: RequestScope;
  readonly next: Endpoint;
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

  counted(phase: 'waiting' | 'executing', change: 1 | -1): void {
    this.#found.counted(requestClass(this.#scope.info.verb), phase, change);
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

function admit({ parts, found, flow, scope }: StartedRequest, work: WorkEstimate): FlowTicket {
  return found.control.admit(flow, work, new ScopeRequest(scope, found, parts.requestTimeoutMs));
}

/** Waits for the seats of a request. Metrics of the service leave the time out, and audit events name it. */
async function seated({ parts: { clock }, scope }: StartedRequest, ready: Promise<void>): Promise<void> {
  const beganMs = clock.now();
  try {
    await ready;
  } finally {
    scope.queuedMs = clock.now() - beganMs;
    scope.audit?.took('apf-queue-wait', scope.queuedMs);
  }
}

function limited(started: StartedRequest, work: WorkEstimate): ApiResponse | Promise<ApiResponse> {
  const { scope } = started;
  const ticket = admit(started, work);
  // The server ends it when it answers at the deadline, although the endpoint may hang.
  scope.ticket = ticket;
  const { ready } = ticket;
  const execute = (): ApiResponse | Promise<ApiResponse> => executed(started, ticket);
  return untilAnswered(scope, ready === undefined ? execute : () => seated(started, ready).then(execute), () => {
    ticket.end();
    scope.work?.standBack();
  });
}

/** Continues a request that has its seats. */
function executed({ parts, scope, next }: StartedRequest, ticket: FlowTicket): ApiResponse | Promise<ApiResponse> {
  if (ticket.isOver) throw tooManyRequests();
  const { username, groups } = accountableUser(scope);
  if (isLimited(scope.info.verb, groups)) scope.slot = parts.limiter.slot(ticket, username);
  return next(scope);
}

async function watched(started: StartedRequest, work: WorkEstimate): Promise<ApiResponse> {
  const { found, scope, next } = started;
  const ticket = admit(started, work);
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
    if (ticket.ready !== undefined) await seated(started, ticket.ready);
    forget = found.work.watch(scope);
    const answer = await next(scope);
    if (!isStream(answer.body) && answer.status !== SWITCHING_PROTOCOLS) seat.ended();
    return answer;
  } catch (error) {
    seat.ended();
    throw error;
  }
}
