import type { ResourceClient } from '../../client/index.js';
import {
  hasEnded,
  hasReason,
  keyedReconciler,
  objectKey,
  watched,
  type EventSink,
  type Reconciler,
  type WorkResult,
} from '../../controllers/index.js';
import { addMember, equalJson, formatTime, groupName } from '../../foundation/index.js';
import { isPodReady, Job, Pod } from '../../kinds/index.js';
import type { InputOf } from '../../registry/index.js';
import type { SimulatedPod } from '../objects.js';
import { podsToPreempt, PREEMPTED, type Lack } from '../pods/critical-pods.js';
import { COMPLETES, RUNS, type PodPlan } from '../pods/outcomes.js';
import { obstacleOf, type Obstacle, type Rejection } from '../pods/pod-admission.js';
import { PodMachine } from '../pods/pod-machine.js';
import { podProblems } from '../pods/pod-problems.js';
import { AGENT_CONDITIONS, podStatus } from '../pods/pod-status.js';
import type { Rule } from '../scheduling/rule-book.js';
import type { PodObject, SimulationContext } from '../scheduling/scheduler.js';
import { ClusterState } from './cluster-state.js';
import type { NodeHost, SimulatedNodes } from './nodes.js';

/** A pod on a simulated node. */
interface RunningPod {
  readonly uid: string;
  /** The pod as it was accepted. */
  readonly pod: PodObject;
  readonly nodeName: string;
  readonly machine: PodMachine;
  /** Undefined before the pod has one, and for a pod in the network of its node. */
  podIP: string | undefined;
  rule: Rule<SimulatedPod, PodPlan> | undefined;
  /** Whether the node was ready when the status was written; false when that is not known. */
  nodeWasReady: boolean;
  /** The problems that were reported as events. */
  reported: ReadonlySet<string>;
}

/** Runs the pods of the simulated nodes. */
export class Kubelet {
  readonly controller: Reconciler;
  readonly #context: SimulationContext;
  readonly #nodes: SimulatedNodes;
  readonly #pods: ResourceClient<PodObject, InputOf<typeof Pod>>;
  readonly #running = new Map<string, RunningPod>();
  /** The nodes with the pods that they have accepted. */
  readonly #accepted = new ClusterState();
  /** Keys of the pods of a node. */
  readonly #byNode = new Map<string, Set<string>>();
  readonly #jobApi: string;
  readonly #events: EventSink;
  /** Events of the controller that watches the agents. */
  readonly #controllerEvents: EventSink;

