// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { Condition, LabelSelector, ListMeta } from './meta-v1.js';

export type AWSElasticBlockStoreVolumeSource = {
  volumeID: string;
  fsType?: string | undefined;
  partition?: number | undefined;
  readOnly?: boolean | undefined;
};

/** Affinity to nodes and to other pods. */
export type Affinity = {
  /** Node affinity. */
  nodeAffinity?: NodeAffinity | undefined;
  /** Affinity to other pods. */
  podAffinity?: PodAffinity | undefined;
  /** Anti-affinity to other pods. */
  podAntiAffinity?: PodAntiAffinity | undefined;
};

/** AppArmor profile. */
export type AppArmorProfile = {
  /** Localhost, RuntimeDefault or Unconfined. */
  type: string;
  /** The profile on the node, for type Localhost. */
  localhostProfile?: string | undefined;
};

export type AttachedVolume = {
  name: string;
  devicePath: string;
};

export type AzureDiskVolumeSource = {
  diskName: string;
  diskURI: string;
  cachingMode?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  kind?: string | undefined;
};

export type AzureFilePersistentVolumeSource = {
  secretName: string;
  shareName: string;
  readOnly?: boolean | undefined;
  secretNamespace?: string | null | undefined;
};

export type AzureFileVolumeSource = {
  secretName: string;
  shareName: string;
  readOnly?: boolean | undefined;
};

/** Binding of version v1. */
export type Binding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  target: ObjectReference;
};

export type CSIPersistentVolumeSource = {
  driver: string;
  volumeHandle: string;
  readOnly?: boolean | undefined;
  fsType?: string | undefined;
  volumeAttributes?: Record<string, string> | undefined;
  controllerPublishSecretRef?: SecretReference | undefined;
  nodeStageSecretRef?: SecretReference | undefined;
  nodePublishSecretRef?: SecretReference | undefined;
  controllerExpandSecretRef?: SecretReference | undefined;
  nodeExpandSecretRef?: SecretReference | undefined;
};

/** A volume of a storage driver that lives as long as the pod. */
export type CSIVolumeSource = {
  driver: string;
  readOnly?: boolean | undefined;
  fsType?: string | undefined;
  volumeAttributes?: Record<string, string> | undefined;
  nodePublishSecretRef?: LocalObjectReference | undefined;
};

/** Capabilities to add to and drop from the runtime's defaults. */
export type Capabilities = {
  add?: string[] | undefined;
  drop?: string[] | undefined;
};

export type CephFSPersistentVolumeSource = {
  monitors: string[];
  path?: string | undefined;
  user?: string | undefined;
  secretFile?: string | undefined;
  secretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
};

export type CephFSVolumeSource = {
  monitors: string[];
  path?: string | undefined;
  user?: string | undefined;
  secretFile?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
};

export type CinderPersistentVolumeSource = {
  volumeID: string;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: SecretReference | undefined;
};

export type CinderVolumeSource = {
  volumeID: string;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
};

export type ClientIPConfig = {
  timeoutSeconds?: number | undefined;
};

/** Trust anchors. */
export type ClusterTrustBundleProjection = {
  /** Name of a bundle. Mutually exclusive with signerName and labelSelector. */
  name?: string | undefined;
  /** All bundles of a signer that labelSelector selects. */
  signerName?: string | undefined;
  /** Bundles of signerName; absent selects none, empty selects all. */
  labelSelector?: LabelSelector | undefined;
  /** The file, as a relative path. */
  path: string;
  /** Whether the pod may start without it. */
  optional?: boolean | undefined;
};

export type ComponentCondition = {
  type: string;
  status: string;
  message?: string | undefined;
  error?: string | undefined;
};

/** ComponentStatus of version v1. */
export type ComponentStatus = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  conditions?: ComponentCondition[] | undefined;
};

/** ComponentStatusList of version v1. */
export type ComponentStatusList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ComponentStatus[];
};

/** Configuration data for programs, as texts and bytes by key. */
export type ConfigMap = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Texts by key. Keys consist of letters, digits, "-", "_" and ".". A key must not be in both data and binaryData. */
  data?: Record<string, string> | undefined;
  /** Bytes by key, for values that are not UTF-8 text. */
  binaryData?: Record<string, string> | undefined;
  /** If true, neither the data nor this field can be changed. */
  immutable?: boolean | undefined;
};

/** A config map. */
export type ConfigMapEnvSource = {
  /** Name of the object. */
  name?: string | undefined;
  /** Whether the container may start without it. */
  optional?: boolean | undefined;
};

/** A key of a config map. */
export type ConfigMapKeySelector = {
  /** Name of the object. */
  name?: string | undefined;
  /** The key of the config map. */
  key: string;
  /** Whether the container may start without it. */
  optional?: boolean | undefined;
};

/** ConfigMapList of version v1. */
export type ConfigMapList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ConfigMap[];
};

export type ConfigMapNodeConfigSource = {
  namespace: string;
  name: string;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  kubeletConfigKey: string;
};

/** A config map. */
export type ConfigMapProjection = {
  /** Name of the object. */
  name?: string | undefined;
  /** The keys to write as files, and where. Absent: all of them, each under its own name. */
  items?: KeyToPath[] | undefined;
  /** Whether the pod may start without it. */
  optional?: boolean | undefined;
};

/** A config map as files. */
export type ConfigMapVolumeSource = {
  /** Name of the object. */
  name?: string | undefined;
  /** The keys to write as files, and where. Absent: all of them, each under its own name. */
  items?: KeyToPath[] | undefined;
  /** Permission bits of the files without a mode of their own, 0 to 511; default 420 (0644). */
  defaultMode?: number | undefined;
  /** Whether the pod may start without it. */
  optional?: boolean | undefined;
};

export type Container = {
  /** Name of the container, a DNS label that is unique in the pod. */
  name: string;
  /** The image. */
  image?: string | undefined;
  /** Replaces the entry point of the image; runs without a shell. */
  command?: string[] | undefined;
  /** Replaces the arguments of the image. */
  args?: string[] | undefined;
  /** Replaces the working directory of the image. */
  workingDir?: string | undefined;
  /** Ports that the container listens on. */
  ports?: ContainerPort[] | undefined;
  /** Environment variables. */
  env?: EnvVar[] | undefined;
  /** Resource requests and limits. */
  resources?: ResourceRequirements | undefined;
  /** Volumes in the container's file system. */
  volumeMounts?: VolumeMount[] | undefined;
  /** A failure restarts the container. */
  livenessProbe?: Probe | undefined;
  /** A failure removes the pod from its services. */
  readinessProbe?: Probe | undefined;
  /** Hooks after the start and before the stop. */
  lifecycle?: Lifecycle | undefined;
  /** File with the termination message; default /dev/termination-log. */
  terminationMessagePath?: string | undefined;
  /** Always, Never or IfNotPresent; default Always for the tag latest, IfNotPresent otherwise. */
  imagePullPolicy?: string | undefined;
  /** Security settings of the container. They override those of the pod. */
  securityContext?: SecurityContext | undefined;
  /** Allocate a standard input. */
  stdin?: boolean | undefined;
  /** Close the standard input after the first client. */
  stdinOnce?: boolean | undefined;
  /** Allocate a terminal; requires stdin. */
  tty?: boolean | undefined;
  /** Environment variables from config maps and secrets. */
  envFrom?: EnvFromSource[] | undefined;
  /** File, or FallbackToLogsOnError; default File. */
  terminationMessagePolicy?: string | undefined;
  /** Block devices in the container. */
  volumeDevices?: VolumeDevice[] | undefined;
  /** The other probes start when it has succeeded. */
  startupProbe?: Probe | undefined;
  /** The effect of a change of the resources on the container. */
  resizePolicy?: ContainerResizePolicy[] | undefined;
  /** Always, for init containers only: the container is a sidecar. */
  restartPolicy?: string | undefined;
};

export type ContainerImage = {
  names?: string[] | null | undefined;
  sizeBytes?: number | undefined;
};

