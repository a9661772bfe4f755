// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../meta/object.js';
import type { Condition, LabelSelector, ListMeta } from './meta-v1.js';

export type AWSElasticBlockStoreVolumeSource = {
  volumeID: string;
  fsType?: string | undefined;
  partition?: number | undefined;
  readOnly?: boolean | undefined;
};

export type Affinity = {
  nodeAffinity?: NodeAffinity | undefined;
  podAffinity?: PodAffinity | undefined;
  podAntiAffinity?: PodAntiAffinity | undefined;
};

export type AppArmorProfile = {
  type: string;
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

/** Binding of `v1`. */
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

export type CSIVolumeSource = {
  driver: string;
  readOnly?: boolean | undefined;
  fsType?: string | undefined;
  volumeAttributes?: Record<string, string> | undefined;
  nodePublishSecretRef?: LocalObjectReference | undefined;
};

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

export type ClusterTrustBundleProjection = {
  name?: string | undefined;
  signerName?: string | undefined;
  labelSelector?: LabelSelector | undefined;
  path: string;
  optional?: boolean | undefined;
};

export type ComponentCondition = {
  type: string;
  status: string;
  message?: string | undefined;
  error?: string | undefined;
};

/** ComponentStatus of `v1`. */
export type ComponentStatus = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  conditions?: ComponentCondition[] | undefined;
};

/** ComponentStatusList of `v1`. */
export type ComponentStatusList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ComponentStatus[];
};

/** ConfigMap of `v1`. */
export type ConfigMap = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  data?: Record<string, string> | undefined;
  binaryData?: Record<string, string> | undefined;
  immutable?: boolean | undefined;
};

export type ConfigMapEnvSource = {
  name?: string | undefined;
  optional?: boolean | undefined;
};

export type ConfigMapKeySelector = {
  name?: string | undefined;
  key: string;
  optional?: boolean | undefined;
};

/** ConfigMapList of `v1`. */
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

export type ConfigMapProjection = {
  name?: string | undefined;
  items?: KeyToPath[] | undefined;
  optional?: boolean | undefined;
};

export type ConfigMapVolumeSource = {
  name?: string | undefined;
  items?: KeyToPath[] | undefined;
  defaultMode?: number | undefined;
  optional?: boolean | undefined;
};

export type Container = {
  name: string;
  image?: string | undefined;
  command?: string[] | undefined;
  args?: string[] | undefined;
  workingDir?: string | undefined;
  ports?: ContainerPort[] | undefined;
  env?: EnvVar[] | undefined;
  resources?: ResourceRequirements | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  livenessProbe?: Probe | undefined;
  readinessProbe?: Probe | undefined;
  lifecycle?: Lifecycle | undefined;
  terminationMessagePath?: string | undefined;
  imagePullPolicy?: string | undefined;
  securityContext?: SecurityContext | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  tty?: boolean | undefined;
  envFrom?: EnvFromSource[] | undefined;
  terminationMessagePolicy?: string | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  startupProbe?: Probe | undefined;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  restartPolicy?: string | undefined;
};

export type ContainerImage = {
  names?: string[] | null | undefined;
  sizeBytes?: number | undefined;
};

export type ContainerPort = {
  name?: string | undefined;
  hostPort?: number | undefined;
  containerPort: number;
  protocol?: string | undefined;
  hostIP?: string | undefined;
};

export type ContainerResizePolicy = {
  resourceName: string;
  restartPolicy: string;
};

export type ContainerState = {
  waiting?: ContainerStateWaiting | undefined;
  running?: ContainerStateRunning | undefined;
  terminated?: ContainerStateTerminated | undefined;
};

export type ContainerStateRunning = {
  startedAt?: string | undefined;
};

export type ContainerStateTerminated = {
  exitCode: number;
  signal?: number | undefined;
  reason?: string | undefined;
  message?: string | undefined;
  startedAt?: string | undefined;
  finishedAt?: string | undefined;
  containerID?: string | undefined;
};

export type ContainerStateWaiting = {
  reason?: string | undefined;
  message?: string | undefined;
};

