import {
  groupName,
  inSlices,
  parseTime,
  quantityToNumber,
  systemGroup,
  type Dialect,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { autoscalingV2 } from '../../kinds/index.js';
import type { AnyObject, ServedKind, ServedKinds } from '../runtime/served-kinds.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import type { Measurement, Target } from './replica-count.js';

/** A resource of pods, of all their containers or of one. */
export interface MeasuredResource {
  readonly name: string;
  /** Undefined for all containers together. */
  readonly container: string | undefined;
}

/** Amounts are counted in thousandths. */
const THOUSANDTHS = 1000;

interface PodMetricsObject extends AnyObject {
  readonly timestamp?: string | undefined;
  readonly window?: string | undefined;
  readonly containers?:
    readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[] | undefined;
}

/** Returns an amount in thousandths. */
export const thousandths = (quantity: string): number => Math.round((quantityToNumber(quantity) ?? 0) * THOUSANDTHS);

/** Units of work to look at a pod, and at one of its containers. */
const POD_UNITS = 6;
const CONTAINER_UNITS = 8;

/** The pods of an autoscaler, as the metrics API shows them. They are read once for all metrics. */
export class MeasuredPods {
  readonly #kinds: ServedKinds;
  readonly #group: string;
  readonly #namespace: string;
  readonly #labelSelector: string;
  #list: Promise<readonly PodMetricsObject[]> | undefined;

  constructor(kinds: ServedKinds, dialect: Dialect, namespace: string, labelSelector: string) {
    this.#kinds = kinds;
    this.#group = groupName(systemGroup('metrics'), dialect);
    this.#namespace = namespace;
    this.#labelSelector = labelSelector;
  }

  /**
   * Returns what the pods use of a resource.
   *
   * @throws Error in the words of release 1.31 when there are no metrics
   */
  async usage(resource: MeasuredResource, work: Work): Promise<Measurement> {
    const kind = this.#kinds.find(`${this.#group}/v1beta1`, 'PodMetrics');
    const problem = `unable to get metrics for resource ${resource.name}`;
    if (kind === undefined)
      throw new Error(
        `${problem}: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.${this.#group})`,
      );
    const items = await (this.#list ??= this.#read(kind));
    if (items.length === 0) throw new Error(`${problem}: no metrics returned from resource metrics API`);
    return inSlices(work, usageOf(items, resource, work));
  }

  async #read({ client }: ServedKind): Promise<readonly PodMetricsObject[]> {
    const { items } = await client.namespace(this.#namespace).list({ labelSelector: this.#labelSelector });
    return items;
  }
}

function* usageOf(
  items: readonly PodMetricsObject[],
  { name, container }: MeasuredResource,
  work: Work,
): Steps<Measurement> {
  const used = new Map<string, number>();
  let latest: PodMetricsObject | undefined;
  for (const item of items) {
    const { metadata, containers = [] } = item;
    if (work.spend(POD_UNITS + CONTAINER_UNITS * containers.length)) yield;
    const meant = containers.filter((one) => container === undefined || one.name === container);
    if (meant.length === 0 || meant.some(({ usage }) => !Object.hasOwn(usage, name))) continue;
    used.set(
      metadata.name ?? '',
      meant.reduce((sum, { usage }) => sum + thousandths(usage[name] ?? '0'), 0),
    );
    latest = item;
  }
  const windowMs = Number.parseFloat(latest?.window ?? '0') * 1000;
  return { used, atMs: parseTime(latest?.timestamp ?? '') ?? 0, windowMs };
}

/**
 * Returns the target of a metric, in steps.
 *
 * @throws Error when a container does not request what its utilization is measured by
 */
export function* targetOf(
  { averageUtilization, averageValue }: autoscalingV2.MetricTarget,
  pods: readonly PodObject[],
  { name, container }: MeasuredResource,
  work: Work,
): Steps<Target> {
  if (averageUtilization === undefined) return { requests: undefined, value: thousandths(averageValue ?? '0') };
  const requests = new Map<string, number>();
  for (const { metadata, spec } of pods) {
    const containers = spec?.containers ?? [];
    if (work.spend(POD_UNITS + CONTAINER_UNITS * containers.length)) yield;
    let sum = 0;
    for (const one of containers) {
      if (container !== undefined && one.name !== container) continue;
      const request = one.resources?.requests?.[name];
      if (request === undefined)
        throw new Error(`missing request for ${name} in container ${one.name} of Pod ${metadata.name ?? ''}`);
      sum += thousandths(request);
    }
    requests.set(metadata.name ?? '', sum);
  }
  return { requests, value: averageUtilization };
}