export type ContainerPort = {
  /** Name of the port, for services and probes to refer to. */
  name?: string | undefined;
  /** Port of the node that forwards to this port; most containers need none. */
  hostPort?: number | undefined;
  /** Port of the pod, 1 to 65535. */
  containerPort: number;
  /** TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** Address of the node that hostPort is bound to. */
  hostIP?: string | undefined;
};

export type ContainerResizePolicy = {
  resourceName: string;
  restartPolicy: string;
};

/** The state of a container: waiting, running or terminated. */
export type ContainerState = {
  /** Not running yet. */
  waiting?: ContainerStateWaiting | undefined;
  /** Running. */
  running?: ContainerStateRunning | undefined;
  /** Ended. */
  terminated?: ContainerStateTerminated | undefined;
};

/** Running. */
export type ContainerStateRunning = {
  /** Time when the container started. */
  startedAt?: string | null | undefined;
};

/** Ended. */
export type ContainerStateTerminated = {
  /** Exit status. */
  exitCode: number;
  /** Signal that ended it. */
  signal?: number | undefined;
  /** Reason as a CamelCase word. */
  reason?: string | undefined;
  /** Termination message. */
  message?: string | undefined;
  startedAt?: string | null | undefined;
  finishedAt?: string | null | undefined;
  containerID?: string | undefined;
};

/** Not running yet. */
export type ContainerStateWaiting = {
  /** Reason as a CamelCase word. */
  reason?: string | undefined;
  /** Human-readable message. */
  message?: string | undefined;
};

export type ContainerStatus = {
  /** Name of the container. */
  name: string;
  /** Current state. */
  state?: ContainerState | undefined;
  /** Last termination state. */
  lastState?: ContainerState | undefined;
  /** Whether it accepts traffic. */
  ready: boolean;
  /** Number of restarts. */
  restartCount: number;
  /** The image that runs. */
  image: string;
  /** Its identity. */
  imageID: string;
  /** Identity of the container to the runtime. */
  containerID?: string | undefined;
  /** Whether the startup probe has succeeded. */
  started?: boolean | undefined;
  allocatedResources?: Record<string, string> | undefined;
  resources?: ResourceRequirements | undefined;
  volumeMounts?: VolumeMountStatus[] | undefined;
  user?: ContainerUser | undefined;
  allocatedResourcesStatus?: ResourceStatus[] | undefined;
};

export type ContainerUser = {
  linux?: LinuxContainerUser | undefined;
};

export type DaemonEndpoint = {
  Port: number;
};

/** Pod fields. */
export type DownwardAPIProjection = {
  /** The files. */
  items?: DownwardAPIVolumeFile[] | undefined;
};

export type DownwardAPIVolumeFile = {
  /** The file, as a relative path without "..". */
  path: string;
  /** A field of the pod. */
  fieldRef?: ObjectFieldSelector | undefined;
  /** A resource of a container. */
  resourceFieldRef?: ResourceFieldSelector | undefined;
  /** Permission bits of the file, 0 to 511. */
  mode?: number | undefined;
};

/** Pod fields as files. */
export type DownwardAPIVolumeSource = {
  /** The files. */
  items?: DownwardAPIVolumeFile[] | undefined;
  /** Permission bits of the files without a mode of their own, 0 to 511; default 420 (0644). */
  defaultMode?: number | undefined;
};

/** An empty directory that lives as long as the pod. */
export type EmptyDirVolumeSource = {
  /** Storage medium: empty for the default of the node, or Memory. */
  medium?: string | undefined;
  /** Maximum size. */
  sizeLimit?: string | undefined;
};

export type EndpointAddress = {
  ip: string;
  targetRef?: ObjectReference | undefined;
  hostname?: string | undefined;
  nodeName?: string | undefined;
};

export type EndpointPort = {
  name?: string | undefined;
  port: number;
  protocol?: string | undefined;
  appProtocol?: string | undefined;
};

export type EndpointSubset = {
  addresses?: EndpointAddress[] | undefined;
  notReadyAddresses?: EndpointAddress[] | undefined;
  ports?: EndpointPort[] | undefined;
};

/** Endpoints of version v1. */
export type Endpoints = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  subsets?: EndpointSubset[] | undefined;
};

/** EndpointsList of version v1. */
export type EndpointsList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Endpoints[];
};

export type EnvFromSource = {
  /** Prefix of every key. */
  prefix?: string | undefined;
  /** A config map. */
  configMapRef?: ConfigMapEnvSource | undefined;
  /** A secret. */
  secretRef?: SecretEnvSource | undefined;
};

export type EnvVar = {
  /** Name of the variable. */
  name: string;
  /** Value. $(NAME) expands to an earlier variable. */
  value?: string | undefined;
  /** Source of the value. Mutually exclusive with value. */
  valueFrom?: EnvVarSource | undefined;
};

/** Source of the value. Mutually exclusive with value. */
export type EnvVarSource = {
  /** A field of the pod. */
  fieldRef?: ObjectFieldSelector | undefined;
  /** A resource of a container. */
  resourceFieldRef?: ResourceFieldSelector | undefined;
  /** A key of a config map. */
  configMapKeyRef?: ConfigMapKeySelector | undefined;
  /** A key of a secret. */
  secretKeyRef?: SecretKeySelector | undefined;
};

export type EphemeralContainer = {
  /** Name of the container, a DNS label that is unique in the pod. */
  name: string;
  /** The image. */
  image?: string | undefined;
  /** Replaces the entry point of the image; runs without a shell. */
  command?: string[] | undefined;
  /** Replaces the arguments of the image. */
  args?: string[] | undefined;
  /** Replaces the working directory of the image. */
  workingDir?: string | undefined;
  /** Ports that the container listens on. */
  ports?: ContainerPort[] | undefined;
  /** Environment variables. */
  env?: EnvVar[] | undefined;
  /** Resource requests and limits. */
  resources?: ResourceRequirements | undefined;
  /** Volumes in the container's file system. */
  volumeMounts?: VolumeMount[] | undefined;
  /** A failure restarts the container. */
  livenessProbe?: Probe | undefined;
  /** A failure removes the pod from its services. */
  readinessProbe?: Probe | undefined;
  /** Hooks after the start and before the stop. */
  lifecycle?: Lifecycle | undefined;
  /** File with the termination message; default /dev/termination-log. */
  terminationMessagePath?: string | undefined;
  /** Always, Never or IfNotPresent; default Always for the tag latest, IfNotPresent otherwise. */
  imagePullPolicy?: string | undefined;
  /** Security settings of the container. They override those of the pod. */
  securityContext?: SecurityContext | undefined;
  /** Allocate a standard input. */
  stdin?: boolean | undefined;
  /** Close the standard input after the first client. */
  stdinOnce?: boolean | undefined;
  /** Allocate a terminal; requires stdin. */
  tty?: boolean | undefined;
  /** Environment variables from config maps and secrets. */
  envFrom?: EnvFromSource[] | undefined;
  /** File, or FallbackToLogsOnError; default File. */
  terminationMessagePolicy?: string | undefined;
  /** Block devices in the container. */
  volumeDevices?: VolumeDevice[] | undefined;
  /** The other probes start when it has succeeded. */
  startupProbe?: Probe | undefined;
  /** The effect of a change of the resources on the container. */
  resizePolicy?: ContainerResizePolicy[] | undefined;
  /** Always, for init containers only: the container is a sidecar. */
  restartPolicy?: string | undefined;
  /** The container whose processes it can see. */
  targetContainerName?: string | undefined;
};