export type ContainerStatus = {
  name: string;
  state?: ContainerState | undefined;
  lastState?: ContainerState | undefined;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string | undefined;
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

export type DownwardAPIProjection = {
  items?: DownwardAPIVolumeFile[] | undefined;
};

export type DownwardAPIVolumeFile = {
  path: string;
  fieldRef?: ObjectFieldSelector | undefined;
  resourceFieldRef?: ResourceFieldSelector | undefined;
  mode?: number | undefined;
};

export type DownwardAPIVolumeSource = {
  items?: DownwardAPIVolumeFile[] | undefined;
  defaultMode?: number | undefined;
};

export type EmptyDirVolumeSource = {
  medium?: string | undefined;
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

/** Endpoints of `v1`. */
export type Endpoints = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  subsets?: EndpointSubset[] | undefined;
};

/** EndpointsList of `v1`. */
export type EndpointsList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Endpoints[];
};

export type EnvFromSource = {
  prefix?: string | undefined;
  configMapRef?: ConfigMapEnvSource | undefined;
  secretRef?: SecretEnvSource | undefined;
};

export type EnvVar = {
  name: string;
  value?: string | undefined;
  valueFrom?: EnvVarSource | undefined;
};

export type EnvVarSource = {
  fieldRef?: ObjectFieldSelector | undefined;
  resourceFieldRef?: ResourceFieldSelector | undefined;
  configMapKeyRef?: ConfigMapKeySelector | undefined;
  secretKeyRef?: SecretKeySelector | undefined;
};

export type EphemeralContainer = {
  name: string;
  image?: string | undefined;
  command?: string[] | undefined;
  args?: string[] | undefined;
  workingDir?: string | undefined;
  ports?: ContainerPort[] | undefined;
  env?: EnvVar[] | undefined;
  resources?: ResourceRequirements | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  livenessProbe?: Probe | undefined;
  readinessProbe?: Probe | undefined;
  lifecycle?: Lifecycle | undefined;
  terminationMessagePath?: string | undefined;
  imagePullPolicy?: string | undefined;
  securityContext?: SecurityContext | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  tty?: boolean | undefined;
  envFrom?: EnvFromSource[] | undefined;
  terminationMessagePolicy?: string | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  startupProbe?: Probe | undefined;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  restartPolicy?: string | undefined;
  targetContainerName?: string | undefined;
};

export type EphemeralContainerCommon = {
  name: string;
  image?: string | undefined;
  command?: string[] | undefined;
  args?: string[] | undefined;
  workingDir?: string | undefined;
  ports?: ContainerPort[] | undefined;
  env?: EnvVar[] | undefined;
  resources?: ResourceRequirements | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  livenessProbe?: Probe | undefined;
  readinessProbe?: Probe | undefined;
  lifecycle?: Lifecycle | undefined;
  terminationMessagePath?: string | undefined;
  imagePullPolicy?: string | undefined;
  securityContext?: SecurityContext | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  tty?: boolean | undefined;
  envFrom?: EnvFromSource[] | undefined;
  terminationMessagePolicy?: string | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  startupProbe?: Probe | undefined;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  restartPolicy?: string | undefined;
};

export type EphemeralVolumeSource = {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
};

/** Event of `v1`. */
export type Event = {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  involvedObject: ObjectReference;
  reason?: string | undefined;
  message?: string | undefined;
  source?: EventSource | undefined;
  firstTimestamp?: string | undefined;
  lastTimestamp?: string | undefined;
  count?: number | undefined;
  type?: string | undefined;
  eventTime?: string | undefined;
  series?: EventSeries | undefined;
  action?: string | undefined;
  related?: ObjectReference | undefined;
  reportingComponent?: string | undefined;
  reportingInstance?: string | undefined;
};

/** EventList of `v1`. */
export type EventList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Event[];
};

export type EventSeries = {
  count?: number | undefined;
  lastObservedTime?: string | undefined;
};

export type EventSource = {
  component?: string | undefined;
  host?: string | undefined;
};

