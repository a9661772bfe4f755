/**
 * The usage of simulated pods and nodes, as the metrics API shows it.
 *
 * @module
 */
import * as z from 'zod';
import {
  aName,
  checkOptions,
  formatQuantity,
  formatTime,
  groupName,
  matching,
  parseQuantity,
  systemGroup,
  type ApiObject,
  type Dialect,
  type OptionChecks,
} from '../foundation/index.js';
import { readAmounts, sumOf } from '../kinds/index.js';
import { defineServerKind, ResourceInfo, type ResourceDefinition } from '../registry/index.js';
import type { SimulatedNode, SimulatedPod } from './objects.js';

/** The usage of each container of a pod. */
export interface UsageOptions {
  /** Processor time, such as `250m`. Default 0. */
  readonly cpu?: string | undefined;
  /** Memory, such as `64Mi`. Default 0. */
  readonly memory?: string | undefined;
  /** Name of the container that is meant. Default all containers. */
  readonly container?: string | undefined;
}

const aQuantity = matching(
  'a quantity, such as 250m or 64Mi',
  (value) => typeof value === 'string' && parseQuantity(value) !== undefined,
);
const checks: OptionChecks<UsageOptions> = { cpu: aQuantity, memory: aQuantity, container: aName };

/** Checks what pods use. @throws TypeError that names the option and its requirement */
export function checkUsage(options: UsageOptions): void {
  checkOptions('use', options, checks);
}

const GROUP = systemGroup('metrics');
const VERSION = 'v1beta1';
const WINDOW = '30s';

const usage = z.record(z.string(), z.string());
const measured = { timestamp: z.string().optional(), window: z.string().optional() };

/** The usage of the containers of a pod. Computed when it is read. */
export const PodMetrics = defineServerKind({
  ...{ group: GROUP, version: VERSION, kind: 'PodMetrics', plural: 'pods', singular: 'pod', scope: 'Namespaced' },
  verbs: ['get', 'list'],
  storagePrefix: 'metrics/pods',
  schema: () => z.object({ ...measured, containers: z.array(z.object({ name: z.string(), usage })).optional() }),
});

/** The usage of the pods of a node together. Computed when it is read. */
export const NodeMetrics = defineServerKind({
  ...{ group: GROUP, version: VERSION, kind: 'NodeMetrics', plural: 'nodes', singular: 'node', scope: 'Cluster' },
  verbs: ['get', 'list'],
  storagePrefix: 'metrics/nodes',
  schema: () => z.object({ ...measured, usage: usage.optional() }),
});

/** The sources of the metrics. */
export interface MetricsSource {
  readonly dialect: Dialect;
  readonly nowMs: number;
  readonly pods: Iterable<SimulatedPod>;
  readonly nodes: Iterable<SimulatedNode>;
  /** Returns what the containers of a pod use. */
  readonly usageOf: (pod: SimulatedPod) => UsageOptions | undefined;
}

interface Amount {
  readonly cpu: string;
  readonly memory: string;
}

/** Returns the objects of a kind of metrics, by their keys. */
export function metricsOf(definition: ResourceDefinition, source: MetricsSource): Map<string, ApiObject> {
  const info = new ResourceInfo(definition, source.dialect);
  const common = { apiVersion: `${groupName(GROUP, source.dialect)}/${VERSION}`, kind: definition.kind };
  const now = formatTime(source.nowMs);
  const object = (
    key: { name: string; namespace?: string | undefined },
    labels: Labels,
    fields: object,
  ): [string, ApiObject] => {
    const metadata = { ...key, creationTimestamp: now, ...(labels === undefined ? {} : { labels }) };
    return [
      info.key(key.namespace ?? '', key.name),
      { ...common, metadata, timestamp: now, window: WINDOW, ...fields },
    ];
  };
  if (definition === PodMetrics)
    return new Map(
      running(source.pods).map((pod) => {
        const { name = '', namespace = '', labels } = pod.metadata;
        return object({ name, namespace }, labels, { containers: containersOf(pod, source.usageOf(pod)) });
      }),
    );
  const sums = sumsByNode(source);
  return new Map(
    Array.from(source.nodes, ({ metadata: { name = '', labels } }) =>
      object({ name }, labels, { usage: sums.get(name) ?? NOTHING }),
    ),
  );
}

type Labels = Readonly<Record<string, string>> | undefined;

const NOTHING: Amount = { cpu: '0', memory: '0' };

/** Only pods that run on a simulated node are measured. */
const running = (pods: Iterable<SimulatedPod>): SimulatedPod[] =>
  [...pods].filter(({ status }) => status?.phase === 'Running' && status.hostIP !== undefined);

function containersOf({ spec }: SimulatedPod, used: UsageOptions | undefined): { name: string; usage: Amount }[] {
  return (spec?.containers ?? []).map(({ name }) => {
    const isMeant = used?.container === undefined || used.container === name;
    return { name, usage: isMeant ? { cpu: used?.cpu ?? '0', memory: used?.memory ?? '0' } : NOTHING };
  });
}

function added(one: Amount, other: Amount): Amount {
  const [a, b] = [readAmounts({ ...one }), readAmounts({ ...other })];
  const sum = (name: keyof Amount): string => {
    const [first, second] = [a.get(name), b.get(name)];
    return first === undefined || second === undefined ? '0' : formatQuantity(sumOf(first, second));
  };
  return { cpu: sum('cpu'), memory: sum('memory') };
}

function sumsByNode({ pods, usageOf }: MetricsSource): Map<string, Amount> {
  const sums = new Map<string, Amount>();
  for (const pod of running(pods)) {
    const nodeName = pod.spec?.nodeName ?? '';
    for (const { usage: used } of containersOf(pod, usageOf(pod))) {
      sums.set(nodeName, added(sums.get(nodeName) ?? NOTHING, used));
    }
  }
  return sums;
}