export type EphemeralContainerCommon = {
  /** Name of the container, a DNS label that is unique in the pod. */
  name: string;
  /** The image. */
  image?: string | undefined;
  /** Replaces the entry point of the image; runs without a shell. */
  command?: string[] | undefined;
  /** Replaces the arguments of the image. */
  args?: string[] | undefined;
  /** Replaces the working directory of the image. */
  workingDir?: string | undefined;
  /** Ports that the container listens on. */
  ports?: ContainerPort[] | undefined;
  /** Environment variables. */
  env?: EnvVar[] | undefined;
  /** Resource requests and limits. */
  resources?: ResourceRequirements | undefined;
  /** Volumes in the container's file system. */
  volumeMounts?: VolumeMount[] | undefined;
  /** A failure restarts the container. */
  livenessProbe?: Probe | undefined;
  /** A failure removes the pod from its services. */
  readinessProbe?: Probe | undefined;
  /** Hooks after the start and before the stop. */
  lifecycle?: Lifecycle | undefined;
  /** File with the termination message; default /dev/termination-log. */
  terminationMessagePath?: string | undefined;
  /** Always, Never or IfNotPresent; default Always for the tag latest, IfNotPresent otherwise. */
  imagePullPolicy?: string | undefined;
  /** Security settings of the container. They override those of the pod. */
  securityContext?: SecurityContext | undefined;
  /** Allocate a standard input. */
  stdin?: boolean | undefined;
  /** Close the standard input after the first client. */
  stdinOnce?: boolean | undefined;
  /** Allocate a terminal; requires stdin. */
  tty?: boolean | undefined;
  /** Environment variables from config maps and secrets. */
  envFrom?: EnvFromSource[] | undefined;
  /** File, or FallbackToLogsOnError; default File. */
  terminationMessagePolicy?: string | undefined;
  /** Block devices in the container. */
  volumeDevices?: VolumeDevice[] | undefined;
  /** The other probes start when it has succeeded. */
  startupProbe?: Probe | undefined;
  /** The effect of a change of the resources on the container. */
  resizePolicy?: ContainerResizePolicy[] | undefined;
  /** Always, for init containers only: the container is a sidecar. */
  restartPolicy?: string | undefined;
};

/** A claim that belongs to the pod. */
export type EphemeralVolumeSource = {
  /** Template of the claim, which is created and deleted with the pod. */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
};

/** A report of an occurrence. It expires after one hour. */
export type Event = {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  /** The affected object. */
  involvedObject: ObjectReference;
  /** Reason as a CamelCase word. */
  reason?: string | undefined;
  /** Human-readable message. */
  message?: string | undefined;
  /** The reporting component. */
  source?: EventSource | undefined;
  /** Time of the first occurrence. */
  firstTimestamp?: string | null | undefined;
  /** Time of the last occurrence. */
  lastTimestamp?: string | null | undefined;
  /** Number of occurrences. */
  count?: number | undefined;
  /** Normal or Warning. */
  type?: string | undefined;
  /** Time of the first observation. */
  eventTime?: string | null | undefined;
  /** The series of the event; absent for a single occurrence. */
  series?: EventSeries | undefined;
  /** The action that was taken or failed. */
  action?: string | undefined;
  /** A second affected object. */
  related?: ObjectReference | undefined;
  /** The reporting controller. */
  reportingComponent?: string | undefined;
  /** The instance of the controller. */
  reportingInstance?: string | undefined;
};

/** EventList of version v1. */
export type EventList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Event[];
};

/** The series of the event; absent for a single occurrence. */
export type EventSeries = {
  /** Number of occurrences up to lastObservedTime. */
  count?: number | undefined;
  /** Time of the last occurrence. */
  lastObservedTime?: string | null | undefined;
};

/** The component that reports an event. */
export type EventSource = {
  /** The program. */
  component?: string | undefined;
  /** The node. */
  host?: string | undefined;
};

/** Run a program in the container. */
export type ExecAction = {
  /** Program and arguments; runs without a shell. Exit status 0 is success. */
  command?: string[] | undefined;
};

export type FCVolumeSource = {
  targetWWNs?: string[] | undefined;
  lun?: number | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  wwids?: string[] | undefined;
};

export type FlexPersistentVolumeSource = {
  driver: string;
  fsType?: string | undefined;
  secretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
  options?: Record<string, string> | undefined;
};

export type FlexVolumeSource = {
  driver: string;
  fsType?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
  options?: Record<string, string> | undefined;
};

export type FlockerVolumeSource = {
  datasetName?: string | undefined;
  datasetUUID?: string | undefined;
};

export type GCEPersistentDiskVolumeSource = {
  pdName: string;
  fsType?: string | undefined;
  partition?: number | undefined;
  readOnly?: boolean | undefined;
};

/** Make a gRPC health check. */
export type GRPCAction = {
  /** Number of the port. */
  port: number;
  /** Service name of the health check request. */
  service?: string | null | undefined;
};

export type GitRepoVolumeSource = {
  repository: string;
  revision?: string | undefined;
  directory?: string | undefined;
};

export type GlusterfsPersistentVolumeSource = {
  endpoints: string;
  path: string;
  readOnly?: boolean | undefined;
  endpointsNamespace?: string | undefined;
};

export type GlusterfsVolumeSource = {
  endpoints: string;
  path: string;
  readOnly?: boolean | undefined;
};

/** An HTTP request; status 200 to 399 is success. */
export type HTTPGetAction = {
  /** Path of the request; default /. */
  path?: string | undefined;
  /** Number or name of the port. */
  port: number | string;
  /** Host to connect to; default the pod. */
  host?: string | undefined;
  /** HTTP or HTTPS; default HTTP. */
  scheme?: string | undefined;
  /** Headers of the request. */
  httpHeaders?: HTTPHeader[] | undefined;
};

export type HTTPHeader = {
  name: string;
  value: string;
};

export type HostAlias = {
  /** Address. */
  ip: string;
  /** Names of the address. */
  hostnames?: string[] | undefined;
};

export type HostIP = {
  ip: string;
};

/** A file or directory of the node. */
export type HostPathVolumeSource = {
  /** The path on the node. */
  path: string;
  /** Required type of the path, such as Directory or FileOrCreate; empty for no check. */
  type?: string | undefined;
};

export type ISCSIPersistentVolumeSource = {
  targetPortal: string;
  iqn: string;
  lun: number;
  iscsiInterface?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  portals?: string[] | undefined;
  chapAuthDiscovery?: boolean | undefined;
  secretRef?: SecretReference | undefined;
  chapAuthSession?: boolean | undefined;
  initiatorName?: string | undefined;
};

export type ISCSIVolumeSource = {
  targetPortal: string;
  iqn: string;
  lun: number;
  iscsiInterface?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  portals?: string[] | undefined;
  chapAuthDiscovery?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
  chapAuthSession?: boolean | undefined;
  initiatorName?: string | undefined;
};

/** The content of an image, read-only. */
export type ImageVolumeSource = {
  reference?: string | undefined;
  pullPolicy?: string | undefined;
};

export type KeyToPath = {
  /** The key. */
  key: string;
  /** The file, as a relative path without "..". */
  path: string;
  /** Permission bits of the file, 0 to 511. */
  mode?: number | undefined;
};

/** Hooks after the start and before the stop. */
export type Lifecycle = {
  /** Runs right after the start; a failure stops the container. */
  postStart?: LifecycleHandler | undefined;
  /** Runs before the container is stopped. */
  preStop?: LifecycleHandler | undefined;
};

/** An action at an event of the life of a container. */
export type LifecycleHandler = {
  /** Run a program in the container. */
  exec?: ExecAction | undefined;
  /** Make an HTTP request. */
  httpGet?: HTTPGetAction | undefined;
  /** Deprecated: fails when it runs. */
  tcpSocket?: TCPSocketAction | undefined;
  /** Wait. */
  sleep?: SleepAction | undefined;
};

/** LimitRange of version v1. */
export type LimitRange = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: LimitRangeSpec | undefined;
};

export type LimitRangeItem = {
  type: string;
  max?: Record<string, string> | undefined;
  min?: Record<string, string> | undefined;
  default?: Record<string, string> | undefined;
  defaultRequest?: Record<string, string> | undefined;
  maxLimitRequestRatio?: Record<string, string> | undefined;
};

/** LimitRangeList of version v1. */
export type LimitRangeList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: LimitRange[];
};

export type LimitRangeSpec = {
  limits: LimitRangeItem[] | null;
};

export type LinuxContainerUser = {
  uid: number;
  gid: number;
  supplementalGroups?: number[] | undefined;
};

export type LoadBalancerIngress = {
  ip?: string | undefined;
  hostname?: string | undefined;
  ipMode?: string | undefined;
  ports?: PortStatus[] | undefined;
};

export type LoadBalancerStatus = {
  ingress?: LoadBalancerIngress[] | undefined;
};