export type ExecAction = {
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

export type GRPCAction = {
  port: number;
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

export type HTTPGetAction = {
  path?: string | undefined;
  port: number | string;
  host?: string | undefined;
  scheme?: string | undefined;
  httpHeaders?: HTTPHeader[] | undefined;
};

export type HTTPHeader = {
  name: string;
  value: string;
};

export type HostAlias = {
  ip: string;
  hostnames?: string[] | undefined;
};

export type HostIP = {
  ip: string;
};

export type HostPathVolumeSource = {
  path: string;
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

export type ImageVolumeSource = {
  reference?: string | undefined;
  pullPolicy?: string | undefined;
};

export type KeyToPath = {
  key: string;
  path: string;
  mode?: number | undefined;
};

export type Lifecycle = {
  postStart?: LifecycleHandler | undefined;
  preStop?: LifecycleHandler | undefined;
};

export type LifecycleHandler = {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  sleep?: SleepAction | undefined;
};

/** LimitRange of `v1`. */
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

/** LimitRangeList of `v1`. */
export type LimitRangeList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: LimitRange[];
};

export type LimitRangeSpec = {
  limits: LimitRangeItem[];
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

export type NFSVolumeSource = {
  server: string;
  path: string;
  readOnly?: boolean | undefined;
};

/** Namespace of `v1`. */
export type Namespace = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: NamespaceSpec | undefined;
  status?: NamespaceStatus | undefined;
};

export type NamespaceCondition = {
  type: string;
  status: string;
  lastTransitionTime?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** NamespaceList of `v1`. */
export type NamespaceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Namespace[];
};

export type NamespaceSpec = {
  finalizers?: string[] | undefined;
};

export type NamespaceStatus = {
  phase?: string | undefined;
  conditions?: NamespaceCondition[] | undefined;
};

/** Node of `v1`. */
export type Node = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: NodeSpec | undefined;
  status?: NodeStatus | undefined;
};

export type NodeAddress = {
  type: string;
  address: string;
};

export type NodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[] | undefined;
};

export type NodeCondition = {
  type: string;
  status: string;
  lastHeartbeatTime?: string | undefined;
  lastTransitionTime?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

export type NodeConfigSource = {
  configMap?: ConfigMapNodeConfigSource | undefined;
};

export type NodeConfigStatus = {
  assigned?: NodeConfigSource | undefined;
  active?: NodeConfigSource | undefined;
  lastKnownGood?: NodeConfigSource | undefined;
  error?: string | undefined;
};

export type NodeDaemonEndpoints = {
  kubeletEndpoint?: DaemonEndpoint | undefined;
};

export type NodeFeatures = {
  supplementalGroupsPolicy?: boolean | undefined;
};

/** NodeList of `v1`. */
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

export type NodeSelector = {
  nodeSelectorTerms: NodeSelectorTerm[];
};

export type NodeSelectorRequirement = {
  key: string;
  operator: string;
  values?: string[] | undefined;
};

export type NodeSelectorTerm = {
  matchExpressions?: NodeSelectorRequirement[] | undefined;
  matchFields?: NodeSelectorRequirement[] | undefined;
};

export type NodeSpec = {
  podCIDR?: string | undefined;
  externalID?: string | undefined;
  providerID?: string | undefined;
  unschedulable?: boolean | undefined;
  taints?: Taint[] | undefined;
  configSource?: NodeConfigSource | undefined;
  podCIDRs?: string[] | undefined;
};

export type NodeStatus = {
  capacity?: Record<string, string> | undefined;
  allocatable?: Record<string, string> | undefined;
  phase?: string | undefined;
  conditions?: NodeCondition[] | undefined;
  addresses?: NodeAddress[] | undefined;
  daemonEndpoints?: NodeDaemonEndpoints | undefined;
  nodeInfo?: NodeSystemInfo | undefined;
  images?: ContainerImage[] | undefined;
  volumesInUse?: string[] | undefined;
  volumesAttached?: AttachedVolume[] | undefined;
  config?: NodeConfigStatus | undefined;
  runtimeHandlers?: NodeRuntimeHandler[] | undefined;
  features?: NodeFeatures | undefined;
};

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

export type ObjectFieldSelector = {
  apiVersion?: string | undefined;
  fieldPath: string;
};

export type ObjectReference = {
  kind?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
  apiVersion?: string | undefined;
  resourceVersion?: string | undefined;
  fieldPath?: string | undefined;
};

/** PersistentVolume of `v1`. */
export type PersistentVolume = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: PersistentVolumeSpec | undefined;
  status?: PersistentVolumeStatus | undefined;
};

