import type { ResourceClient } from '../../client/index.js';
import {
  hasReason,
  keyedReconciler,
  watched,
  type EventSink,
  type Informer,
  type Controller,
  type Reconciler,
  type RecordingHost,
} from '../../controllers/index.js';
import { equalJson, formatMicroTime, formatTime, type Dialect, type JsonValue } from '../../foundation/index.js';
import { Lease, Node, type coreV1 } from '../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../registry/index.js';
import type { NodeCondition, NodeSpecFields, NodeStatusFields, SimulatedNode } from '../objects.js';
import { formatIPv4, parseIPv4, PodAddressRange } from '../pods/pod-addresses.js';
import type { Rule, RuleBook } from '../scheduling/rule-book.js';
import { nodeConditions, nodeTaints, type NodePlan } from './node-outcomes.js';
import type { NodeSpec } from './node-spec.js';

type NodeObject = ObjectOf<typeof Node>;
type Nodes = ResourceClient<NodeObject, InputOf<typeof Node>>;

/** A node whose agent is simulated. */
export interface NodeHost {
  readonly hostIP: string;
  readonly addresses: PodAddressRange;
  /** The rule that the node follows. */
  readonly rule: Rule<SimulatedNode, NodePlan> | undefined;
}

/** The parts that the nodes need. */
export interface NodesContext extends RecordingHost {
  readonly specs: readonly (NodeSpec & { readonly name: string })[];
  readonly heartbeats: boolean;
  readonly rules: RuleBook<SimulatedNode, NodePlan>;
}

/** Called when a node is there, has changed, or is gone. */
export interface NodeListener {
  changed(node: SimulatedNode): void;
  removed(node: SimulatedNode): void;
}

/** Prefix by which a simulation knows the nodes that it runs. */
const RUNTIME = 'simulated://';
const VERSION = 'v1.31.0';
const HEARTBEAT_MS = 10_000;
const LEASE_SECONDS = 40;
const FIRST_HOST = '172.18.0.2';
const FIRST_RANGE = '10.244.0.0';
const CAPACITY = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '256Gi', pods: '110' };
/** The key of the first work: the nodes of the options. */
const CREATE = '';

/** The nodes of a simulation: those of its options, and those that the program creates and no agent reports on. */
export class SimulatedNodes {
  readonly informer: Informer<NodeObject>;
  readonly controllers: readonly Controller[];
  /** Resolves when the nodes of the options exist. */
  readonly ready: Promise<void>;
  readonly #context: NodesContext;
  readonly #nodes: Nodes;
  readonly #controller: Reconciler;
  readonly #heartbeats: Reconciler;
  readonly #hosts = new Map<string, NodeHost>();
  readonly #listeners: NodeListener[] = [];
  /** Events of the agents, and of the controller that watches them. */
  readonly #agentEvents: EventSink;
  readonly #controllerEvents: EventSink;
  #created: () => void = () => undefined;
  #nextHost = parseIPv4(FIRST_HOST) ?? 0;
  #nextRange = parseIPv4(FIRST_RANGE) ?? 0;