export type LocalObjectReference = {
  /** Name of the object. */
  name?: string | undefined;
};

export type LocalVolumeSource = {
  path: string;
  fsType?: string | undefined;
};

export type ModifyVolumeStatus = {
  targetVolumeAttributesClassName?: string | undefined;
  status: string;
};

/** A directory of an NFS server. */
export type NFSVolumeSource = {
  server: string;
  path: string;
  readOnly?: boolean | undefined;
};

/** A scope for names. Deleting a namespace deletes all objects in it. */
export type Namespace = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: NamespaceSpec | undefined;
  status?: NamespaceStatus | undefined;
};

export type NamespaceCondition = {
  /** Type of the condition. */
  type: string;
  /** True, False or Unknown. */
  status: string;
  /** Time when the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** Reason as a CamelCase word. */
  reason?: string | undefined;
  /** Human-readable message. */
  message?: string | undefined;
};

/** NamespaceList of version v1. */
export type NamespaceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Namespace[];
};

export type NamespaceSpec = {
  /** Finalizers that must be removed before the namespace is deleted. Changed through the finalize subresource only. */
  finalizers?: string[] | undefined;
};

export type NamespaceStatus = {
  /** Active, or Terminating once the namespace was deleted. */
  phase?: string | undefined;
  /** Conditions that block the deletion of a terminating namespace. */
  conditions?: NamespaceCondition[] | undefined;
};

/** A machine that runs pods. */
export type Node = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Desired state of the node. */
  spec?: NodeSpec | undefined;
  /** Actual state of the node, written by its agent. */
  status?: NodeStatus | undefined;
};

export type NodeAddress = {
  /** Hostname, InternalIP, ExternalIP and the like. */
  type: string;
  address: string;
};

/** Node affinity. */
export type NodeAffinity = {
  /** Required terms. */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
  /** Preferred terms, by weight. */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[] | undefined;
};

export type NodeCondition = {
  /** Type of the condition. */
  type: string;
  /** True, False or Unknown. */
  status: string;
  /** Time when the condition was last reported. */
  lastHeartbeatTime?: string | null | undefined;
  /** Time when the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** Reason as a CamelCase word. */
  reason?: string | undefined;
  /** Human-readable message. */
  message?: string | undefined;
};

/** Deprecated: dropped. */
export type NodeConfigSource = {
  configMap?: ConfigMapNodeConfigSource | undefined;
};

/** Deprecated: dropped. */
export type NodeConfigStatus = {
  assigned?: NodeConfigSource | undefined;
  active?: NodeConfigSource | undefined;
  lastKnownGood?: NodeConfigSource | undefined;
  error?: string | undefined;
};

/** Ports of the programs on the node. */
export type NodeDaemonEndpoints = {
  kubeletEndpoint?: DaemonEndpoint | undefined;
};

/** Features of the container runtime. */
export type NodeFeatures = {
  supplementalGroupsPolicy?: boolean | undefined;
};

/** NodeList of version v1. */
export type NodeList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Node[];
};

export type NodeProxyOptions = {
  apiVersion?: string;
  kind?: string;
  path?: string | undefined;
};

export type NodeRuntimeHandler = {
  name?: string | undefined;
  features?: NodeRuntimeHandlerFeatures | undefined;
};

export type NodeRuntimeHandlerFeatures = {
  recursiveReadOnlyMounts?: boolean | undefined;
  userNamespaces?: boolean | undefined;
};

/** Required terms. */
export type NodeSelector = {
  /** Terms. At least one must match. */
  nodeSelectorTerms: NodeSelectorTerm[];
};

export type NodeSelectorRequirement = {
  /** Key of the label. */
  key: string;
  /** In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  operator: string;
  /** Values to compare with: some for In and NotIn, one for Gt and Lt, none otherwise. */
  values?: string[] | undefined;
};

export type NodeSelectorTerm = {
  /** Requirements on the node's labels. */
  matchExpressions?: NodeSelectorRequirement[] | undefined;
  /** Requirements on the node's fields. */
  matchFields?: NodeSelectorRequirement[] | undefined;
};

/** Desired state of the node. */
export type NodeSpec = {
  /** Addresses of the node's pods; the first of podCIDRs. */
  podCIDR?: string | undefined;
  /** Deprecated: not used. */
  externalID?: string | undefined;
  /** Identity of the node to its provider. Set once. */
  providerID?: string | undefined;
  /** No new pods are scheduled to the node. */
  unschedulable?: boolean | undefined;
  /** Taints that repel pods without a matching toleration. */
  taints?: Taint[] | undefined;
  /** Deprecated: dropped. */
  configSource?: NodeConfigSource | undefined;
  /** Addresses of the node's pods, at most one range for each IP family. Set once. */
  podCIDRs?: string[] | undefined;
};

/** Actual state of the node, written by its agent. */
export type NodeStatus = {
  /** Total resources of the node. */
  capacity?: Record<string, string> | undefined;
  /** Resources available to pods. Default: the capacity. */
  allocatable?: Record<string, string> | undefined;
  /** Deprecated: never set. */
  phase?: string | undefined;
  /** Conditions of the node. */
  conditions?: NodeCondition[] | undefined;
  /** Addresses of the node. */
  addresses?: NodeAddress[] | undefined;
  /** Ports of the programs on the node. */
  daemonEndpoints?: NodeDaemonEndpoints | undefined;
  /** Identity and versions of the node. */
  nodeInfo?: NodeSystemInfo | undefined;
  /** Images that are on the node. */
  images?: ContainerImage[] | undefined;
  /** Volumes that are mounted. */
  volumesInUse?: string[] | undefined;
  /** Volumes that are attached. */
  volumesAttached?: AttachedVolume[] | undefined;
  /** Deprecated: dropped. */
  config?: NodeConfigStatus | undefined;
  /** Ways to run containers. */
  runtimeHandlers?: NodeRuntimeHandler[] | undefined;
  /** Features of the container runtime. */
  features?: NodeFeatures | undefined;
};

/** Identity and versions of the node. */
export type NodeSystemInfo = {
  machineID: string;
  systemUUID: string;
  bootID: string;
  kernelVersion: string;
  osImage: string;
  containerRuntimeVersion: string;
  kubeletVersion: string;
  kubeProxyVersion: string;
  operatingSystem: string;
  architecture: string;
};

/** A field of the pod. */
export type ObjectFieldSelector = {
  /** Version that fieldPath is written in; default v1. */
  apiVersion?: string | undefined;
  /** The field, such as metadata.name. */
  fieldPath: string;
};

/** A reference to an object. */
export type ObjectReference = {
  /** Kind of the object. */
  kind?: string | undefined;
  /** Namespace of the object. */
  namespace?: string | undefined;
  /** Name of the object. */
  name?: string | undefined;
  /** UID of the object. */
  uid?: string | undefined;
  /** API version of the object. */
  apiVersion?: string | undefined;
  /** Resource version of the referenced state. */
  resourceVersion?: string | undefined;
  /** The referenced part of the object, such as spec.containers{name}. */
  fieldPath?: string | undefined;
};

/** PersistentVolume of version v1. */
export type PersistentVolume = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: PersistentVolumeSpec | undefined;
  status?: PersistentVolumeStatus | undefined;
};

/** PersistentVolumeClaim of version v1. */
export type PersistentVolumeClaim = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: PersistentVolumeClaimSpec | undefined;
  status?: PersistentVolumeClaimStatus | undefined;
};

export type PersistentVolumeClaimCondition = {
  type: string;
  status: string;
  lastProbeTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** PersistentVolumeClaimList of version v1. */
export type PersistentVolumeClaimList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: PersistentVolumeClaim[];
};

export type PersistentVolumeClaimSpec = {
  /** The permitted ways to mount the volume: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod. */
  accessModes?: string[] | undefined;
  resources?: VolumeResourceRequirements | undefined;
  /** The volume that the claim is bound to. */
  volumeName?: string | undefined;
  /** Selects the candidate volumes. */
  selector?: LabelSelector | undefined;
  /** The storage class; empty for none, absent for the default. */
  storageClassName?: string | undefined;
  /** Filesystem or Block. */
  volumeMode?: string | undefined;
  dataSource?: TypedLocalObjectReference | undefined;
  dataSourceRef?: TypedObjectReference | undefined;
  volumeAttributesClassName?: string | undefined;
};