/** PersistentVolumeClaim of `v1`. */
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
  lastProbeTime?: string | undefined;
  lastTransitionTime?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** PersistentVolumeClaimList of `v1`. */
export type PersistentVolumeClaimList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: PersistentVolumeClaim[];
};

export type PersistentVolumeClaimSpec = {
  accessModes?: string[] | undefined;
  resources?: VolumeResourceRequirements | undefined;
  volumeName?: string | undefined;
  selector?: LabelSelector | undefined;
  storageClassName?: string | undefined;
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

export type PersistentVolumeClaimTemplate = {
  metadata?: ObjectMeta | undefined;
  spec: PersistentVolumeClaimSpec;
};

export type PersistentVolumeClaimVolumeSource = {
  claimName: string;
  readOnly?: boolean | undefined;
};

/** PersistentVolumeList of `v1`. */
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

/** Pod of `v1`. */
export type Pod = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: PodSpec | undefined;
  status?: PodStatus | undefined;
};

export type PodAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
};

export type PodAffinityTerm = {
  labelSelector?: LabelSelector | undefined;
  namespaces?: string[] | undefined;
  topologyKey: string;
  namespaceSelector?: LabelSelector | undefined;
  matchLabelKeys?: string[] | undefined;
  mismatchLabelKeys?: string[] | undefined;
};

export type PodAntiAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
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
  type: string;
  status: string;
  lastProbeTime?: string | undefined;
  lastTransitionTime?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

export type PodDNSConfig = {
  nameservers?: string[] | undefined;
  searches?: string[] | undefined;
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

/** PodList of `v1`. */
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

export type PodOS = {
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
  name: string;
  resourceClaimName?: string | undefined;
  resourceClaimTemplateName?: string | undefined;
};

export type PodResourceClaimStatus = {
  name: string;
  resourceClaimName?: string | undefined;
};

export type PodSchedulingGate = {
  name: string;
};

export type PodSecurityContext = {
  seLinuxOptions?: SELinuxOptions | undefined;
  runAsUser?: number | undefined;
  runAsNonRoot?: boolean | undefined;
  supplementalGroups?: number[] | undefined;
  fsGroup?: number | undefined;
  runAsGroup?: number | undefined;
  sysctls?: Sysctl[] | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  fsGroupChangePolicy?: string | undefined;
  seccompProfile?: SeccompProfile | undefined;
  appArmorProfile?: AppArmorProfile | undefined;
  supplementalGroupsPolicy?: string | undefined;
};

export type PodSpec = {
  volumes?: Volume[] | undefined;
  containers: Container[];
  restartPolicy?: string | undefined;
  terminationGracePeriodSeconds?: number | undefined;
  activeDeadlineSeconds?: number | undefined;
  dnsPolicy?: string | undefined;
  nodeSelector?: Record<string, string> | undefined;
  serviceAccountName?: string | undefined;
  serviceAccount?: string | undefined;
  nodeName?: string | undefined;
  hostNetwork?: boolean | undefined;
  hostPID?: boolean | undefined;
  hostIPC?: boolean | undefined;
  securityContext?: PodSecurityContext | undefined;
  imagePullSecrets?: LocalObjectReference[] | undefined;
  hostname?: string | undefined;
  subdomain?: string | undefined;
  affinity?: Affinity | undefined;
  schedulerName?: string | undefined;
  initContainers?: Container[] | undefined;
  automountServiceAccountToken?: boolean | undefined;
  tolerations?: Toleration[] | undefined;
  hostAliases?: HostAlias[] | undefined;
  priorityClassName?: string | undefined;
  priority?: number | undefined;
  dnsConfig?: PodDNSConfig | undefined;
  shareProcessNamespace?: boolean | undefined;
  readinessGates?: PodReadinessGate[] | undefined;
  runtimeClassName?: string | undefined;
  enableServiceLinks?: boolean | undefined;
  preemptionPolicy?: string | undefined;
  overhead?: Record<string, string> | undefined;
  topologySpreadConstraints?: TopologySpreadConstraint[] | undefined;
  ephemeralContainers?: EphemeralContainer[] | undefined;
  setHostnameAsFQDN?: boolean | undefined;
  os?: PodOS | undefined;
  hostUsers?: boolean | undefined;
  schedulingGates?: PodSchedulingGate[] | undefined;
  resourceClaims?: PodResourceClaim[] | undefined;
};

export type PodStatus = {
  phase?: string | undefined;
  conditions?: PodCondition[] | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  hostIP?: string | undefined;
  podIP?: string | undefined;
  startTime?: string | undefined;
  containerStatuses?: ContainerStatus[] | undefined;
  qosClass?: string | undefined;
  initContainerStatuses?: ContainerStatus[] | undefined;
  nominatedNodeName?: string | undefined;
  podIPs?: PodIP[] | undefined;
  ephemeralContainerStatuses?: ContainerStatus[] | undefined;
  resize?: string | undefined;
  resourceClaimStatuses?: PodResourceClaimStatus[] | undefined;
  hostIPs?: HostIP[] | undefined;
};

/** PodTemplate of `v1`. */
export type PodTemplate = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  template?: PodTemplateSpec | undefined;
};

