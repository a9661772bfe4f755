import { groupName, parseTime, quantityToNumber, systemGroup, type Dialect } from '../../foundation/index.js';
import type { autoscalingV2 } from '../../kinds/index.js';
import type { AnyObject, ServedKinds } from '../runtime/served-kinds.js';
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

/**
 * Reads what pods use of a resource from the metrics API.
 *
 * @throws Error in the words of release 1.31 when there are no metrics
 */
export async function measuredUsage(
  kinds: ServedKinds,
  dialect: Dialect,
  namespace: string,
  labelSelector: string,
  { name, container }: MeasuredResource,
): Promise<Measurement> {
  const group = groupName(systemGroup('metrics'), dialect);
  const kind = kinds.find(`${group}/v1beta1`, 'PodMetrics');
  const problem = `unable to get metrics for resource ${name}`;
  if (kind === undefined)
    throw new Error(
      `${problem}: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.${group})`,
    );
  const { items } = await kind.client.namespace(namespace).list({ labelSelector });
  if (items.length === 0) throw new Error(`${problem}: no metrics returned from resource metrics API`);
  const used = new Map<string, number>();
  let latest: PodMetricsObject | undefined;
  for (const item of items as readonly PodMetricsObject[]) {
    const meant = (item.containers ?? []).filter((one) => container === undefined || one.name === container);
    if (meant.length === 0 || meant.some(({ usage }) => !Object.hasOwn(usage, name))) continue;
    used.set(
      item.metadata.name ?? '',
      meant.reduce((sum, { usage }) => sum + thousandths(usage[name] ?? '0'), 0),
    );
    latest = item;
  }
  const windowMs = Number.parseFloat(latest?.window ?? '0') * 1000;
  return { used, atMs: parseTime(latest?.timestamp ?? '') ?? 0, windowMs };
}

/**
 * Returns the target of a metric.
 *
 * @throws Error when a container does not request what its utilization is measured by
 */
export function targetOf(
  { averageUtilization, averageValue }: autoscalingV2.MetricTarget,
  pods: readonly PodObject[],
  { name, container }: MeasuredResource,
): Target {
  if (averageUtilization === undefined) return { requests: undefined, value: thousandths(averageValue ?? '0') };
  const requests = new Map<string, number>();
  for (const { metadata, spec } of pods) {
    let sum = 0;
    for (const one of spec?.containers ?? []) {
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