export type PersistentVolumeClaimStatus = {
  phase?: string | undefined;
  accessModes?: string[] | undefined;
  capacity?: Record<string, string> | undefined;
  conditions?: PersistentVolumeClaimCondition[] | undefined;
  allocatedResources?: Record<string, string> | undefined;
  allocatedResourceStatuses?: Record<string, string> | undefined;
  currentVolumeAttributesClassName?: string | undefined;
  modifyVolumeStatus?: ModifyVolumeStatus | undefined;
};

/** Template of the claim, which is created and deleted with the pod. */
export type PersistentVolumeClaimTemplate = {
  /** Metadata that every stored object has. */
  metadata?: ObjectMeta | undefined;
  spec: PersistentVolumeClaimSpec;
};

/** A volume that a claim is bound to. */
export type PersistentVolumeClaimVolumeSource = {
  /** Name of the claim in the pod's namespace. */
  claimName: string;
  /** Mounts are read-only. */
  readOnly?: boolean | undefined;
};

/** PersistentVolumeList of version v1. */
export type PersistentVolumeList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: PersistentVolume[];
};

export type PersistentVolumeSource = {
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  hostPath?: HostPathVolumeSource | undefined;
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  rbd?: RBDPersistentVolumeSource | undefined;
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  cinder?: CinderPersistentVolumeSource | undefined;
  cephfs?: CephFSPersistentVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  flexVolume?: FlexPersistentVolumeSource | undefined;
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  local?: LocalVolumeSource | undefined;
  storageos?: StorageOSPersistentVolumeSource | undefined;
  csi?: CSIPersistentVolumeSource | undefined;
};

export type PersistentVolumeSpec = {
  capacity?: Record<string, string> | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  hostPath?: HostPathVolumeSource | undefined;
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  rbd?: RBDPersistentVolumeSource | undefined;
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  cinder?: CinderPersistentVolumeSource | undefined;
  cephfs?: CephFSPersistentVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  flexVolume?: FlexPersistentVolumeSource | undefined;
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  local?: LocalVolumeSource | undefined;
  storageos?: StorageOSPersistentVolumeSource | undefined;
  csi?: CSIPersistentVolumeSource | undefined;
  accessModes?: string[] | undefined;
  claimRef?: ObjectReference | undefined;
  persistentVolumeReclaimPolicy?: string | undefined;
  storageClassName?: string | undefined;
  mountOptions?: string[] | undefined;
  volumeMode?: string | undefined;
  nodeAffinity?: VolumeNodeAffinity | undefined;
  volumeAttributesClassName?: string | undefined;
};

export type PersistentVolumeStatus = {
  phase?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  lastPhaseTransitionTime?: string | undefined;
};

export type PhotonPersistentDiskVolumeSource = {
  pdID: string;
  fsType?: string | undefined;
};

/** A group of containers that run together on one node and share network and volumes. */
export type Pod = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Desired state of the pod. */
  spec?: PodSpec | undefined;
  /** Actual state of the pod, written by the node agent. */
  status?: PodStatus | undefined;
};

/** Affinity to other pods. */
export type PodAffinity = {
  /** Required terms. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  /** Preferred terms, by weight. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
};

export type PodAffinityTerm = {
  /** Selects the pods; absent selects none. */
  labelSelector?: LabelSelector | undefined;
  /** Namespaces of the pods; default this pod's. */
  namespaces?: string[] | undefined;
  /** Node label whose values define the topology domains. */
  topologyKey: string;
  /** Selects further namespaces of the pods by label. */
  namespaceSelector?: LabelSelector | undefined;
  /** Labels whose value must be this pod's. */
  matchLabelKeys?: string[] | undefined;
  /** Labels whose value must not be this pod's. */
  mismatchLabelKeys?: string[] | undefined;
};

/** Anti-affinity to other pods. */
export type PodAntiAffinity = {
  /** Required terms. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  /** Preferred terms, by weight. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
};

export type PodAttachOptions = {
  apiVersion?: string;
  kind?: string;
  stdin?: boolean | undefined;
  stdout?: boolean | undefined;
  stderr?: boolean | undefined;
  tty?: boolean | undefined;
  container?: string | undefined;
};

export type PodCondition = {
  /** Type of the condition. */
  type: string;
  /** True, False or Unknown. */
  status: string;
  lastProbeTime?: string | null | undefined;
  /** Time when the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** Reason as a CamelCase word. */
  reason?: string | undefined;
  /** Human-readable message. */
  message?: string | undefined;
};

/** Resolver settings besides those of dnsPolicy. */
export type PodDNSConfig = {
  /** Addresses of name servers. */
  nameservers?: string[] | undefined;
  /** Domains to search. */
  searches?: string[] | undefined;
  /** Resolver options. */
  options?: PodDNSConfigOption[] | undefined;
};

export type PodDNSConfigOption = {
  name?: string | undefined;
  value?: string | undefined;
};

export type PodExecOptions = {
  apiVersion?: string;
  kind?: string;
  stdin?: boolean | undefined;
  stdout?: boolean | undefined;
  stderr?: boolean | undefined;
  tty?: boolean | undefined;
  container?: string | undefined;
  command?: string[] | null | undefined;
};

export type PodIP = {
  ip: string;
};

/** PodList of version v1. */
export type PodList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Pod[];
};

export type PodLogOptions = {
  apiVersion?: string;
  kind?: string;
  container?: string | undefined;
  follow?: boolean | undefined;
  previous?: boolean | undefined;
  sinceSeconds?: number | undefined;
  sinceTime?: string | undefined;
  timestamps?: boolean | undefined;
  tailLines?: number | undefined;
  limitBytes?: number | undefined;
  insecureSkipTLSVerifyBackend?: boolean | undefined;
};

/** The operating system. */
export type PodOS = {
  /** linux or windows. */
  name: string;
};

export type PodPortForwardOptions = {
  apiVersion?: string;
  kind?: string;
  ports?: number[] | undefined;
};

export type PodProxyOptions = {
  apiVersion?: string;
  kind?: string;
  path?: string | undefined;
};

export type PodReadinessGate = {
  conditionType: string;
};

export type PodResourceClaim = {
  /** Name of the claim within the pod. */
  name: string;
  /** An existing claim. */
  resourceClaimName?: string | undefined;
  /** The template of a claim to create. */
  resourceClaimTemplateName?: string | undefined;
};

export type PodResourceClaimStatus = {
  name: string;
  resourceClaimName?: string | undefined;
};

export type PodSchedulingGate = {
  name: string;
};

/** Security settings for all containers. */
export type PodSecurityContext = {
  seLinuxOptions?: SELinuxOptions | undefined;
  /** User id that the processes run as. */
  runAsUser?: number | undefined;
  /** Refuse to run as user 0. */
  runAsNonRoot?: boolean | undefined;
  /** Supplemental group ids of the processes. */
  supplementalGroups?: number[] | undefined;
  /** Group id that owns volumes. */
  fsGroup?: number | undefined;
  /** Group id that the processes run as. */
  runAsGroup?: number | undefined;
  /** Kernel parameters of the pod. */
  sysctls?: Sysctl[] | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  /** OnRootMismatch or Always. */
  fsGroupChangePolicy?: string | undefined;
  /** System call filter. */
  seccompProfile?: SeccompProfile | undefined;
  /** AppArmor profile. */
  appArmorProfile?: AppArmorProfile | undefined;
  /** Merge or Strict. Alpha: dropped. */
  supplementalGroupsPolicy?: string | undefined;
};