/** PodTemplateList of `v1`. */
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
  weight: number;
  preference: NodeSelectorTerm;
};

export type Probe = {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  grpc?: GRPCAction | undefined;
  initialDelaySeconds?: number | undefined;
  timeoutSeconds?: number | undefined;
  periodSeconds?: number | undefined;
  successThreshold?: number | undefined;
  failureThreshold?: number | undefined;
  terminationGracePeriodSeconds?: number | undefined;
};

export type ProbeHandler = {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  grpc?: GRPCAction | undefined;
};

export type ProjectedVolumeSource = {
  sources?: VolumeProjection[] | null | undefined;
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

/** ReplicationController of `v1`. */
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
  lastTransitionTime?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** ReplicationControllerList of `v1`. */
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
  name: string;
  request?: string | undefined;
};

export type ResourceFieldSelector = {
  containerName?: string | undefined;
  resource: string;
  divisor?: string | undefined;
};

export type ResourceHealth = {
  resourceID: string;
  health?: string | undefined;
};

/** ResourceQuota of `v1`. */
export type ResourceQuota = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ResourceQuotaSpec | undefined;
  status?: ResourceQuotaStatus | undefined;
};

/** ResourceQuotaList of `v1`. */
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

export type ResourceRequirements = {
  limits?: Record<string, string> | undefined;
  requests?: Record<string, string> | undefined;
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

export type SeccompProfile = {
  type: string;
  localhostProfile?: string | undefined;
};

/** Secret of `v1`. */
export type Secret = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  data?: Record<string, string> | undefined;
  type?: string | undefined;
  stringData?: Record<string, string> | undefined;
  immutable?: boolean | undefined;
};

export type SecretEnvSource = {
  name?: string | undefined;
  optional?: boolean | undefined;
};

export type SecretKeySelector = {
  name?: string | undefined;
  key: string;
  optional?: boolean | undefined;
};

/** SecretList of `v1`. */
export type SecretList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Secret[];
};

export type SecretProjection = {
  name?: string | undefined;
  items?: KeyToPath[] | undefined;
  optional?: boolean | undefined;
};

export type SecretReference = {
  name?: string | undefined;
  namespace?: string | undefined;
};

export type SecretVolumeSource = {
  secretName?: string | undefined;
  items?: KeyToPath[] | undefined;
  defaultMode?: number | undefined;
  optional?: boolean | undefined;
};

export type SecurityContext = {
  capabilities?: Capabilities | undefined;
  privileged?: boolean | undefined;
  seLinuxOptions?: SELinuxOptions | undefined;
  runAsUser?: number | undefined;
  runAsNonRoot?: boolean | undefined;
  readOnlyRootFilesystem?: boolean | undefined;
  allowPrivilegeEscalation?: boolean | undefined;
  runAsGroup?: number | undefined;
  procMount?: string | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  seccompProfile?: SeccompProfile | undefined;
  appArmorProfile?: AppArmorProfile | undefined;
};

export type SerializedReference = {
  apiVersion?: string;
  kind?: string;
  reference?: ObjectReference | undefined;
};

/** Service of `v1`. */
export type Service = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ServiceSpec | undefined;
  status?: ServiceStatus | undefined;
};

