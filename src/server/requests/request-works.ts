import type { Logger } from '../../foundation/index.js';
import { CpuFlows } from '../limits/cpu-flows.js';
import { SlicedWork, type WorkOwner } from '../limits/sliced-work.js';
import { WorkMeter } from '../limits/work-meter.js';
import type { Metrics } from '../metrics/metrics.js';
import { isLasting } from './connections.js';
import type { RequestScope } from './request-scope.js';

/** The parts that {@link RequestWorks} needs. */
export interface RequestWorksParts {
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Maximum time of the processor of one request, in milliseconds; 0 for no limit. */
  readonly cpuLimitMs: number;
}

/** The work of all requests of a server. */
export class RequestWorks {
  readonly meter: WorkMeter;
  readonly #flows: CpuFlows;
  /** Number of requests so far. */
  #order = 0;

  constructor({ metrics, logger, cpuLimitMs }: RequestWorksParts) {
    this.meter = new WorkMeter(metrics, logger, cpuLimitMs);
    this.#flows = new CpuFlows(metrics);
  }

  /** Begins the work of a request whose flow is known. */
  begin(scope: RequestScope): SlicedWork {
    this.#order += 1;
    return new SlicedWork(this.meter, this.#flows.of(scope), scope, this.#order, !isLasting(scope.info));
  }

  /**
   * Begins the work of a call of an in-process client. It has no deadline of its own.
   *
   * @param signal aborts when the caller no longer waits for it
   * @param isController whether the client is that of the server's controllers
   */
  beginInProcess(signal: AbortSignal | undefined, isController: boolean): SlicedWork {
    this.#order += 1;
    const owner: WorkOwner = { workEnd: () => (signal?.aborted === true ? 'disconnected' : undefined) };
    const { controllers, owner: embedder } = this.#flows;
    return new SlicedWork(this.meter, isController ? controllers : embedder, owner, this.#order, false);
  }
}

/** Returns the header field that tells a client what its long request has cost; undefined for a short one. */
export function timingField({ work }: RequestScope): Readonly<Record<string, string>> | undefined {
  if (work === undefined || work.slices === 0) return undefined;
  return { 'server-timing': `cpu;dur=${work.cpuMs.toFixed(1)}, wait;dur=${work.waitedMs.toFixed(1)}` };
}