/** Desired state of the pod. */
export type PodSpec = {
  /** Volumes that containers mount by name. */
  volumes?: Volume[] | undefined;
  /** Containers that run concurrently; at least one. */
  containers: Container[];
  /** Always, OnFailure or Never; default Always. */
  restartPolicy?: string | undefined;
  /** Seconds between the termination request and the kill; default 30. */
  terminationGracePeriodSeconds?: number | undefined;
  /** Maximum run time of the pod in seconds. */
  activeDeadlineSeconds?: number | undefined;
  /** ClusterFirst, ClusterFirstWithHostNet, Default or None; default ClusterFirst. */
  dnsPolicy?: string | undefined;
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string> | undefined;
  /** Service account of the pod. */
  serviceAccountName?: string | undefined;
  /** Deprecated: the same as serviceAccountName. */
  serviceAccount?: string | undefined;
  /** The node; set by the scheduler. */
  nodeName?: string | undefined;
  /** Use the node's network. */
  hostNetwork?: boolean | undefined;
  /** See the node's processes. */
  hostPID?: boolean | undefined;
  /** Use the node's inter-process communication. */
  hostIPC?: boolean | undefined;
  /** Security settings for all containers. */
  securityContext?: PodSecurityContext | undefined;
  /** Secrets for pulling images. */
  imagePullSecrets?: LocalObjectReference[] | undefined;
  /** Host name of the pod; default its name. */
  hostname?: string | undefined;
  /** Domain of the pod within its namespace. */
  subdomain?: string | undefined;
  /** Affinity to nodes and to other pods. */
  affinity?: Affinity | undefined;
  /** Scheduler of the pod; default default-scheduler. */
  schedulerName?: string | undefined;
  /** Containers that run one after another before the other containers start. */
  initContainers?: Container[] | undefined;
  /** Whether a token of the account is mounted. */
  automountServiceAccountToken?: boolean | undefined;
  /** Tolerated taints of nodes. */
  tolerations?: Toleration[] | undefined;
  /** Entries of the pod's hosts file. */
  hostAliases?: HostAlias[] | undefined;
  /** Name of the pod's priority. */
  priorityClassName?: string | undefined;
  /** Priority of the pod. A higher value is more important. */
  priority?: number | undefined;
  /** Resolver settings besides those of dnsPolicy. */
  dnsConfig?: PodDNSConfig | undefined;
  /** All containers see each other's processes. */
  shareProcessNamespace?: boolean | undefined;
  /** Conditions that must be True for the pod to be ready. */
  readinessGates?: PodReadinessGate[] | undefined;
  /** Runtime class of the containers. */
  runtimeClassName?: string | undefined;
  /** Whether services are set as environment variables; default true. */
  enableServiceLinks?: boolean | undefined;
  /** PreemptLowerPriority or Never. */
  preemptionPolicy?: string | undefined;
  /** Resources that the pod needs besides its containers. */
  overhead?: Record<string, string> | undefined;
  /** Topology spread constraints. */
  topologySpreadConstraints?: TopologySpreadConstraint[] | undefined;
  /** Containers that are added to the running pod through the ephemeralcontainers subresource. */
  ephemeralContainers?: EphemeralContainer[] | undefined;
  /** Whether the host name is the fully qualified name. */
  setHostnameAsFQDN?: boolean | undefined;
  /** The operating system. */
  os?: PodOS | undefined;
  /** Whether the pod uses the user namespace of the node; default true. */
  hostUsers?: boolean | undefined;
  /** Scheduling gates. The pod is not scheduled before all are removed; none can be added. */
  schedulingGates?: PodSchedulingGate[] | undefined;
  /** Resource claims that must be allocated before the pod starts. */
  resourceClaims?: PodResourceClaim[] | undefined;
};

/** Actual state of the pod, written by the node agent. */
export type PodStatus = {
  /** Pending, Running, Succeeded, Failed or Unknown. */
  phase?: string | undefined;
  /** Conditions of the pod. */
  conditions?: PodCondition[] | undefined;
  /** Human-readable message about the state. */
  message?: string | undefined;
  /** Reason of the state as a CamelCase word. */
  reason?: string | undefined;
  /** Address of the node. */
  hostIP?: string | undefined;
  /** Address of the pod. */
  podIP?: string | undefined;
  /** Time when the node agent accepted the pod. */
  startTime?: string | undefined;
  /** State of the containers. */
  containerStatuses?: ContainerStatus[] | undefined;
  /** Guaranteed, Burstable or BestEffort. */
  qosClass?: string | undefined;
  /** State of the init containers. */
  initContainerStatuses?: ContainerStatus[] | undefined;
  /** The node on which other pods are preempted for this pod. */
  nominatedNodeName?: string | undefined;
  /** Addresses of the pod. */
  podIPs?: PodIP[] | undefined;
  /** State of the ephemeral containers. */
  ephemeralContainerStatuses?: ContainerStatus[] | undefined;
  /** State of a requested change of resources. */
  resize?: string | undefined;
  resourceClaimStatuses?: PodResourceClaimStatus[] | undefined;
  /** Addresses of the node. */
  hostIPs?: HostIP[] | undefined;
};

/** PodTemplate of version v1. */
export type PodTemplate = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  template?: PodTemplateSpec | undefined;
};

/** PodTemplateList of version v1. */
export type PodTemplateList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: PodTemplate[];
};

export type PodTemplateSpec = {
  metadata?: ObjectMeta | undefined;
  spec?: PodSpec | undefined;
};

export type PortStatus = {
  port: number;
  protocol: string;
  error?: string | undefined;
};

export type PortworxVolumeSource = {
  volumeID: string;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
};

export type PreferredSchedulingTerm = {
  /** 1 to 100. */
  weight: number;
  preference: NodeSelectorTerm;
};

/** A periodic check of a container. */
export type Probe = {
  /** Run a program in the container. */
  exec?: ExecAction | undefined;
  /** Make an HTTP request; status 200 to 399 is success. */
  httpGet?: HTTPGetAction | undefined;
  /** Open a TCP connection. */
  tcpSocket?: TCPSocketAction | undefined;
  /** Make a gRPC health check. */
  grpc?: GRPCAction | undefined;
  /** Seconds from the start of the container to the first check. */
  initialDelaySeconds?: number | undefined;
  /** Seconds after which a check has failed; default 1. */
  timeoutSeconds?: number | undefined;
  /** Seconds between checks; default 10. */
  periodSeconds?: number | undefined;
  /** Successes in a row after a failure that count as success; default 1. */
  successThreshold?: number | undefined;
  /** Failures in a row after a success that count as failure; default 3. */
  failureThreshold?: number | undefined;
  /** Grace period when this check fails; default the pod's. */
  terminationGracePeriodSeconds?: number | undefined;
};

export type ProbeHandler = {
  /** Run a program in the container. */
  exec?: ExecAction | undefined;
  /** Make an HTTP request; status 200 to 399 is success. */
  httpGet?: HTTPGetAction | undefined;
  /** Open a TCP connection. */
  tcpSocket?: TCPSocketAction | undefined;
  /** Make a gRPC health check. */
  grpc?: GRPCAction | undefined;
};

/** Several sources in one directory. */
export type ProjectedVolumeSource = {
  /** Sources of the files. */
  sources?: VolumeProjection[] | null | undefined;
  /** Permission bits of the files without a mode of their own, 0 to 511; default 420 (0644). */
  defaultMode?: number | undefined;
};

export type QuobyteVolumeSource = {
  registry: string;
  volume: string;
  readOnly?: boolean | undefined;
  user?: string | undefined;
  group?: string | undefined;
  tenant?: string | undefined;
};

export type RBDPersistentVolumeSource = {
  monitors: string[];
  image: string;
  fsType?: string | undefined;
  pool?: string | undefined;
  user?: string | undefined;
  keyring?: string | undefined;
  secretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
};

export type RBDVolumeSource = {
  monitors: string[];
  image: string;
  fsType?: string | undefined;
  pool?: string | undefined;
  user?: string | undefined;
  keyring?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
};

export type RangeAllocation = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  range?: string | undefined;
  data?: string | undefined;
};

/** ReplicationController of version v1. */
export type ReplicationController = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ReplicationControllerSpec | undefined;
  status?: ReplicationControllerStatus | undefined;
};

export type ReplicationControllerCondition = {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** ReplicationControllerList of version v1. */
export type ReplicationControllerList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ReplicationController[];
};

export type ReplicationControllerSpec = {
  replicas?: number | undefined;
  selector?: Record<string, string> | undefined;
  template?: PodTemplateSpec | undefined;
  minReadySeconds?: number | undefined;
};

