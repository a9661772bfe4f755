import { appendTo } from '../../foundation/index.js';
import type { RequestFlow } from '../fairness/flow-control.js';
import type { RequestScope } from '../requests/request-scope.js';

/** Maximum number of kinds of requests that are remembered. */
const MAX_KINDS = 4096;
/** Weight of a new observation in the moving mean. */
const NEW_WEIGHT = 1 / 8;
/** Time of the processor that one seat stands for, in milliseconds: that of a usual request. */
const SEAT_MS = 3;
/** Least size of a body that is told apart from smaller ones, in bytes. */
const LEAST_SIZE = 4096;

/** Requests of the same kind, and what they used of the processor. */
interface Expectation {
  readonly flowSchema: string;
  readonly verb: string;
  readonly group: string;
  readonly subresource: string;
  /** Power of four of the size of the body. */
  readonly power: number;
  /** Moving mean, in milliseconds. */
  meanMs: number;
}

/**
 * Remembers what requests of the same kind used of the processor: flow schema, verb, resource, and power of four of the
 * size of the body. A request that is expected to take long occupies more seats from its beginning.
 */
export class ExpectedCpu {
  /** The expectations of the requests for a resource; most resources have none. */
  readonly #byResource = new Map<string, Expectation[]>();
  #size = 0;

  /** Returns the seats of a request by the time that requests of its kind took; at least 1. */
  seats(scope: RequestScope, flow: RequestFlow): number {
    const known = this.#byResource.get(scope.info.resource);
    const found = known === undefined ? undefined : find(known, scope, flow);
    return found === undefined ? 1 : Math.max(1, Math.ceil(found.meanMs / SEAT_MS));
  }

  /** Notes what a request has used, in milliseconds. */
  observe(scope: RequestScope, flow: RequestFlow, cpuMs: number): void {
    const { resource } = scope.info;
    const known = this.#byResource.get(resource);
    const isLong = cpuMs > SEAT_MS;
    // Most requests take less than a seat stands for; nothing need be remembered of them.
    if (known === undefined && !isLong) return;
    const found = known === undefined ? undefined : find(known, scope, flow);
    if (found !== undefined) found.meanMs += (cpuMs - found.meanMs) * NEW_WEIGHT;
    else if (isLong) this.#add(resource, expectationOf(scope, flow, cpuMs));
  }

  #add(resource: string, expectation: Expectation): void {
    if (this.#size >= MAX_KINDS) this.#forgetOldest();
    appendTo(this.#byResource, resource, expectation);
    this.#size += 1;
  }

  #forgetOldest(): void {
    for (const [resource, known] of this.#byResource) {
      known.shift();
      if (known.length === 0) this.#byResource.delete(resource);
      this.#size -= 1;
      return;
    }
  }
}

function find(
  known: readonly Expectation[],
  { info, request }: RequestScope,
  { classification }: RequestFlow,
): Expectation | undefined {
  const { verb, group, subresource } = info;
  let power = -1;
  for (const one of known) {
    if (one.verb !== verb || one.flowSchema !== classification.flowSchema.name) continue;
    if (one.group !== group || one.subresource !== subresource) continue;
    if (power < 0) power = powerOf(request);
    if (one.power === power) return one;
  }
  return undefined;
}

function expectationOf({ info, request }: RequestScope, flow: RequestFlow, meanMs: number): Expectation {
  const { verb, group, subresource } = info;
  const flowSchema = flow.classification.flowSchema.name;
  return { flowSchema, verb, group, subresource, power: powerOf(request), meanMs };
}

function powerOf({ headers }: RequestScope['request']): number {
  const length = Number(headers.get('content-length') ?? 0);
  return length > LEAST_SIZE ? Math.ceil(Math.log2(length / LEAST_SIZE) / 2) : 0;
}
