import * as z from 'zod';
import {
  always,
  alwaysStruct,
  atomicList,
  enumOf,
  goNamed,
  int32,
  optional,
  mapList,
  omitted,
  struct,
} from '../../../schema/vocabulary.js';
import { inlined } from '../../shared/facts.js';
import { once } from '../../shared/once.js';
import { environment, environmentSources } from './environment-schema.js';
import { lifecycle, probe } from './probe-schema.js';
import { resourceRequirements } from './resource-requirements-schema.js';
import { securityContext } from './security-schema.js';

const containerPort = once(() =>
  struct('ContainerPort', {
    name: omitted(1, z.string(), { description: 'Name of the port, for services and probes to refer to.' }),
    hostPort: omitted(2, int32(), {
      description: 'Port of the node that forwards to this port; most containers need none.',
    }),
    containerPort: always(3, int32(), { description: 'Port of the pod, 1 to 65535.' }),
    protocol: omitted(4, goNamed('v1.Protocol', enumOf('SCTP', 'TCP', 'UDP')), {
      default: 'TCP',
      description: 'TCP, UDP or SCTP.',
    }),
    hostIP: omitted(5, z.string(), { description: 'Address of the node that hostPort is bound to.' }),
  }),
);

const volumeMount = once(() =>
  struct('VolumeMount', {
    name: always(1, z.string(), { description: 'Name of the volume.' }),
    readOnly: omitted(2, z.boolean(), { description: 'The mount is read-only.' }),
    recursiveReadOnly: optional(7, goNamed('v1.RecursiveReadOnlyMode', z.string()), {
      description: 'Disabled, IfPossible or Enabled: whether nested mounts are read-only, too.',
    }),
    mountPath: always(3, z.string(), { description: 'Path in the container.' }),
    subPath: omitted(4, z.string(), { description: 'The part of the volume to mount; default its root.' }),
    mountPropagation: optional(
      5,
      goNamed('v1.MountPropagationMode', enumOf('Bidirectional', 'HostToContainer', 'None')),
      {
        description: 'None, HostToContainer or Bidirectional.',
      },
    ),
    subPathExpr: omitted(6, z.string(), { description: 'Like subPath, with $(NAME) for environment variables.' }),
  }),
);

const volumeDevice = once(() =>
  struct('VolumeDevice', {
    name: always(1, z.string(), { description: 'Name of the volume, a claim.' }),
    devicePath: always(2, z.string(), { description: 'Path in the container.' }),
  }),
);

const resizePolicy = once(() =>
  struct('ContainerResizePolicy', {
    resourceName: always(1, goNamed('v1.ResourceName', z.string())),
    restartPolicy: always(2, goNamed('v1.ResourceResizeRestartPolicy', z.string())),
  }),
);

/** The first fields of containers and ephemeral containers. */
const programFields = () => ({
  name: always(1, z.string(), { description: 'Name of the container, a DNS label that is unique in the pod.' }),
  image: omitted(2, z.string(), { description: 'The image.' }),
  command: omitted(3, atomicList(z.string()), {
    description: 'Replaces the entry point of the image; runs without a shell.',
  }),
  args: omitted(4, atomicList(z.string()), { description: 'Replaces the arguments of the image.' }),
  workingDir: omitted(5, z.string(), { description: 'Replaces the working directory of the image.' }),
  ports: omitted(6, mapList(containerPort(), ['containerPort', 'protocol']), {
    description: 'Ports that the container listens on.',
  }),
  envFrom: omitted(19, environmentSources(), { description: 'Environment variables from config maps and secrets.' }),
  env: omitted(7, environment(), { description: 'Environment variables.' }),
  resources: alwaysStruct(8, resourceRequirements(), {
    description: 'Resource requests and limits.',
  }),
  resizePolicy: omitted(23, atomicList(resizePolicy()), {
    description: 'The effect of a change of the resources on the container.',
  }),
  restartPolicy: optional(24, goNamed('v1.ContainerRestartPolicy', z.string()), {
    description: 'Always, for init containers only: the container is a sidecar.',
  }),
});

const runFields = () => ({
  volumeMounts: omitted(9, mapList(volumeMount(), ['mountPath']), {
    description: "Volumes in the container's file system.",
  }),
  volumeDevices: omitted(21, mapList(volumeDevice(), ['devicePath']), {
    description: 'Block devices in the container.',
  }),
  livenessProbe: optional(10, probe(), { description: 'A failure restarts the container.' }),
  readinessProbe: optional(11, probe(), { description: 'A failure removes the pod from its services.' }),
  startupProbe: optional(22, probe(), { description: 'The other probes start when it has succeeded.' }),
  lifecycle: optional(12, lifecycle(), { description: 'Hooks after the start and before the stop.' }),
  terminationMessagePath: omitted(13, z.string(), {
    description: 'File with the termination message; default /dev/termination-log.',
  }),
  terminationMessagePolicy: omitted(
    20,
    goNamed('v1.TerminationMessagePolicy', enumOf('FallbackToLogsOnError', 'File')),
    {
      description: 'File, or FallbackToLogsOnError; default File.',
    },
  ),
  imagePullPolicy: omitted(14, goNamed('v1.PullPolicy', enumOf('Always', 'IfNotPresent', 'Never')), {
    description: 'Always, Never or IfNotPresent; default Always for the tag latest, IfNotPresent otherwise.',
  }),
  securityContext: optional(15, securityContext(), {
    description: 'Security settings of the container. They override those of the pod.',
  }),
  stdin: omitted(16, z.boolean(), { description: 'Allocate a standard input.' }),
  stdinOnce: omitted(17, z.boolean(), { description: 'Close the standard input after the first client.' }),
  tty: omitted(18, z.boolean(), { description: 'Allocate a terminal; requires stdin.' }),
});

/** A container of a pod. */
export const container = once(() => struct('Container', { ...programFields(), ...runFields() }));

/** A container that is added to a running pod for debugging. Protobuf has its common fields in a separate message. */
export const ephemeralContainer = once(() =>
  struct('EphemeralContainer', {
    ...inlined(1, { ...programFields(), ...runFields() }),
    targetContainerName: omitted(2, z.string(), { description: 'The container whose processes it can see.' }),
  }),
);