export type ReplicationControllerStatus = {
  replicas: number;
  fullyLabeledReplicas?: number | undefined;
  observedGeneration?: number | undefined;
  readyReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  conditions?: ReplicationControllerCondition[] | undefined;
};

export type ResourceClaim = {
  /** An entry of the pod's resourceClaims. */
  name: string;
  /** One request of the claim; default all of it. */
  request?: string | undefined;
};

/** A resource of a container. */
export type ResourceFieldSelector = {
  /** The container; required for volumes, optional for environment variables. */
  containerName?: string | undefined;
  /** The resource, such as limits.cpu. */
  resource: string;
  /** Unit of the value; default 1. */
  divisor?: string | undefined;
};

export type ResourceHealth = {
  resourceID: string;
  health?: string | undefined;
};

/** ResourceQuota of version v1. */
export type ResourceQuota = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ResourceQuotaSpec | undefined;
  status?: ResourceQuotaStatus | undefined;
};

/** ResourceQuotaList of version v1. */
export type ResourceQuotaList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ResourceQuota[];
};

export type ResourceQuotaSpec = {
  hard?: Record<string, string> | undefined;
  scopes?: string[] | undefined;
  scopeSelector?: ScopeSelector | undefined;
};

export type ResourceQuotaStatus = {
  hard?: Record<string, string> | undefined;
  used?: Record<string, string> | undefined;
};

/** Resource requests and limits. */
export type ResourceRequirements = {
  /** Maximum amount of each resource that may be used. */
  limits?: Record<string, string> | undefined;
  /** Reserved amount of each resource; default the limit. */
  requests?: Record<string, string> | undefined;
  /** Claims of the pod that this container uses. */
  claims?: ResourceClaim[] | undefined;
};

export type ResourceStatus = {
  name: string;
  resources?: ResourceHealth[] | undefined;
};

export type SELinuxOptions = {
  user?: string | undefined;
  role?: string | undefined;
  type?: string | undefined;
  level?: string | undefined;
};

export type ScaleIOPersistentVolumeSource = {
  gateway: string;
  system: string;
  secretRef: SecretReference;
  sslEnabled?: boolean | undefined;
  protectionDomain?: string | undefined;
  storagePool?: string | undefined;
  storageMode?: string | undefined;
  volumeName?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
};

export type ScaleIOVolumeSource = {
  gateway: string;
  system: string;
  secretRef: LocalObjectReference;
  sslEnabled?: boolean | undefined;
  protectionDomain?: string | undefined;
  storagePool?: string | undefined;
  storageMode?: string | undefined;
  volumeName?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
};

export type ScopeSelector = {
  matchExpressions?: ScopedResourceSelectorRequirement[] | undefined;
};

export type ScopedResourceSelectorRequirement = {
  scopeName: string;
  operator: string;
  values?: string[] | undefined;
};

/** System call filter. */
export type SeccompProfile = {
  /** Localhost, RuntimeDefault or Unconfined. */
  type: string;
  /** The profile on the node, for type Localhost. */
  localhostProfile?: string | undefined;
};

/** Confidential data, as bytes by key. The maximum size of the data is 1 MiB. */
export type Secret = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Bytes by key, as base64. Keys consist of letters, digits, "-", "_" and ".". */
  data?: Record<string, string> | undefined;
  /** Purpose of the secret. Some types require certain keys. Immutable. */
  type?: string | undefined;
  /** Texts by key. Write-only: each is stored in data and replaces the value of the same key. */
  stringData?: Record<string, string> | undefined;
  /** If true, neither the data nor this field can be changed. */
  immutable?: boolean | undefined;
};

/** A secret. */
export type SecretEnvSource = {
  /** Name of the object. */
  name?: string | undefined;
  /** Whether the container may start without it. */
  optional?: boolean | undefined;
};

/** A key of a secret. */
export type SecretKeySelector = {
  /** Name of the object. */
  name?: string | undefined;
  /** The key of the secret. */
  key: string;
  /** Whether the container may start without it. */
  optional?: boolean | undefined;
};

/** SecretList of version v1. */
export type SecretList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Secret[];
};

/** A secret. */
export type SecretProjection = {
  /** Name of the object. */
  name?: string | undefined;
  /** The keys to write as files, and where. Absent: all of them, each under its own name. */
  items?: KeyToPath[] | undefined;
  /** Whether the pod may start without it. */
  optional?: boolean | undefined;
};

export type SecretReference = {
  name?: string | undefined;
  namespace?: string | undefined;
};

/** A secret as files. */
export type SecretVolumeSource = {
  /** Name of the secret. */
  secretName?: string | undefined;
  /** The keys to write as files, and where. Absent: all of them, each under its own name. */
  items?: KeyToPath[] | undefined;
  /** Permission bits of the files without a mode of their own, 0 to 511; default 420 (0644). */
  defaultMode?: number | undefined;
  /** Whether the pod may start without it. */
  optional?: boolean | undefined;
};

/** Security settings of the container. They override those of the pod. */
export type SecurityContext = {
  /** Capabilities to add to and drop from the runtime's defaults. */
  capabilities?: Capabilities | undefined;
  /** Run with the privileges of the node. */
  privileged?: boolean | undefined;
  seLinuxOptions?: SELinuxOptions | undefined;
  /** User id that the processes run as. */
  runAsUser?: number | undefined;
  /** Refuse to run as user 0. */
  runAsNonRoot?: boolean | undefined;
  /** The root file system is read-only. */
  readOnlyRootFilesystem?: boolean | undefined;
  /** Whether a process may gain more privileges than its parent. */
  allowPrivilegeEscalation?: boolean | undefined;
  /** Group id that the processes run as. */
  runAsGroup?: number | undefined;
  /** Default or Unmasked. */
  procMount?: string | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  /** System call filter. */
  seccompProfile?: SeccompProfile | undefined;
  /** AppArmor profile. */
  appArmorProfile?: AppArmorProfile | undefined;
};

export type SerializedReference = {
  apiVersion?: string;
  kind?: string;
  reference?: ObjectReference | undefined;
};

/** Service of version v1. */
export type Service = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ServiceSpec | undefined;
  status?: ServiceStatus | undefined;
};

/** An identity for programs, with its secrets. */
export type ServiceAccount = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Secrets that pods of this account may use. Only the names are stored. */
  secrets?: ObjectReference[] | undefined;
  /** Secrets for pulling the images of pods of this account. */
  imagePullSecrets?: LocalObjectReference[] | undefined;
  /** Whether pods of this account get a token mounted. A pod can override it. */
  automountServiceAccountToken?: boolean | undefined;
};

/** ServiceAccountList of version v1. */
export type ServiceAccountList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ServiceAccount[];
};

/** A token of the pod's service account, renewed as needed. */
export type ServiceAccountTokenProjection = {
  /** Audience of the token; default the API server. */
  audience?: string | undefined;
  /** Lifetime of the token, at least 600; default 3600. */
  expirationSeconds?: number | undefined;
  /** The file, as a relative path without "..". */
  path: string;
};

/** ServiceList of version v1. */
export type ServiceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Service[];
};

export type ServicePort = {
  name?: string | undefined;
  protocol?: string | undefined;
  port: number;
  targetPort?: number | string | undefined;
  nodePort?: number | undefined;
  appProtocol?: string | undefined;
};

export type ServiceProxyOptions = {
  apiVersion?: string;
  kind?: string;
  path?: string | undefined;
};

export type ServiceSpec = {
  ports?: ServicePort[] | undefined;
  selector?: Record<string, string> | undefined;
  clusterIP?: string | undefined;
  type?: string | undefined;
  externalIPs?: string[] | undefined;
  sessionAffinity?: string | undefined;
  loadBalancerIP?: string | undefined;
  loadBalancerSourceRanges?: string[] | undefined;
  externalName?: string | undefined;
  externalTrafficPolicy?: string | undefined;
  healthCheckNodePort?: number | undefined;
  publishNotReadyAddresses?: boolean | undefined;
  sessionAffinityConfig?: SessionAffinityConfig | undefined;
  ipFamilyPolicy?: string | undefined;
  clusterIPs?: string[] | undefined;
  ipFamilies?: string[] | undefined;
  allocateLoadBalancerNodePorts?: boolean | undefined;
  loadBalancerClass?: string | undefined;
  internalTrafficPolicy?: string | undefined;
  trafficDistribution?: string | undefined;
};

