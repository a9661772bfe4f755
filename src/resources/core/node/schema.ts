import * as z from 'zod';
import {
  always,
  alwaysStruct,
  atomicList,
  enumOf,
  goNamed,
  int32,
  int64,
  optional,
  mapList,
  omitted,
  setList,
  struct,
  time,
} from '../../../schema/vocabulary.js';
import { unsetIsNull } from '../../shared/facts.js';
import { TAINT_EFFECTS } from '../taint-effect.js';
import { once } from '../../shared/once.js';
import { resourceList } from '../../shared/resource-list.js';

const taint = once(() =>
  struct('Taint', {
    key: always(1, z.string(), { description: 'Key of the taint.' }),
    value: omitted(2, z.string(), { description: 'Value of the taint.' }),
    effect: always(3, goNamed('v1.TaintEffect', enumOf(...TAINT_EFFECTS)), {
      description: 'NoSchedule, PreferNoSchedule or NoExecute.',
    }),
    timeAdded: optional(4, time(), { description: 'Time when the taint was added; for NoExecute.' }),
  }),
);

const configSource = once(() =>
  struct('NodeConfigSource', {
    configMap: optional(
      2,
      struct('ConfigMapNodeConfigSource', {
        namespace: always(1, z.string()),
        name: always(2, z.string()),
        uid: omitted(3, goNamed('types.UID', z.string())),
        resourceVersion: omitted(4, z.string()),
        kubeletConfigKey: always(5, z.string()),
      }),
    ),
  }),
);

const nodeSpec = once(() =>
  struct('NodeSpec', {
    podCIDR: omitted(1, z.string(), { description: "Addresses of the node's pods; the first of podCIDRs." }),
    podCIDRs: omitted(7, setList(z.string()), {
      description: "Addresses of the node's pods, at most one range for each IP family. Set once.",
    }),
    providerID: omitted(3, z.string(), { description: 'Identity of the node to its provider. Set once.' }),
    unschedulable: omitted(4, z.boolean(), { description: 'No new pods are scheduled to the node.' }),
    taints: omitted(5, atomicList(taint()), { description: 'Taints that repel pods without a matching toleration.' }),
    configSource: optional(6, configSource(), { description: 'Deprecated: dropped.' }),
    externalID: omitted(2, z.string(), { description: 'Deprecated: not used.' }),
  }),
);

const nodeCondition = once(() =>
  struct('NodeCondition', {
    type: always(1, goNamed('v1.NodeConditionType', z.string()), { description: 'Type of the condition.' }),
    status: always(2, goNamed('v1.ConditionStatus', z.string()), { description: 'True, False or Unknown.' }),
    lastHeartbeatTime: unsetIsNull(3, time(), { description: 'Time when the condition was last reported.' }),
    lastTransitionTime: unsetIsNull(4, time(), { description: 'Time when the status last changed.' }),
    reason: omitted(5, z.string(), { description: 'Reason as a CamelCase word.' }),
    message: omitted(6, z.string(), { description: 'Human-readable message.' }),
  }),
);

const systemInfo = once(() =>
  struct('NodeSystemInfo', {
    machineID: always(1, z.string()),
    systemUUID: always(2, z.string()),
    bootID: always(3, z.string()),
    kernelVersion: always(4, z.string()),
    osImage: always(5, z.string()),
    containerRuntimeVersion: always(6, z.string()),
    kubeletVersion: always(7, z.string()),
    kubeProxyVersion: always(8, z.string()),
    operatingSystem: always(9, z.string()),
    architecture: always(10, z.string()),
  }),
);

const runtimeHandler = once(() =>
  struct('NodeRuntimeHandler', {
    name: always(1, z.string().optional()),
    features: optional(
      2,
      struct('NodeRuntimeHandlerFeatures', {
        recursiveReadOnlyMounts: optional(1, z.boolean()),
        userNamespaces: optional(2, z.boolean()),
      }),
    ),
  }),
);

const nodeStatus = once(() =>
  struct('NodeStatus', {
    capacity: omitted(1, resourceList(), { description: 'Total resources of the node.' }),
    allocatable: omitted(2, resourceList(), { description: 'Resources available to pods. Default: the capacity.' }),
    phase: omitted(3, goNamed('v1.NodePhase', enumOf('Pending', 'Running', 'Terminated')), {
      description: 'Deprecated: never set.',
    }),
    conditions: omitted(4, mapList(nodeCondition(), ['type']), { description: 'Conditions of the node.' }),
    addresses: omitted(
      5,
      mapList(
        struct('NodeAddress', {
          type: always(1, goNamed('v1.NodeAddressType', z.string()), {
            description: 'Hostname, InternalIP, ExternalIP and the like.',
          }),
          address: always(2, z.string()),
        }),
        ['type'],
      ),
      { description: 'Addresses of the node.' },
    ),
    daemonEndpoints: alwaysStruct(
      6,
      struct('NodeDaemonEndpoints', {
        kubeletEndpoint: alwaysStruct(1, struct('DaemonEndpoint', { Port: always(1, int32()) })),
      }),
      { description: 'Ports of the programs on the node.' },
    ),
    nodeInfo: alwaysStruct(7, systemInfo(), { description: 'Identity and versions of the node.' }),
    images: omitted(
      8,
      atomicList(
        struct('ContainerImage', { names: unsetIsNull(1, atomicList(z.string())), sizeBytes: omitted(2, int64()) }),
      ),
      { description: 'Images that are on the node.' },
    ),
    volumesInUse: omitted(9, atomicList(goNamed('v1.UniqueVolumeName', z.string())), {
      description: 'Volumes that are mounted.',
    }),
    volumesAttached: omitted(
      10,
      atomicList(
        struct('AttachedVolume', {
          name: always(1, goNamed('v1.UniqueVolumeName', z.string())),
          devicePath: always(2, z.string()),
        }),
      ),
      { description: 'Volumes that are attached.' },
    ),
    config: optional(
      11,
      struct('NodeConfigStatus', {
        assigned: optional(1, configSource()),
        active: optional(2, configSource()),
        lastKnownGood: optional(3, configSource()),
        error: omitted(4, z.string()),
      }),
      { description: 'Deprecated: dropped.' },
    ),
    runtimeHandlers: omitted(12, atomicList(runtimeHandler()), { description: 'Ways to run containers.' }),
    features: optional(13, struct('NodeFeatures', { supplementalGroupsPolicy: optional(1, z.boolean()) }), {
      description: 'Features of the container runtime.',
    }),
  }),
);

/** The fields of a node besides apiVersion, kind and metadata. */
export const nodeSchema = once(() =>
  struct('Node', {
    spec: alwaysStruct(2, nodeSpec(), { description: 'Desired state of the node.' }),
    status: alwaysStruct(3, nodeStatus(), { description: 'Actual state of the node, written by its agent.' }),
  }),
);

export type NodeSpec = z.output<ReturnType<typeof nodeSpec>>;
export type NodeStatus = z.output<ReturnType<typeof nodeStatus>>;

/** The fields of a node. */
export interface NodeFields {
  spec?: NodeSpec | undefined;
  status?: NodeStatus | undefined;
}
