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

/**
 * Remembers what requests of the same kind used of the processor: flow schema, verb, resource, and power of four of the
 * size of the body. A request that is expected to take long occupies more seats from its beginning.
 */
export class ExpectedCpu {
  /** Mean times by resource, and then by kind of request. Most resources have none: their requests need no key. */
  readonly #means = new Map<string, Map<string, number>>();
  #size = 0;

  /** Returns the seats of a request by the time that requests of its kind took; at least 1. */
  seats(scope: RequestScope, flow: RequestFlow): number {
    const means = this.#means.get(scope.info.resource);
    if (means === undefined) return 1;
    const mean = means.get(kindOf(scope, flow)) ?? 0;
    return Math.max(1, Math.ceil(mean / SEAT_MS));
  }

  /** Notes what a request has used, in milliseconds. */
  observe(scope: RequestScope, flow: RequestFlow, cpuMs: number): void {
    const { resource } = scope.info;
    const isLong = cpuMs > SEAT_MS;
    // Most requests take less than a seat stands for; nothing need be remembered of them.
    if (!isLong && !this.#means.has(resource)) return;
    const kind = kindOf(scope, flow);
    const mean = this.#means.get(resource)?.get(kind);
    if (mean === undefined) {
      if (isLong) this.#add(resource, kind, cpuMs);
    } else this.#means.get(resource)?.set(kind, mean + (cpuMs - mean) * NEW_WEIGHT);
  }

  #add(resource: string, kind: string, cpuMs: number): void {
    if (this.#size >= MAX_KINDS) this.#forgetOldest();
    let means = this.#means.get(resource);
    if (means === undefined) this.#means.set(resource, (means = new Map<string, number>()));
    means.set(kind, cpuMs);
    this.#size += 1;
  }

  #forgetOldest(): void {
    for (const [resource, means] of this.#means)
      for (const kind of means.keys()) {
        means.delete(kind);
        if (means.size === 0) this.#means.delete(resource);
        this.#size -= 1;
        return;
      }
  }
}

function kindOf({ info, request }: RequestScope, { classification }: RequestFlow): string {
  const length = Number(request.headers.get('content-length') ?? 0);
  const power = length > LEAST_SIZE ? Math.ceil(Math.log2(length / LEAST_SIZE) / 2) : 0;
  return `${classification.flowSchema.name} ${info.verb} ${info.group}/${info.resource}/${info.subresource} ${power}`;
}