export type ServiceStatus = {
  loadBalancer?: LoadBalancerStatus | undefined;
  conditions?: Condition[] | undefined;
};

export type SessionAffinityConfig = {
  clientIP?: ClientIPConfig | undefined;
};

/** Wait. */
export type SleepAction = {
  /** Seconds to sleep. */
  seconds: number;
};

export type StorageOSPersistentVolumeSource = {
  volumeName?: string | undefined;
  volumeNamespace?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: ObjectReference | undefined;
};

export type StorageOSVolumeSource = {
  volumeName?: string | undefined;
  volumeNamespace?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
};

export type Sysctl = {
  name: string;
  value: string;
};

/** Opens a TCP connection. */
export type TCPSocketAction = {
  /** Number or name of the port. */
  port: number | string;
  /** Host to connect to; default the pod. */
  host?: string | undefined;
};

export type Taint = {
  /** Key of the taint. */
  key: string;
  /** Value of the taint. */
  value?: string | undefined;
  /** NoSchedule, PreferNoSchedule or NoExecute. */
  effect: string;
  /** Time when the taint was added; for NoExecute. */
  timeAdded?: string | undefined;
};

export type Toleration = {
  /** Key of the taint; empty with operator Exists for all. */
  key?: string | undefined;
  /** Equal or Exists; default Equal. */
  operator?: string | undefined;
  /** Value of the taint, for Equal. */
  value?: string | undefined;
  /** NoSchedule, PreferNoSchedule or NoExecute; empty for all. */
  effect?: string | undefined;
  /** Seconds before eviction, for NoExecute; absent for no limit. */
  tolerationSeconds?: number | undefined;
};

export type TopologySelectorLabelRequirement = {
  key: string;
  values: string[];
};

export type TopologySelectorTerm = {
  matchLabelExpressions?: TopologySelectorLabelRequirement[] | undefined;
};

export type TopologySpreadConstraint = {
  /** Maximum difference of the number of pods between domains. */
  maxSkew: number;
  /** Node label whose values define the topology domains. */
  topologyKey: string;
  /** DoNotSchedule or ScheduleAnyway. */
  whenUnsatisfiable: string;
  /** The pods that are counted. */
  labelSelector?: LabelSelector | undefined;
  /** Minimum number of domains. */
  minDomains?: number | undefined;
  /** Honor or Ignore. */
  nodeAffinityPolicy?: string | undefined;
  /** Honor or Ignore. */
  nodeTaintsPolicy?: string | undefined;
  /** Labels whose value must be this pod's. */
  matchLabelKeys?: string[] | undefined;
};

export type TypedLocalObjectReference = {
  apiGroup?: string | null | undefined;
  kind: string;
  name: string;
};

export type TypedObjectReference = {
  apiGroup?: string | null | undefined;
  kind: string;
  name: string;
  namespace?: string | undefined;
};

export type Volume = {
  /** Name of the volume, a DNS label. */
  name: string;
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource | undefined;
  /** An empty directory that lives as long as the pod. */
  emptyDir?: EmptyDirVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  gitRepo?: GitRepoVolumeSource | undefined;
  /** A secret as files. */
  secret?: SecretVolumeSource | undefined;
  /** A directory of an NFS server. */
  nfs?: NFSVolumeSource | undefined;
  iscsi?: ISCSIVolumeSource | undefined;
  glusterfs?: GlusterfsVolumeSource | undefined;
  /** A volume that a claim is bound to. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  rbd?: RBDVolumeSource | undefined;
  flexVolume?: FlexVolumeSource | undefined;
  cinder?: CinderVolumeSource | undefined;
  cephfs?: CephFSVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  /** Pod fields as files. */
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  azureFile?: AzureFileVolumeSource | undefined;
  /** A config map as files. */
  configMap?: ConfigMapVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOVolumeSource | undefined;
  /** Several sources in one directory. */
  projected?: ProjectedVolumeSource | undefined;
  storageos?: StorageOSVolumeSource | undefined;
  /** A volume of a storage driver that lives as long as the pod. */
  csi?: CSIVolumeSource | undefined;
  /** A claim that belongs to the pod. */
  ephemeral?: EphemeralVolumeSource | undefined;
  /** The content of an image, read-only. */
  image?: ImageVolumeSource | undefined;
};

export type VolumeDevice = {
  /** Name of the volume, a claim. */
  name: string;
  /** Path in the container. */
  devicePath: string;
};

export type VolumeMount = {
  /** Name of the volume. */
  name: string;
  /** The mount is read-only. */
  readOnly?: boolean | undefined;
  /** Path in the container. */
  mountPath: string;
  /** The part of the volume to mount; default its root. */
  subPath?: string | undefined;
  /** None, HostToContainer or Bidirectional. */
  mountPropagation?: string | undefined;
  /** Like subPath, with $(NAME) for environment variables. */
  subPathExpr?: string | undefined;
  /** Disabled, IfPossible or Enabled: whether nested mounts are read-only, too. */
  recursiveReadOnly?: string | undefined;
};

export type VolumeMountStatus = {
  name: string;
  mountPath: string;
  readOnly?: boolean | undefined;
  recursiveReadOnly?: string | undefined;
};

export type VolumeNodeAffinity = {
  required?: NodeSelector | undefined;
};

export type VolumeProjection = {
  /** A secret. */
  secret?: SecretProjection | undefined;
  /** Pod fields. */
  downwardAPI?: DownwardAPIProjection | undefined;
  /** A config map. */
  configMap?: ConfigMapProjection | undefined;
  /** A token of the pod's service account, renewed as needed. */
  serviceAccountToken?: ServiceAccountTokenProjection | undefined;
  /** Trust anchors. */
  clusterTrustBundle?: ClusterTrustBundleProjection | undefined;
};

export type VolumeResourceRequirements = {
  /** Maximum of each resource. */
  limits?: Record<string, string> | undefined;
  /** Minimum of each resource. */
  requests?: Record<string, string> | undefined;
};

export type VolumeSource = {
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource | undefined;
  /** An empty directory that lives as long as the pod. */
  emptyDir?: EmptyDirVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  gitRepo?: GitRepoVolumeSource | undefined;
  /** A secret as files. */
  secret?: SecretVolumeSource | undefined;
  /** A directory of an NFS server. */
  nfs?: NFSVolumeSource | undefined;
  iscsi?: ISCSIVolumeSource | undefined;
  glusterfs?: GlusterfsVolumeSource | undefined;
  /** A volume that a claim is bound to. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  rbd?: RBDVolumeSource | undefined;
  flexVolume?: FlexVolumeSource | undefined;
  cinder?: CinderVolumeSource | undefined;
  cephfs?: CephFSVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  /** Pod fields as files. */
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  azureFile?: AzureFileVolumeSource | undefined;
  /** A config map as files. */
  configMap?: ConfigMapVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOVolumeSource | undefined;
  /** Several sources in one directory. */
  projected?: ProjectedVolumeSource | undefined;
  storageos?: StorageOSVolumeSource | undefined;
  /** A volume of a storage driver that lives as long as the pod. */
  csi?: CSIVolumeSource | undefined;
  /** A claim that belongs to the pod. */
  ephemeral?: EphemeralVolumeSource | undefined;
  /** The content of an image, read-only. */
  image?: ImageVolumeSource | undefined;
};

export type VsphereVirtualDiskVolumeSource = {
  volumePath: string;
  fsType?: string | undefined;
  storagePolicyName?: string | undefined;
  storagePolicyID?: string | undefined;
};

export type WeightedPodAffinityTerm = {
  /** 1 to 100. */
  weight: number;
  podAffinityTerm: PodAffinityTerm;
};

export type WindowsSecurityContextOptions = {
  gmsaCredentialSpecName?: string | undefined;
  gmsaCredentialSpec?: string | undefined;
  runAsUserName?: string | undefined;
  hostProcess?: boolean | undefined;
};
