/**
 * The status that the kubelet writes for a simulated pod.
 *
 * @see release 1.31, `pkg/kubelet/status/generate.go` for the words of the conditions
 * @module
 */
import { decodeBase64Url, encodeHex, formatTime, ownMember } from '../../foundation/index.js';
import type { coreV1 } from '../../kinds/index.js';
import { tokenDigest } from '../../security/index.js';
import type { SimulatedPod } from '../objects.js';
import type { ContainerEnd, ContainerMachine } from './container-machine.js';
import { PREEMPTED } from './critical-pods.js';
import type { PodPlan } from './outcomes.js';
import type { PodFailure, PodMachine } from './pod-machine.js';

/** The facts about its node in a pod's status. */
export interface PodPlace {
  readonly hostIP: string;
  readonly podIP: string;
  readonly nodeIsReady: boolean;
}

type Container = Pick<coreV1.Container, 'name' | 'image'>;

/** Returns the status of a pod. */
export function podStatus(pod: SimulatedPod, machine: PodMachine, place: PodPlace, nowMs: number): coreV1.PodStatus {
  const { spec = { containers: [] }, status: old = {} } = pod;
  const { failure } = machine;
  const phase = machine.phase();
  const statuses = statusesOf(pod, machine);
  const { hostIP, podIP, nodeIsReady } = place;
  const network = machine.hasStarted ? { podIP, podIPs: [{ ip: podIP }] } : {};
  return {
    phase,
    conditions: conditionsOf(pod, machine, statuses, { nodeIsReady, nowMs }),
    ...(failure === undefined ? {} : { reason: failure.reason, message: failure.message }),
    ...{ hostIP, hostIPs: [{ ip: hostIP }], ...network },
    startTime: formatTime(machine.startMs),
    ...(spec.initContainers === undefined ? {} : { initContainerStatuses: statuses.init }),
    containerStatuses: statuses.main,
    ...(spec.ephemeralContainers === undefined
      ? {}
      : { ephemeralContainerStatuses: ephemeral(pod, spec.ephemeralContainers, nowMs) }),
    ...(old.qosClass === undefined ? {} : { qosClass: old.qosClass }),
    ...(old.nominatedNodeName === undefined ? {} : { nominatedNodeName: old.nominatedNodeName }),
    ...(old.resourceClaimStatuses === undefined ? {} : { resourceClaimStatuses: old.resourceClaimStatuses }),
  };
}

interface Statuses {
  readonly init: coreV1.ContainerStatus[];
  readonly main: coreV1.ContainerStatus[];
}

function statusesOf(pod: SimulatedPod, machine: PodMachine): Statuses {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const waiting = machine.isInitialized && initContainers.length === 0 ? 'ContainerCreating' : 'PodInitializing';
  const of = (container: Container): coreV1.ContainerStatus[] => {
    const found = machine.containers.find(({ name }) => name === container.name);
    return found === undefined ? [] : [statusOf(pod, container, found, waiting)];
  };
  return { init: initContainers.flatMap(of), main: containers.flatMap(of) };
}

/** Returns the status of a container. @param waiting reason of a container that has not started */
function statusOf(
  pod: SimulatedPod,
  { name, image = '' }: Container,
  machine: ContainerMachine,
  waiting: string,
): coreV1.ContainerStatus {
  const { ready, restarts, hasStarted, state } = machine;
  const last = state === 'terminated' || machine.isBackingOff ? machine.end : machine.lastEnd;
  const shownLast = state === 'terminated' ? machine.lastEnd : last;
  return {
    name,
    state: stateOf(pod, image, machine, waiting),
    lastState: shownLast === undefined ? {} : { terminated: terminated(pod, name, shownLast) },
    ...{ ready, restartCount: restarts, image, imageID: hasStarted ? imageId(image) : '' },
    ...(hasStarted ? { containerID: containerId(pod, name, restarts) } : {}),
    started: state === 'running',
  };
}

function stateOf(pod: SimulatedPod, image: string, machine: ContainerMachine, waiting: string): coreV1.ContainerState {
  const { name, state, startedMs, end, waits, backoffMs } = machine;
  if (state === 'running') return { running: { startedAt: formatTime(startedMs) } };
  if (state === 'terminated' && end !== undefined) return { terminated: terminated(pod, name, end) };
  if (machine.isBackingOff) return { waiting: { reason: 'CrashLoopBackOff', message: backOff(pod, name, backoffMs) } };
  if (waits === undefined) return { waiting: { reason: waiting } };
  const message = waitingMessage(waits, image);
  return { waiting: { reason: waits.reason, ...(message === undefined ? {} : { message }) } };
}

/** Returns the message of a container that does not start; undefined when the kubelet says nothing. */
export function waitingMessage(waits: NonNullable<PodPlan['waits']>, image: string): string | undefined {
  return waits.message ?? ownMember(WAITING_MESSAGES, waits.reason)?.(image);
}

const WAITING_MESSAGES: Readonly<Record<string, (image: string) => string>> = {
  ErrImagePull: (image) =>
    `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`,
  ImagePullBackOff: (image) => `Back-off pulling image "${image}"`,
};

function backOff({ metadata }: SimulatedPod, container: string, backoffMs: number): string {
  const { name = '', namespace = '', uid = '' } = metadata;
  const seconds = backoffMs / 1000;
  const pause = seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  return `back-off ${pause} restarting failed container=${container} pod=${name}_${namespace}(${uid})`;
}