/** ServiceAccount of `v1`. */
export type ServiceAccount = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  secrets?: ObjectReference[] | undefined;
  imagePullSecrets?: LocalObjectReference[] | undefined;
  automountServiceAccountToken?: boolean | undefined;
};

/** ServiceAccountList of `v1`. */
export type ServiceAccountList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ServiceAccount[];
};

export type ServiceAccountTokenProjection = {
  audience?: string | undefined;
  expirationSeconds?: number | undefined;
  path: string;
};

/** ServiceList of `v1`. */
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

export type SleepAction = {
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

export type TCPSocketAction = {
  port: number | string;
  host?: string | undefined;
};

export type Taint = {
  key: string;
  value?: string | undefined;
  effect: string;
  timeAdded?: string | undefined;
};

export type Toleration = {
  key?: string | undefined;
  operator?: string | undefined;
  value?: string | undefined;
  effect?: string | undefined;
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
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: LabelSelector | undefined;
  minDomains?: number | undefined;
  nodeAffinityPolicy?: string | undefined;
  nodeTaintsPolicy?: string | undefined;
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
  name: string;
  hostPath?: HostPathVolumeSource | undefined;
  emptyDir?: EmptyDirVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  gitRepo?: GitRepoVolumeSource | undefined;
  secret?: SecretVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  iscsi?: ISCSIVolumeSource | undefined;
  glusterfs?: GlusterfsVolumeSource | undefined;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  rbd?: RBDVolumeSource | undefined;
  flexVolume?: FlexVolumeSource | undefined;
  cinder?: CinderVolumeSource | undefined;
  cephfs?: CephFSVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  azureFile?: AzureFileVolumeSource | undefined;
  configMap?: ConfigMapVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOVolumeSource | undefined;
  projected?: ProjectedVolumeSource | undefined;
  storageos?: StorageOSVolumeSource | undefined;
  csi?: CSIVolumeSource | undefined;
  ephemeral?: EphemeralVolumeSource | undefined;
  image?: ImageVolumeSource | undefined;
};

export type VolumeDevice = {
  name: string;
  devicePath: string;
};

export type VolumeMount = {
  name: string;
  readOnly?: boolean | undefined;
  mountPath: string;
  subPath?: string | undefined;
  mountPropagation?: string | undefined;
  subPathExpr?: string | undefined;
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
  secret?: SecretProjection | undefined;
  downwardAPI?: DownwardAPIProjection | undefined;
  configMap?: ConfigMapProjection | undefined;
  serviceAccountToken?: ServiceAccountTokenProjection | undefined;
  clusterTrustBundle?: ClusterTrustBundleProjection | undefined;
};

export type VolumeResourceRequirements = {
  limits?: Record<string, string> | undefined;
  requests?: Record<string, string> | undefined;
};

export type VolumeSource = {
  hostPath?: HostPathVolumeSource | undefined;
  emptyDir?: EmptyDirVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  gitRepo?: GitRepoVolumeSource | undefined;
  secret?: SecretVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  iscsi?: ISCSIVolumeSource | undefined;
  glusterfs?: GlusterfsVolumeSource | undefined;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  rbd?: RBDVolumeSource | undefined;
  flexVolume?: FlexVolumeSource | undefined;
  cinder?: CinderVolumeSource | undefined;
  cephfs?: CephFSVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  azureFile?: AzureFileVolumeSource | undefined;
  configMap?: ConfigMapVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOVolumeSource | undefined;
  projected?: ProjectedVolumeSource | undefined;
  storageos?: StorageOSVolumeSource | undefined;
  csi?: CSIVolumeSource | undefined;
  ephemeral?: EphemeralVolumeSource | undefined;
  image?: ImageVolumeSource | undefined;
};

export type VsphereVirtualDiskVolumeSource = {
  volumePath: string;
  fsType?: string | undefined;
  storagePolicyName?: string | undefined;
  storagePolicyID?: string | undefined;
};

export type WeightedPodAffinityTerm = {
  weight: number;
  podAffinityTerm: PodAffinityTerm;
};

export type WindowsSecurityContextOptions = {
  gmsaCredentialSpecName?: string | undefined;
  gmsaCredentialSpec?: string | undefined;
  runAsUserName?: string | undefined;
  hostProcess?: boolean | undefined;
};
