import { CpuFlow } from '../../foundation/index.js';
import type { RequestFlow } from '../fairness/flow-control.js';
import { accountableUser } from '../filters/in-flight.js';
import type { Metrics, NumberSeries } from '../metrics/metrics.js';
import { requestMetrics } from '../metrics/table/request-metrics.js';
import type { RequestScope } from '../requests/request-scope.js';
import type { ServedFlow } from './sliced-work.js';

/** Number of flows from which idle ones are forgotten. */
const MAX_FLOWS = 4096;

/** Shares of a priority level that counts as much as a user without flow control: those of a level that sets none. */
const USUAL_SHARES = 30;

/** Share of the controllers while others have long work: a tenth beside one other flow. */
const CONTROLLERS_WEIGHT = 1 / 9;

/**
 * Those whose work shares the processor of a server: the flows of the flow control, weighted by the shares of their
 * priority levels, or the users; in-process clients; and the controllers.
 */
export class CpuFlows {
  /** The flow of the in-process clients of whoever embeds the server. */
  readonly owner: ServedFlow;
  /** The flow of the controllers. */
  readonly controllers: ServedFlow;
  readonly #metrics: Metrics;
  /** The flows, by flow schema and then by what distinguishes them. */
  readonly #bySchema = new Map<string, Map<string, ServedFlow>>();
  #size = 0;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    const seconds = this.#seconds('', '');
    this.owner = { cpu: new CpuFlow(), seconds };
    this.controllers = { cpu: new CpuFlow(CONTROLLERS_WEIGHT), seconds };
  }

  /** Returns the flow of a request. */
  of(scope: RequestScope): ServedFlow {
    const { flow } = scope;
    const schema = flow?.classification.flowSchema.name ?? '';
    const distinguisher = flow === undefined ? accountableUser(scope).username : flow.classification.flowDistinguisher;
    const found = this.#bySchema.get(schema)?.get(distinguisher);
    const weight = weightOf(flow);
    if (found === undefined) return this.#add(schema, distinguisher, flow?.level.settings.name ?? '', weight);
    found.cpu.weight = weight;
    return found;
  }

  #add(schema: string, distinguisher: string, level: string, weight: number): ServedFlow {
    if (this.#size >= MAX_FLOWS) this.#forgetIdle();
    let flows = this.#bySchema.get(schema);
    if (flows === undefined) this.#bySchema.set(schema, (flows = new Map<string, ServedFlow>()));
    const added = { cpu: new CpuFlow(weight), seconds: this.#seconds(level, schema) };
    flows.set(distinguisher, added);
    this.#size += 1;
    return added;
  }

  #forgetIdle(): void {
    for (const flows of this.#bySchema.values())
      for (const [distinguisher, { cpu }] of flows)
        if (cpu.waiting.length === 0 && flows.delete(distinguisher)) this.#size -= 1;
  }

  #seconds(level: string, schema: string): NumberSeries {
    return this.#metrics
      .counter(requestMetrics.apiserver_flow_cpu_seconds_total)
      .series({ priority_level: level, flow_schema: schema });
  }
}

/** Returns the weight of a flow by the shares of its level. Exempt requests, as those of system:masters, go first. */
function weightOf(flow: RequestFlow | undefined): number {
  if (flow === undefined) return 1;
  return flow.level.isExempt ? EXEMPT_WEIGHT : Math.max(1, flow.level.settings.shares) / USUAL_SHARES;
}

const EXEMPT_WEIGHT = 10;
