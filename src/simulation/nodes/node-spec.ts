import {
  aBoolean,
  aCount,
  aName,
  checkOptions,
  either,
  listOf,
  matching,
  nested,
  oneOf,
  parseQuantity,
  type OptionChecks,
} from '../../foundation/index.js';
import { cloudChecks, type CloudOptions } from '../cloud/cloud.js';

/** A simulated node. */
export interface NodeSpec {
  /** Name of the node; default `node-1`, `node-2` and so on, by its place in the list. */
  readonly name?: string | undefined;
  /** Labels besides those of every node: host name, operating system, architecture. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Zone of the node, as its topology label. */
  readonly zone?: string | undefined;
  readonly taints?: readonly NodeTaint[] | undefined;
  /**
   * Resources for pods, such as `{ cpu: '2', 'example.com/gpu': '1' }`. Defaults: 16 cores, 64 GiB of memory and 256
   * GiB of storage for containers, and 110 pods.
   */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
}

/** A taint of a node. */
export interface NodeTaint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** Options of {@link createSimulation}. */
export interface SimulationOptions {
  /**
   * Nodes to create: a number of equal nodes, or a list of nodes. Default 3. With 0, pods run on the nodes that the
   * program creates.
   */
  readonly nodes?: number | readonly NodeSpec[] | undefined;
  /**
   * Whether the nodes renew their leases every ten seconds, as a node that is alive does. Default false: a test that
   * advances the clock by hours would renew thousands of leases.
   */
  readonly heartbeats?: boolean | undefined;
  /**
   * A fake cloud, which gives addresses to Services of the type LoadBalancer and volumes to claims: true, or options.
   * Pods then wait for the volumes of their claims. Default none.
   */
  readonly cloud?: boolean | CloudOptions | undefined;
}

const texts = matching(
  'an object of strings',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string'),
);
const quantities = matching(
  'an object of quantities, such as { cpu: "2", memory: "4Gi" }',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string' && parseQuantity(text) !== undefined),
);
const taintChecks: OptionChecks<NodeTaint> = {
  key: aName,
  value: matching('a string', (value) => typeof value === 'string'),
  effect: oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
};
const nodeChecks: OptionChecks<NodeSpec> = {
  name: aName,
  labels: texts,
  annotations: texts,
  zone: aName,
  taints: listOf(nested(taintChecks, ['key', 'effect']), 'a list of taints'),
  capacity: quantities,
};
const checks: OptionChecks<SimulationOptions> = {
  nodes: (value, path) =>
    Array.isArray(value)
      ? listOf(nested(nodeChecks), 'a number, or a list of nodes')(value, path)
      : aCount('nodes')(value, path),
  heartbeats: aBoolean,
  cloud: either(
    matching('true, or options of the cloud', (value) => typeof value === 'boolean'),
    nested(cloudChecks),
  ),
};

/** Checks the options of a simulation. @throws TypeError that names the option and its requirement */
export function checkSimulationOptions(options: SimulationOptions): void {
  checkOptions('createSimulation', options, checks);
}

/** Number of nodes of a simulation without the option `nodes`. */
const DEFAULT_NODES = 3;

/** Returns the nodes of the options, with their names. */
export function nodesOf({ nodes = DEFAULT_NODES }: SimulationOptions): (NodeSpec & { readonly name: string })[] {
  const specs: readonly NodeSpec[] = typeof nodes === 'number' ? Array.from({ length: nodes }, () => ({})) : nodes;
  return specs.map((spec, index) => ({ ...spec, name: spec.name ?? `node-${index + 1}` }));
}