function terminated(pod: SimulatedPod, container: string, end: ContainerEnd): coreV1.ContainerStateTerminated {
  const { exitCode, reason, message, startedMs, finishedMs, run } = end;
  return {
    ...{ exitCode, reason, ...(message === undefined ? {} : { message }) },
    ...{ startedAt: formatTime(startedMs), finishedAt: formatTime(finishedMs) },
    containerID: containerId(pod, container, run),
  };
}

/** A container added for debugging runs from its creation on. */
function ephemeral(
  pod: SimulatedPod,
  containers: readonly coreV1.EphemeralContainer[],
  nowMs: number,
): coreV1.ContainerStatus[] {
  const known = new Map(pod.status?.ephemeralContainerStatuses?.map((status) => [status.name, status]));
  return containers.map(
    ({ name, image = '' }): coreV1.ContainerStatus =>
      known.get(name) ?? {
        ...{ name, state: { running: { startedAt: formatTime(nowMs) } }, lastState: {}, ready: false },
        ...{ restartCount: 0, image, imageID: imageId(image), containerID: containerId(pod, name, 0) },
      },
  );
}

const containerId = ({ metadata: { uid = '' } }: SimulatedPod, container: string, run: number): string =>
  `simulated://${uid}/${container}/${run}`;

/** Returns the ID of an image: its name with a digest, the same for each pull. */
function imageId(image: string): string {
  const repository = image.replace(/(:[^:/]*)?(@[^@]*)?$/, '');
  return `${repository}@sha256:${digestOf(image)}`;
}

const digestOf = (image: string): string => encodeHex(decodeBase64Url(tokenDigest(image)) ?? new Uint8Array(32));

type Condition = Pick<coreV1.PodCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Conditions of pods that the node agent writes. */
export const AGENT_CONDITIONS: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
]);

function conditionsOf(
  pod: SimulatedPod,
  machine: PodMachine,
  statuses: Statuses,
  { nodeIsReady, nowMs }: { readonly nodeIsReady: boolean; readonly nowMs: number },
): coreV1.PodCondition[] {
  const containersReady = containersReadyOf(machine, statuses);
  const conditions: Condition[] = [
    { type: 'PodReadyToStartContainers', status: machine.hasSandbox ? 'True' : 'False' },
    initializedOf(machine, statuses),
    // The node lifecycle controller makes pods of nodes unready that are not ready themselves.
    nodeIsReady ? readyOf(pod, containersReady) : { type: 'Ready', status: 'False' },
    { type: 'ContainersReady', ...containersReady },
    { type: 'PodScheduled', status: 'True' },
  ];
  const disruption = machine.failure && disruptionMessage(machine.failure);
  if (disruption !== undefined)
    conditions.unshift({
      ...{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' },
      message: disruption,
    });
  const old = pod.status?.conditions ?? [];
  const own = conditions.map((condition) => withTime(condition, old, nowMs));
  return [
    ...own,
    ...old.filter(({ type }) => !AGENT_CONDITIONS.has(type) && !own.some((other) => other.type === type)),
  ];
}

/** Returns what the condition says about a pod that its node has ended; undefined when the end is its own. */
function disruptionMessage({ reason, message }: PodFailure): string | undefined {
  if (reason === PREEMPTED.reason) return 'Pod was preempted by Kubelet to accommodate a critical pod.';
  return reason === 'Evicted' ? message : undefined;
}

function withTime(condition: Condition, old: readonly coreV1.PodCondition[], nowMs: number): coreV1.PodCondition {
  const before = old.find(({ type }) => type === condition.type);
  const unchanged = before?.status === condition.status ? before.lastTransitionTime : undefined;
  return { ...condition, lastTransitionTime: unchanged ?? formatTime(nowMs) };
}

function initializedOf(machine: PodMachine, { init }: Statuses): Condition {
  if (machine.phase() === 'Succeeded') return { type: 'Initialized', status: 'True', reason: 'PodCompleted' };
  if (machine.isInitialized) return { type: 'Initialized', status: 'True' };
  const passed = new Set(machine.containers.filter(({ isPassed }) => isPassed).map(({ name }) => name));
  const incomplete = init.map(({ name }) => name).filter((name) => !passed.has(name));
  return {
    ...{ type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized' },
    message: `containers with incomplete status: [${incomplete.join(' ')}]`,
  };
}

type State = Omit<Condition, 'type'>;

function containersReadyOf(machine: PodMachine, { init, main }: Statuses): State {
  const phase = machine.phase();
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const sidecars = new Set(machine.containers.filter(({ role }) => role === 'sidecar').map(({ name }) => name));
  const unready = [...init.filter(({ name }) => sidecars.has(name)), ...main].filter(({ ready }) => !ready);
  if (unready.length === 0) return { status: 'True' };
  const message = `containers with unready status: [${unready.map(({ name }) => name).join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

/** A pod with readiness gates is ready when their conditions are true, too. */
function readyOf({ spec, status }: SimulatedPod, containersReady: State): Condition {
  const type = 'Ready';
  if (containersReady.status !== 'True') return { type, ...containersReady };
  const problems = (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = (status?.conditions ?? []).find((condition) => condition.type === conditionType);
    if (gate === undefined) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (gate.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  if (problems.length === 0) return { type, status: 'True' };
  return { type, status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}