  constructor(context: NodesContext) {
    this.#context = context;
    const { client, rules } = context;
    this.#nodes = client.resource(Node);
    this.#agentEvents = context.recorder.of('kubelet');
    this.#controllerEvents = context.recorder.of('node-controller');
    this.informer = context.informers.of(Node);
    this.#controller = keyedReconciler(context, {
      name: 'node-controller',
      watches: [watched(Node)],
      reconcile: (key) => (key === CREATE ? this.#createAll() : this.#process(key)),
    });
    this.#heartbeats = keyedReconciler(context, {
      name: 'node-lease',
      reconcile: (name) => this.#renewLease(name),
    });
    this.controllers = [this.#controller, this.#heartbeats];
    this.ready = new Promise((resolve) => (this.#created = resolve));
    this.#controller.add(CREATE);
    const seen = (node: NodeObject): void => this.#seen(node);
    this.informer.subscribe({ added: seen, updated: seen, deleted: (node) => this.#removed(node) });
    rules.onChange(() => {
      for (const name of this.#hosts.keys()) this.#controller.add(name);
    });
  }

  subscribe(listener: NodeListener): void {
    this.#listeners.push(listener);
  }

  /** Returns a simulated node; undefined for an unknown node, and for one with an agent of its own. */
  host(name: string): NodeHost | undefined {
    const host = this.#hosts.get(name);
    const node = this.#context.rules.isEmpty ? undefined : this.informer.get(name);
    // A rule counts from its creation, although it takes a moment to write what it changes.
    return host === undefined || node === undefined ? host : { ...host, rule: this.#context.rules.find(node) };
  }

  /** Returns a node as its rule makes it. */
  ruled(node: SimulatedNode): SimulatedNode {
    const { rules, dialect, clock } = this.#context;
    const plan = rules.isEmpty || !isSimulated(node) ? undefined : rules.find(node)?.plan;
    if (plan === undefined) return node;
    const spec = plan.cordons ? { ...node.spec, unschedulable: true } : (node.spec ?? {});
    return { ...node, spec: { ...spec, taints: nodeTaints(spec, plan, dialect, formatTime(clock.now())) } };
  }

  /** Creates a node. */
  async create(spec: NodeSpec & { readonly name: string }): Promise<void> {
    try {
      const { items } = await this.#nodes.list({ fieldSelector: `metadata.name=${spec.name}`, limit: 1 });
      if (items.length > 0) return;
      const node = nodeOf(spec, this.#context.dialect);
      await this.#nodes.create({ ...node, ...this.#filled(node) });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    }
  }

  async #createAll(): Promise<void> {
    for (const spec of this.#context.specs) await this.create(spec);
    this.#created();
  }

  #seen(node: NodeObject): void {
    const name = node.metadata.name ?? '';
    if (!isSimulated(node)) {
      this.#hosts.delete(name);
    } else {
      this.#adopt(name, node);
      this.#controller.add(name);
    }
    for (const listener of this.#listeners) listener.changed(node);
  }

  #removed(node: NodeObject): void {
    this.#hosts.delete(node.metadata.name ?? '');
    for (const listener of this.#listeners) listener.removed(node);
  }

  #adopt(name: string, { spec, status }: SimulatedNode): void {
    const address = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
    if (this.#hosts.has(name) || address === undefined || spec?.podCIDR === undefined) return;
    this.#nextHost = Math.max(this.#nextHost, (parseIPv4(address) ?? 0) + 1);
    this.#nextRange = Math.max(this.#nextRange, endOf(spec.podCIDR));
    this.#hosts.set(name, { hostIP: address, addresses: new PodAddressRange(spec.podCIDR), rule: undefined });
    if (this.#context.heartbeats) this.#heartbeats.add(name);
  }

  /** Brings a node to the state that its rule asks for. */
  async #process(name: string): Promise<void> {
    const node = this.informer.get(name);
    if (node === undefined || !isSimulated(node)) return;
    const rule = this.#context.rules.find(node);
    const host = this.#hosts.get(name);
    rule?.hit(node.metadata.uid ?? '');
    try {
      const spec = this.#specOf(node, host?.rule?.plan, rule?.plan);
      if (!same(spec, node.spec ?? {})) await this.#nodes.update({ ...node, spec });
      else {
        const status = {
          ...node.status,
          ...this.#filled(node).status,
          conditions: this.#conditionsOf(node, rule?.plan),
        };
        if (!same(status, node.status)) await this.#nodes.updateStatus({ ...node, status });
        this.#report(node, status.conditions);
      }
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
    if (host === undefined || host.rule === rule) return;
    this.#hosts.set(name, { ...host, rule });
    const current = this.informer.get(name);
    if (current !== undefined) for (const listener of this.#listeners) listener.changed(current);
  }

  #specOf(node: NodeObject, before: NodePlan | undefined, plan: NodePlan | undefined): NodeSpecFields {
    const { podCIDR, podCIDRs } = this.#filled(node).spec;
    const { unschedulable, ...rest } = node.spec ?? {};
    const changes = (before?.cordons === true) !== (plan?.cordons === true);
    const cordoned = changes ? plan?.cordons === true : unschedulable === true;
    const spec: NodeSpecFields = { ...rest, podCIDR, podCIDRs, ...(cordoned ? { unschedulable: true } : {}) };
    const { taints: _, ...untainted } = spec;
    const taints = nodeTaints(spec, plan, this.#context.dialect, formatTime(this.#context.clock.now()));
    return taints.length === 0 ? untainted : { ...untainted, taints };
  }

  /** Reports as events that a node has become ready, or is no longer. A node that says nothing reports nothing. */
  #report(node: SimulatedNode, conditions: readonly NodeCondition[]): void {
    const before = readiness(node.status?.conditions);
    const after = readiness(conditions);
    if (before === undefined || before === after) return;
    const reason = after === 'True' ? 'NodeReady' : 'NodeNotReady';
    const message = `Node ${node.metadata.name ?? ''} status is now: ${reason}`;
    if (after !== 'Unknown') this.#agentEvents.event(node, 'Normal', reason, message);
    if (before === 'True') this.#controllerEvents.event(node, 'Normal', reason, message);
  }

  #conditionsOf({ status }: SimulatedNode, plan: NodePlan | undefined): NodeCondition[] {
    const now = formatTime(this.#context.clock.now());
    const old = status?.conditions ?? [];
    const own = nodeConditions(plan).map((condition) => {
      const before = old.find(({ type }) => type === condition.type);
      const unchanged = before?.status === condition.status;
      return {
        ...condition,
        lastHeartbeatTime: (unchanged ? before.lastHeartbeatTime : undefined) ?? now,
        lastTransitionTime: (unchanged ? before.lastTransitionTime : undefined) ?? now,
      };
    });
    return [...own, ...old.filter(({ type }) => !own.some((condition) => condition.type === type))];
  }

  /** Returns what the agent of a node reports, beside what the node has already. */
  #filled({ metadata, spec, status = {} }: SimulatedNode): { spec: NodeSpecFields; status: NodeStatusFields } {
    const capacity = { ...CAPACITY, ...status.capacity };
    const podCIDR = spec?.podCIDR ?? this.#takeRange(Number(capacity.pods));
    const addresses = status.addresses ?? [
      { type: 'InternalIP', address: this.#takeHost() },
      { type: 'Hostname', address: metadata.name ?? '' },
    ];
    return {
      spec: { ...spec, podCIDR, podCIDRs: spec?.podCIDRs ?? [podCIDR] },
      status: {
        ...{ capacity, allocatable: { ...capacity, ...status.allocatable }, addresses },
        conditions: this.#conditionsOf({ apiVersion: '', kind: '', metadata, status }, undefined),
        nodeInfo: status.nodeInfo?.kubeletVersion ? status.nodeInfo : nodeInfo(metadata.name ?? ''),
      },
    };
  }

  #takeHost(): string {
    this.#nextHost += 1;
    return formatIPv4(this.#nextHost - 1);
  }

  /** Returns a range of addresses for a number of pods; at least 256 addresses. */
  #takeRange(pods: number): string {
    const bits = Math.min(24, 32 - Math.ceil(Math.log2(Math.max(pods, 1) + 3)));
    const size = 2 ** (32 - bits);
    const start = Math.ceil(this.#nextRange / size) * size;
    this.#nextRange = start + size;
    return `${formatIPv4(start)}/${bits}`;
  }

  /** Renews the lease of a node whose agent works, and plans the next time. */
  async #renewLease(name: string): Promise<void> {
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    this.#heartbeats.addAfter(name, HEARTBEAT_MS);
    if (host.rule?.plan.works === false) return;
    const { client, clock, dialect } = this.#context;
    const leases = client.resource(Lease).namespace(dialect.namespaces.nodeLease);
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: formatMicroTime(clock.now()) };
    try {
      await leases.patch(name, { spec });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      await leases.create({ metadata: { name, ownerReferences: this.#ownerOf(name) }, spec });
    }
  }

  #ownerOf(name: string) {
    const uid = this.informer.get(name)?.metadata.uid ?? '';
    return [{ apiVersion: 'v1', kind: 'Node', name, uid }];
  }
}

const readiness = (conditions: readonly NodeCondition[] | undefined): string | undefined =>
  conditions?.find(({ type }) => type === 'Ready')?.status;

const same = (a: object, b: object | undefined): boolean => equalJson(a as JsonValue, (b ?? {}) as JsonValue);

/** A node is simulated when no agent reports on it, or a simulation. */
function isSimulated({ status }: SimulatedNode): boolean {
  const { kubeletVersion = '', containerRuntimeVersion = '' } = status?.nodeInfo ?? {};
  return kubeletVersion === '' || containerRuntimeVersion.startsWith(RUNTIME);
}

function endOf(range: string): number {
  const [base = '', bits = '24'] = range.split('/');
  return (parseIPv4(base) ?? 0) + 2 ** (32 - Number(bits));
}

function nodeOf(
  { name, labels, annotations, zone, taints, capacity }: NodeSpec,
  { labelDomain }: Dialect,
): SimulatedNode {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      ...(name === undefined ? {} : { name }),
      labels: {
        [`${labelDomain}/hostname`]: name ?? '',
        [`${labelDomain}/os`]: 'linux',
        [`${labelDomain}/arch`]: 'amd64',
        ...(zone === undefined ? {} : { [`topology.${labelDomain}/zone`]: zone }),
        ...labels,
      },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    spec: taints === undefined ? {} : { taints: taints.map((taint) => ({ ...taint })) },
    status: capacity === undefined ? {} : { capacity: { ...capacity } },
  };
}

function nodeInfo(name: string): coreV1.NodeSystemInfo {
  return {
    ...{ machineID: name, systemUUID: name, bootID: name },
    ...{ kernelVersion: 'simulated', osImage: 'simulated', operatingSystem: 'linux', architecture: 'amd64' },
    ...{ containerRuntimeVersion: `${RUNTIME}1`, kubeletVersion: VERSION, kubeProxyVersion: VERSION },
  };
}
