import type { EventType } from '../../controllers/index.js';
import type { SimulatedPod } from '../objects.js';
import type { ContainerMachine } from './container-machine.js';
import type { PodMachine } from './pod-machine.js';
import { waitingMessage } from './pod-status.js';

/** A problem of a pod that an event reports. */
export interface PodProblem {
  /** Tells problems apart: the same one is reported once. */
  readonly key: string;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** Returns the current problems of a pod, in the words of the kubelet. */
export function podProblems(pod: SimulatedPod, machine: PodMachine): PodProblem[] {
  const problems = machine.containers.flatMap((container) => containerProblems(pod, container));
  const { failure } = machine;
  if (failure !== undefined) problems.push({ key: failure.reason, type: 'Warning', ...failure });
  return problems;
}

function containerProblems(pod: SimulatedPod, container: ContainerMachine): PodProblem[] {
  const { name: podName = '', namespace = '', uid = '' } = pod.metadata;
  const { name, restarts, waits } = container;
  if (container.isBackingOff)
    return [
      {
        ...{ key: `${name}/${restarts}`, type: 'Warning', reason: 'BackOff' },
        message: `Back-off restarting failed container ${name} in pod ${podName}_${namespace}(${uid})`,
      },
    ];
  if (waits === undefined || container.state !== 'waiting' || !waits.reason.includes('Image')) return [];
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const image = containers.find((other) => other.name === name)?.image ?? '';
  const text = waitingMessage(waits, image) ?? '';
  const key = `${name}/${waits.reason}`;
  const cause: PodProblem =
    waits.reason === 'ImagePullBackOff'
      ? { key, type: 'Normal', reason: 'BackOff', message: text }
      : { key, type: 'Warning', reason: 'Failed', message: `Failed to pull image "${image}": ${text}` };
  return [cause, { key: `${key}/error`, type: 'Warning', reason: 'Failed', message: `Error: ${waits.reason}` }];
}
