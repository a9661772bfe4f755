import * as z from 'zod';
import {
  always,
  alwaysStruct,
  annotate,
  atomicList,
  enumOf,
  goNamed,
  int32,
  optional,
  mapList,
  omitted,
  struct,
  time,
} from '../../../schema/vocabulary.js';
import { unsetIsNull } from '../../shared/facts.js';
import { once } from '../../shared/once.js';
import { resourceList } from '../../shared/resource-list.js';
import { resourceRequirements } from './resource-requirements-schema.js';
import { containerUser } from './security-schema.js';

const containerState = once(() =>
  struct('ContainerState', {
    waiting: optional(
      1,
      struct('ContainerStateWaiting', {
        reason: omitted(1, z.string(), { description: 'Reason as a CamelCase word.' }),
        message: omitted(2, z.string(), { description: 'Human-readable message.' }),
      }),
      { description: 'Not running yet.' },
    ),
    running: optional(
      2,
      struct('ContainerStateRunning', {
        startedAt: unsetIsNull(1, time(), { description: 'Time when the container started.' }),
      }),
      { description: 'Running.' },
    ),
    terminated: optional(
      3,
      struct('ContainerStateTerminated', {
        exitCode: always(1, int32(), { description: 'Exit status.' }),
        signal: omitted(2, int32(), { description: 'Signal that ended it.' }),
        reason: omitted(3, z.string(), { description: 'Reason as a CamelCase word.' }),
        message: omitted(4, z.string(), { description: 'Termination message.' }),
        startedAt: unsetIsNull(5, time()),
        finishedAt: unsetIsNull(6, time()),
        containerID: omitted(7, z.string()),
      }),
      { description: 'Ended.' },
    ),
  }),
);

const mountStatus = once(() =>
  struct('VolumeMountStatus', {
    name: always(1, z.string()),
    mountPath: always(2, z.string()),
    readOnly: omitted(3, z.boolean()),
    recursiveReadOnly: optional(4, goNamed('v1.RecursiveReadOnlyMode', z.string())),
  }),
);

const resourceStatus = once(() =>
  struct('ResourceStatus', {
    name: always(1, goNamed('v1.ResourceName', z.string())),
    // As in Kubernetes, these two lists have keys for apply and no merge key for strategic merge.
    resources: omitted(
      2,
      annotate(
        z.array(
          struct('ResourceHealth', {
            resourceID: always(1, goNamed('v1.ResourceID', z.string())),
            health: omitted(2, goNamed('v1.ResourceHealthStatus', z.string())),
          }),
        ),
        { listType: 'map', listMapKeys: ['resourceID'] },
      ),
    ),
  }),
);

const containerStatus = once(() =>
  struct('ContainerStatus', {
    name: always(1, z.string(), { description: 'Name of the container.' }),
    state: alwaysStruct(2, containerState(), { description: 'Current state.' }),
    lastState: alwaysStruct(3, containerState(), { description: 'Last termination state.' }),
    ready: always(4, z.boolean(), { description: 'Whether it accepts traffic.' }),
    restartCount: always(5, int32(), { description: 'Number of restarts.' }),
    image: always(6, z.string(), { description: 'The image that runs.' }),
    imageID: always(7, z.string(), { description: 'Its identity.' }),
    containerID: omitted(8, z.string(), { description: 'Identity of the container to the runtime.' }),
    started: optional(9, z.boolean(), { description: 'Whether the startup probe has succeeded.' }),
    allocatedResources: omitted(10, resourceList()),
    resources: optional(11, resourceRequirements()),
    volumeMounts: omitted(12, mapList(mountStatus(), ['mountPath'])),
    user: optional(13, containerUser()),
    allocatedResourcesStatus: omitted(14, mapList(resourceStatus(), ['name'])),
  }),
);

const podCondition = once(() =>
  struct('PodCondition', {
    type: always(1, goNamed('v1.PodConditionType', z.string()), { description: 'Type of the condition.' }),
    status: always(2, goNamed('v1.ConditionStatus', z.string()), { description: 'True, False or Unknown.' }),
    lastProbeTime: unsetIsNull(3, time()),
    lastTransitionTime: unsetIsNull(4, time(), { description: 'Time when the status last changed.' }),
    reason: omitted(5, z.string(), { description: 'Reason as a CamelCase word.' }),
    message: omitted(6, z.string(), { description: 'Human-readable message.' }),
  }),
);

/** The actual state of a pod. */
export const podStatus = once(() =>
  struct('PodStatus', {
    phase: omitted(1, goNamed('v1.PodPhase', enumOf('Failed', 'Pending', 'Running', 'Succeeded', 'Unknown')), {
      description: 'Pending, Running, Succeeded, Failed or Unknown.',
    }),
    conditions: omitted(2, mapList(podCondition(), ['type']), { description: 'Conditions of the pod.' }),
    message: omitted(3, z.string(), { description: 'Human-readable message about the state.' }),
    reason: omitted(4, z.string(), { description: 'Reason of the state as a CamelCase word.' }),
    nominatedNodeName: omitted(11, z.string(), {
      description: 'The node on which other pods are preempted for this pod.',
    }),
    hostIP: omitted(5, z.string(), { description: 'Address of the node.' }),
    hostIPs: omitted(
      16,
      atomicList(struct('HostIP', { ip: always(1, z.string()) }), { patchStrategy: 'merge', patchMergeKey: 'ip' }),
      { description: 'Addresses of the node.' },
    ),
    podIP: omitted(6, z.string(), { description: 'Address of the pod.' }),
    podIPs: omitted(12, mapList(struct('PodIP', { ip: always(1, z.string()) }), ['ip']), {
      description: 'Addresses of the pod.',
    }),
    startTime: optional(7, time(), { description: 'Time when the node agent accepted the pod.' }),
    initContainerStatuses: omitted(10, atomicList(containerStatus()), { description: 'State of the init containers.' }),
    containerStatuses: omitted(8, atomicList(containerStatus()), { description: 'State of the containers.' }),
    qosClass: omitted(9, goNamed('v1.PodQOSClass', enumOf('BestEffort', 'Burstable', 'Guaranteed')), {
      description: 'Guaranteed, Burstable or BestEffort.',
    }),
    ephemeralContainerStatuses: omitted(13, atomicList(containerStatus()), {
      description: 'State of the ephemeral containers.',
    }),
    resize: omitted(14, goNamed('v1.PodResizeStatus', z.string()), {
      description: 'State of a requested change of resources.',
    }),
    resourceClaimStatuses: omitted(
      15,
      mapList(
        struct('PodResourceClaimStatus', { name: always(1, z.string()), resourceClaimName: optional(2, z.string()) }),
        ['name'],
        { patchStrategy: 'merge,retainKeys' },
      ),
    ),
  }),
);