  constructor(context: SimulationContext, nodes: SimulatedNodes) {
    this.#context = context;
    this.#nodes = nodes;
    const { client, pods, podRules, dialect } = context;
    this.#pods = client.resource(Pod);
    this.#events = context.recorder.of('kubelet');
    this.#controllerEvents = context.recorder.of('node-controller');
    this.#jobApi = `${groupName(Job.group, dialect)}/`;
    this.controller = keyedReconciler(context, {
      name: 'kubelet',
      watches: [watched(Pod)],
      reconcile: (key) => this.#process(key),
    });
    const seen = (pod: PodObject): void => this.#seen(pod);
    pods.subscribe({ added: seen, updated: seen, deleted: (pod) => this.#forget(objectKey(pod)) });
    podRules.onChange(() => {
      for (const key of this.#running.keys()) this.controller.add(key);
    });
    nodes.subscribe({
      changed: (node) => {
        this.#accepted.setNode(node);
        for (const key of this.#byNode.get(node.metadata.name ?? '') ?? []) this.controller.add(key);
      },
      removed: ({ metadata }) => this.#accepted.removeNode(metadata.name ?? ''),
    });
  }

  #seen(pod: PodObject): void {
    const nodeName = pod.spec?.nodeName ?? '';
    if (nodeName === '') return;
    const key = objectKey(pod);
    addMember(this.#byNode, nodeName, key);
    const running = this.#running.get(key);
    // The room of a pod that has ended is free before its status says so.
    if (running !== undefined && !running.machine.isFinished) this.#accepted.setPod(pod);
    this.controller.add(key);
  }

  #forget(key: string): void {
    const running = this.#running.get(key);
    if (running === undefined) return;
    this.#running.delete(key);
    this.#accepted.removePod(running.pod);
    this.#byNode.get(running.nodeName)?.delete(key);
    if (running.podIP !== undefined) this.#nodes.host(running.nodeName)?.addresses.release(running.podIP);
  }

  async #process(key: string): Promise<WorkResult> {
    const pod = this.#context.pods.get(key);
    if (pod === undefined) return;
    const host = this.#nodes.host(pod.spec?.nodeName ?? '');
    if (host === undefined) return;
    if (host.rule?.plan.works === false) return this.#markUnready(key, pod);
    const obstacle = this.#isNew(key, pod) ? this.#obstacleOf(pod) : undefined;
    if (obstacle !== undefined) {
      const rejection = 'lacks' in obstacle ? await this.#makeRoom(pod, obstacle.lacks) : obstacle;
      if (rejection !== undefined) return this.#reject(pod, rejection);
      this.#runningOf(key, pod, host);
      // It starts when those that make room have ended, which wait in the queue before it.
      this.controller.add(key);
      return;
    }
    const running = this.#runningOf(key, pod, host);
    this.#follow(pod, running);
    const nowMs = this.#context.clock.now();
    const nextMs = running.machine.advance(nowMs);
    if (running.machine.isFinished || running.machine.isGone) this.#accepted.removePod(pod);
    if (nextMs < Infinity) this.controller.addAfter(key, nextMs - nowMs);
    try {
      if (running.machine.isGone) await this.#finish(pod, running, host);
      else await this.#writeStatus(pod, running, host);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return;
      // Another client has changed the pod: its event adds the key again.
      if (!hasReason(error, 'Conflict')) throw error;
    }
  }

  /** Returns whether the agent sees a pod for the first time. */
  #isNew(key: string, { metadata, status }: PodObject): boolean {
    return this.#running.get(key)?.uid !== metadata.uid && status?.startTime === undefined;
  }

  #obstacleOf(pod: PodObject): Obstacle | undefined {
    const state = this.#accepted.node(pod.spec?.nodeName ?? '');
    return state && obstacleOf(pod, state, this.#context.dialect);
  }

  /** Ends pods that a critical pod needs the room of. Returns why it is refused when there are too few. */
  async #makeRoom(pod: PodObject, lacks: readonly Lack[]): Promise<Rejection | undefined> {
    const state = this.#accepted.node(pod.spec?.nodeName ?? '');
    const victims = state === undefined ? [] : await podsToPreempt(pod, state, lacks, this.#context.dialect);
    if (typeof victims === 'string')
      return {
        reason: 'UnexpectedAdmissionError',
        message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ${victims}`,
      };
    for (const victim of victims) {
      const key = objectKey(victim);
      this.#running.get(key)?.machine.fail(PREEMPTED, this.#context.clock.now());
      this.#accepted.removePod(victim);
      this.controller.add(key);
    }
    return undefined;
  }

  /** Refuses a pod that does not fit its node: it fails. */
  async #reject(pod: PodObject, { reason, message }: Rejection): Promise<WorkResult> {
    const { qosClass, conditions = [] } = pod.status ?? {};
    const others = conditions.filter(({ type }) => !AGENT_CONDITIONS.has(type));
    const status = {
      ...{ phase: 'Failed', reason, message: `Pod was rejected: ${message}` },
      startTime: formatTime(this.#context.clock.now()),
      ...(others.length === 0 ? {} : { conditions: others }),
      ...(qosClass === undefined ? {} : { qosClass }),
    };
    try {
      await this.#pods.updateStatus({ ...pod, status });
      this.#events.event(pod, 'Warning', reason, message);
    } catch (error) {
      if (hasReason(error, 'Conflict')) return 'retry';
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  #runningOf(key: string, pod: PodObject, { addresses }: NodeHost): RunningPod {
    const uid = pod.metadata.uid ?? '';
    const known = this.#running.get(key);
    if (known?.uid === uid) return known;
    this.#forget(key);
    const machine = new PodMachine(pod, this.#context.clock.now());
    const { nodeName = '', hostNetwork } = pod.spec ?? {};
    const podIP = hostNetwork === true ? undefined : (pod.status?.podIP ?? addresses.take());
    if (podIP !== undefined) addresses.keep(podIP);
    this.#accepted.setPod(pod);
    const running = {
      uid,
      pod,
      nodeName,
      machine,
      podIP,
      rule: undefined,
      nodeWasReady: false,
      reported: new Set<string>(),
    };
    this.#running.set(key, running);
    return running;
  }

  /** Lets a pod follow the newest rule that concerns it. */
  #follow(pod: PodObject, running: RunningPod): void {
    const { machine } = running;
    const rule = this.#context.podRules.find(pod, (plan) => {
      if (plan.unschedulable !== undefined || (plan.waits !== undefined && machine.hasStarted)) return false;
      return plan.container === undefined || machine.containers.some(({ name }) => name === plan.container);
    });
    if (!machine.isFinished && rule !== running.rule) {
      rule?.hit(running.uid);
      running.rule = rule;
    }
    machine.limit(pod.spec?.activeDeadlineSeconds);
    machine.follow(running.rule?.plan ?? this.#defaultPlan(pod), this.#context.clock.now());
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    if (deletionTimestamp !== undefined) machine.delete(deletionGracePeriodSeconds, this.#context.clock.now());
  }

  /** Pods of Jobs complete, others run. */
  #defaultPlan({ metadata }: SimulatedPod): PodPlan {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    return owner?.kind === 'Job' && owner.apiVersion.startsWith(this.#jobApi) ? COMPLETES : RUNS;
  }

  /** Writes that a pod is not ready, because its node says nothing. The rest of its status stays. */
  async #markUnready(key: string, pod: PodObject): Promise<WorkResult> {
    const running = this.#running.get(key);
    if (running !== undefined) running.nodeWasReady = false;
    if (!isPodReady(pod)) return;
    const now = formatTime(this.#context.clock.now());
    const conditions = pod.status?.conditions?.map((condition) =>
      condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime: now } : condition,
    );
    try {
      await this.#pods.updateStatus({ ...pod, status: { ...pod.status, conditions } });
      this.#reportUnready(pod);
    } catch (error) {
      if (hasReason(error, 'Conflict')) return 'retry';
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  #reportUnready(pod: PodObject): void {
    this.#controllerEvents.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
  }

  async #writeStatus(pod: PodObject, running: RunningPod, host: NodeHost): Promise<void> {
    const { machine } = running;
    // An end is final.
    if (hasEnded(pod)) {
      machine.isChanged = false;
      return;
    }
    const nodeIsReady = (host.rule?.plan.ready ?? 'True') === 'True';
    const { readinessGates, ephemeralContainers } = pod.spec ?? {};
    if (
      !machine.isChanged &&
      nodeIsReady === running.nodeWasReady &&
      readinessGates === undefined &&
      ephemeralContainers === undefined
    )
      return;
    const status = this.#statusOf(pod, running, host, nodeIsReady);
    if (!equalJson(status, pod.status ?? {})) await this.#pods.updateStatus({ ...pod, status });
    if (!nodeIsReady && running.nodeWasReady && isPodReady(pod)) this.#reportUnready(pod);
    machine.isChanged = false;
    running.nodeWasReady = nodeIsReady;
    this.#report(pod, running);
  }

  /** Reports new problems of a pod as events. */
  #report(pod: PodObject, running: RunningPod): void {
    const problems = podProblems(pod, running.machine);
    for (const { key, type, reason, message } of problems)
      if (!running.reported.has(key)) this.#events.event(pod, type, reason, message);
    if (problems.length + running.reported.size > 0) running.reported = new Set(problems.map(({ key }) => key));
  }

  #statusOf(pod: PodObject, { machine, podIP }: RunningPod, { hostIP }: NodeHost, nodeIsReady: boolean) {
    return podStatus(pod, machine, { hostIP, podIP: podIP ?? hostIP, nodeIsReady }, this.#context.clock.now());
  }

  /**
   * Removes a deleted pod whose containers have ended. The last status is written only when somebody waits for it: a
   * finalizer keeps the pod.
   */
  async #finish(pod: PodObject, running: RunningPod, host: NodeHost): Promise<void> {
    const { namespace = '', name = '', uid, finalizers = [] } = pod.metadata;
    const { phase } = pod.status ?? {};
    if (finalizers.length > 0 && phase !== 'Succeeded' && phase !== 'Failed') {
      await this.#pods.updateStatus({ ...pod, status: this.#statusOf(pod, running, host, true) });
      return;
    }
    if (pod.metadata.deletionGracePeriodSeconds === 0) return;
    await this.#pods
      .namespace(namespace)
      .delete(name, { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { preconditions: { uid } }) });
  }
}
