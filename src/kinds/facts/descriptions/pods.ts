/** Descriptions of pods and what they are made of; the format is that of `../descriptions.ts`. */
export const pods = `
core.Affinity: Affinity to nodes and to other pods.
  nodeAffinity: Node affinity.
  podAffinity: Affinity to other pods.
  podAntiAffinity: Anti-affinity to other pods.

core.AppArmorProfile: AppArmor profile.
  type: Localhost, RuntimeDefault or Unconfined.
  localhostProfile: The profile on the node, for type Localhost.

core.Capabilities: Capabilities to add to and drop from the runtime's defaults.
  add: Capabilities to add, such as NET_ADMIN; ALL for all.
  drop: Capabilities to drop; ALL for all.

core.ConfigMapEnvSource < core.LocalObjectReference: A config map.
  optional: Whether the container may start without it.

core.ConfigMapKeySelector < core.LocalObjectReference: A key of a config map.
  key: The key of the config map.
  optional: Whether the container may start without it.

core.Container: A container of a pod.
  name: Name of the container, a DNS label that is unique in the pod.
  image: The image.
  command: Replaces the entry point of the image; runs without a shell.
  args: Replaces the arguments of the image.
  workingDir: Replaces the working directory of the image.
  ports: Ports that the container listens on.
  env: Environment variables.
  resources: Resource requests and limits.
  volumeMounts: Volumes in the container's file system.
  livenessProbe: A failure restarts the container.
  readinessProbe: A failure removes the pod from its services.
  lifecycle: Hooks after the start and before the stop.
  terminationMessagePath: File with the termination message; default /dev/termination-log.
  imagePullPolicy: Always, Never or IfNotPresent; default Always for the tag latest, IfNotPresent otherwise.
  securityContext: Security settings of the container. They override those of the pod.
  stdin: Allocate a standard input.
  stdinOnce: Close the standard input after the first client.
  tty: Allocate a terminal; requires stdin.
  envFrom: Environment variables from config maps and secrets.
  terminationMessagePolicy: File, or FallbackToLogsOnError; default File.
  volumeDevices: Block devices in the container.
  startupProbe: The other probes start when it has succeeded.
  resizePolicy: The effect of a change of the resources on the container.
  restartPolicy: Always, for init containers only: the container is a sidecar.

core.ContainerImage: An image on a node.
  names: Names of the image, with tag or digest.
  sizeBytes: Size of the image in bytes.

core.ContainerPort: A port that a container listens on.
  name: Name of the port, for services and probes to refer to.
  hostPort: Port of the node that forwards to this port; most containers need none.
  containerPort: Port of the pod, 1 to 65535.
  protocol: TCP, UDP or SCTP.
  hostIP: Address of the node that hostPort is bound to.

core.ContainerResizePolicy: The effect of a change of a resource on a container.
  resourceName: The resource: cpu or memory.
  restartPolicy: NotRequired or RestartContainer. Default NotRequired.

core.ContainerState: The state of a container: waiting, running or terminated.
  waiting: Not running yet.
  running: Running.
  terminated: Ended.

core.ContainerStateRunning: Running.
  startedAt: Time when the container started.

core.ContainerStateTerminated: Ended.
  exitCode: Exit status.
  signal: Signal that ended it.
  reason: Reason as a CamelCase word.
  message: Termination message.
  startedAt: Time when the container started.
  finishedAt: Time when the container ended.
  containerID: ID of the container, with the name of the runtime before it.

core.ContainerStateWaiting: Not running yet.
  reason: Reason as a CamelCase word.
  message: Human-readable message.

core.ContainerStatus: The state of a container.
  name: Name of the container.
  state: Current state.
  lastState: Last termination state.
  ready: Whether it accepts traffic.
  restartCount: Number of restarts.
  image: The image that runs.
  imageID: Its identity.
  containerID: Identity of the container to the runtime.
  started: Whether the startup probe has succeeded.
  allocatedResources: Resources that the node has set aside for the container.
  resources: Requests and limits that are in effect.
  volumeMounts: How the volumes are mounted.
  user: The user as whom the container started.
  allocatedResourcesStatus: The health of the devices of the container, by resource.

core.ContainerUser: The user as whom a container started.
  linux: The user on Linux.

core.EnvFromSource: Environment variables from a config map or secret.
  prefix: Prefix of every key.
  configMapRef: A config map.
  secretRef: A secret.

core.EnvVar: An environment variable.
  name: Name of the variable.
  value: Value. $(NAME) expands to an earlier variable.
  valueFrom: Source of the value. Mutually exclusive with value.

core.EnvVarSource: Source of the value. Mutually exclusive with value.
  fieldRef: A field of the pod.
  resourceFieldRef: A resource of a container.
  configMapKeyRef: A key of a config map.
  secretKeyRef: A key of a secret.

core.EphemeralContainer < core.EphemeralContainerCommon: A container that is added to a running pod, to look into it.
  targetContainerName: The container whose processes it can see.

core.EphemeralContainerCommon < core.Container: The fields of a container that is added to a running pod.

core.ExecAction: Run a program in the container.
  command: Program and arguments; runs without a shell. Exit status 0 is success.

core.GRPCAction: Make a gRPC health check.
  port: Number of the port.
  service: Service name of the health check request.

core.HTTPGetAction: An HTTP request; status 200 to 399 is success.
  path: Path of the request; default /.
  port: Number or name of the port.
  host: Host to connect to; default the pod.
  scheme: HTTP or HTTPS; default HTTP.
  httpHeaders: Headers of the request.

core.HTTPHeader: A header of a request.
  name: Name of the header, in any case.
  value: Value of the header.

core.HostAlias: Names of an IP address in the hosts file of a pod.
  ip: Address.
  hostnames: Names of the address.

core.HostIP: An IP address of a node.
  ip: The address.

core.Lifecycle: Hooks after the start and before the stop.
  postStart: Runs right after the start; a failure stops the container.
  preStop: Runs before the container is stopped.

core.LifecycleHandler: An action at an event of the life of a container.
  exec: Run a program in the container.
  httpGet: Make an HTTP request.
  tcpSocket: Deprecated: fails when it runs.
  sleep: Wait.

core.LinuxContainerUser: The user as whom a container started, on Linux.
  uid: ID of the user.
  gid: ID of the primary group.
  supplementalGroups: IDs of the other groups.

core.LocalObjectReference: A reference to an object of the same namespace.
  name: Name of the object.

core.NodeAffinity: Node affinity.
  requiredDuringSchedulingIgnoredDuringExecution: Required terms.
  preferredDuringSchedulingIgnoredDuringExecution: Preferred terms, by weight.

core.NodeSelector: Required terms.
  nodeSelectorTerms: Terms. At least one must match.

core.NodeSelectorRequirement: A requirement on a label or field of a node.
  key: Key of the label.
  operator: In, NotIn, Exists, DoesNotExist, Gt or Lt.
  values: Values to compare with: some for In and NotIn, one for Gt and Lt, none otherwise.

core.NodeSelectorTerm: Requirements on a node, all of which must match.
  matchExpressions: Requirements on the node's labels.
  matchFields: Requirements on the node's fields.

core.ObjectFieldSelector: A field of the pod.
  apiVersion: Version that fieldPath is written in; default v1.
  fieldPath: The field, such as metadata.name.

core.Pod: A group of containers that run together on one node and share network and volumes.
  spec: Desired state of the pod.
  status: Actual state of the pod, written by the node agent.

core.PodAffinity: Affinity to other pods.
  requiredDuringSchedulingIgnoredDuringExecution: Required terms.
  preferredDuringSchedulingIgnoredDuringExecution: Preferred terms, by weight.

core.PodAffinityTerm: Pods, and the place around them.
  labelSelector: Selects the pods; absent selects none.
  namespaces: Namespaces of the pods; default this pod's.
  topologyKey: Node label whose values define the topology domains.
  namespaceSelector: Selects further namespaces of the pods by label.
  matchLabelKeys: Labels whose value must be this pod's.
  mismatchLabelKeys: Labels whose value must not be this pod's.

core.PodAntiAffinity: Anti-affinity to other pods.
  requiredDuringSchedulingIgnoredDuringExecution: Required terms.
  preferredDuringSchedulingIgnoredDuringExecution: Preferred terms, by weight.

core.PodAttachOptions: Parameters of a request that attaches to a running container.
  stdin: Whether the client sends standard input. Default false.
  stdout: Whether the client receives standard output. Default true.
  stderr: Whether the client receives standard error. Default true.
  tty: Whether the streams are those of a terminal. Default false.
  container: Name of the container. Default the only one of the pod.

core.PodCondition < meta.Condition: A condition of a pod.
  lastProbeTime: Time when the condition was last checked.

core.PodDNSConfig: Resolver settings besides those of dnsPolicy.
  nameservers: Addresses of name servers.
  searches: Domains to search.
  options: Resolver options.

core.PodDNSConfigOption: An option of the resolver.
  name: Name of the option.
  value: Value of the option.

core.PodExecOptions < core.PodAttachOptions: Parameters of a request that runs a program in a container.
  command: The program and its arguments. It runs without a shell.

core.PodIP: An IP address of a pod.
  ip: The address.

core.PodLogOptions: Parameters of a request for the log of a container.
  container: Name of the container. Default the only one of the pod.
  follow: Whether new lines are sent as they are written. Default false.
  previous: Whether the log is that of the container before its last restart. Default false.
  sinceSeconds: Age of the oldest lines in seconds. Excludes sinceTime.
  sinceTime: Time of the oldest lines. Excludes sinceSeconds.
  timestamps: Whether each line begins with its time. Default false.
  tailLines: Number of lines at the end. Default all.
  limitBytes: Number of bytes after which the answer ends. The last line may be incomplete.
  insecureSkipTLSVerifyBackend: Whether the certificate of the node is not checked. Default false.

core.PodOS: The operating system.
  name: The system: linux or windows.

core.PodPortForwardOptions: Parameters of a request that forwards ports to a pod.
  ports: The ports, for clients that use WebSocket.

core.PodProxyOptions: Parameters of a request that the server forwards to a pod.
  path: Path of the forwarded request.

core.PodReadinessGate: A condition that a pod needs to be ready.
  conditionType: Type of the condition.

core.PodResourceClaim: A claim to devices that containers of a pod may use.
  name: Name of the claim within the pod.
  resourceClaimName: An existing claim.
  resourceClaimTemplateName: The template of a claim to create.

core.PodResourceClaimStatus: The claim that was made for a pod from a template.
  name: Name of the claim in the pod.
  resourceClaimName: Name of the claim that was made; absent if none was needed.

core.PodSchedulingGate: Keeps a pod from being scheduled until it is removed.
  name: Name of the gate; unique in the pod.

core.PodSecurityContext: Security settings for all containers.
  seLinuxOptions: SELinux context of the containers.
  runAsUser: User id that the processes run as.
  runAsNonRoot: Refuse to run as user 0.
  supplementalGroups: Supplemental group ids of the processes.
  fsGroup: Group id that owns volumes.
  runAsGroup: Group id that the processes run as.
  sysctls: Kernel parameters of the pod.
  windowsOptions: Settings for Windows.
  fsGroupChangePolicy: OnRootMismatch or Always.
  seccompProfile: System call filter.
  appArmorProfile: AppArmor profile.
  supplementalGroupsPolicy: Merge or Strict. Alpha: dropped.

core.PodSpec: Desired state of the pod.
  volumes: Volumes that containers mount by name.
  containers: Containers that run concurrently; at least one.
  restartPolicy: Always, OnFailure or Never; default Always.
  terminationGracePeriodSeconds: Seconds between the termination request and the kill; default 30.
  activeDeadlineSeconds: Maximum run time of the pod in seconds.
  dnsPolicy: ClusterFirst, ClusterFirstWithHostNet, Default or None; default ClusterFirst.
  nodeSelector: Labels that the node must have.
  serviceAccountName: Service account of the pod.
  serviceAccount: Deprecated: the same as serviceAccountName.
  nodeName: The node; set by the scheduler.
  hostNetwork: Use the node's network.
  hostPID: See the node's processes.
  hostIPC: Use the node's inter-process communication.
  securityContext: Security settings for all containers.
  imagePullSecrets: Secrets for pulling images.
  hostname: Host name of the pod; default its name.
  subdomain: Domain of the pod within its namespace.
  affinity: Affinity to nodes and to other pods.
  schedulerName: Scheduler of the pod; default default-scheduler.
  initContainers: Containers that run one after another before the other containers start.
  automountServiceAccountToken: Whether a token of the account is mounted.
  tolerations: Tolerated taints of nodes.
  hostAliases: Entries of the pod's hosts file.
  priorityClassName: Name of the pod's priority.
  priority: Priority of the pod. A higher value is more important.
  dnsConfig: Resolver settings besides those of dnsPolicy.
  shareProcessNamespace: All containers see each other's processes.
  readinessGates: Conditions that must be True for the pod to be ready.
  runtimeClassName: Runtime class of the containers.
  enableServiceLinks: Whether services are set as environment variables; default true.
  preemptionPolicy: PreemptLowerPriority or Never.
  overhead: Resources that the pod needs besides its containers.
  topologySpreadConstraints: Topology spread constraints.
  ephemeralContainers: Containers that are added to the running pod through the ephemeralcontainers subresource.
  setHostnameAsFQDN: Whether the host name is the fully qualified name.
  os: The operating system.
  hostUsers: Whether the pod uses the user namespace of the node; default true.
  schedulingGates: Scheduling gates. The pod is not scheduled before all are removed; none can be added.
  resourceClaims: Resource claims that must be allocated before the pod starts.

core.PodStatus: Actual state of the pod, written by the node agent.
  phase: Pending, Running, Succeeded, Failed or Unknown.
  conditions: Conditions of the pod.
  message: Human-readable message about the state.
  reason: Reason of the state as a CamelCase word.
  hostIP: Address of the node.
  podIP: Address of the pod.
  startTime: Time when the node agent accepted the pod.
  containerStatuses: State of the containers.
  qosClass: Guaranteed, Burstable or BestEffort.
  initContainerStatuses: State of the init containers.
  nominatedNodeName: The node on which other pods are preempted for this pod.
  podIPs: Addresses of the pod.
  ephemeralContainerStatuses: State of the ephemeral containers.
  resize: State of a requested change of resources.
  resourceClaimStatuses: The claims that were made from templates.
  hostIPs: Addresses of the node.

core.PodTemplate: A template for pods, to be copied. Nothing runs it by itself.
  template: The pods.

core.PodTemplateSpec: The pods that a workload creates.
  metadata: Labels and annotations of the pods.
  spec: What the pods run.

core.PreferredSchedulingTerm: Preferred nodes, with a weight.
  weight: 1 to 100.
  preference: The nodes.

core.Probe < core.ProbeHandler: A periodic check of a container.
  initialDelaySeconds: Seconds from the start of the container to the first check.
  timeoutSeconds: Seconds after which a check has failed; default 1.
  periodSeconds: Seconds between checks; default 10.
  successThreshold: Successes in a row after a failure that count as success; default 1.
  failureThreshold: Failures in a row after a success that count as failure; default 3.
  terminationGracePeriodSeconds: Grace period when this check fails; default the pod's.

core.ProbeHandler: What a probe does. One of the fields is set.
  exec: Run a program in the container.
  httpGet: Make an HTTP request; status 200 to 399 is success.
  tcpSocket: Open a TCP connection.
  grpc: Make a gRPC health check.

core.ResourceClaim: A claim of the pod that a container uses.
  name: An entry of the pod's resourceClaims.
  request: One request of the claim; default all of it.

core.ResourceFieldSelector: A resource of a container.
  containerName: The container; required for volumes, optional for environment variables.
  resource: The resource, such as limits.cpu.
  divisor: Unit of the value; default 1.

core.ResourceHealth: The health of a device.
  resourceID: ID of the device, unique for its resource on the node.
  health: Healthy, Unhealthy or Unknown.

core.ResourceRequirements: Resource requests and limits.
  limits: Maximum amount of each resource that may be used.
  requests: Reserved amount of each resource; default the limit.
  claims: Claims of the pod that this container uses.

core.ResourceStatus: The health of the devices of a resource.
  name: Name of the resource; for devices of a claim, claim:CLAIM/REQUEST.
  resources: The health of each device.

core.SELinuxOptions: Labels of SELinux.
  user: User label.
  role: Role label.
  type: Type label.
  level: Level label.

core.SeccompProfile: System call filter.
  type: Localhost, RuntimeDefault or Unconfined.
  localhostProfile: The profile on the node, for type Localhost.

core.SecretEnvSource < core.LocalObjectReference: A secret.
  optional: Whether the container may start without it.

core.SecretKeySelector < core.LocalObjectReference: A key of a secret.
  key: The key of the secret.
  optional: Whether the container may start without it.

core.SecurityContext: Security settings of the container. They override those of the pod.
  capabilities: Capabilities to add to and drop from the runtime's defaults.
  privileged: Run with the privileges of the node.
  seLinuxOptions: SELinux context of the container.
  runAsUser: User id that the processes run as.
  runAsNonRoot: Refuse to run as user 0.
  readOnlyRootFilesystem: The root file system is read-only.
  allowPrivilegeEscalation: Whether a process may gain more privileges than its parent.
  runAsGroup: Group id that the processes run as.
  procMount: Default or Unmasked.
  windowsOptions: Settings for Windows.
  seccompProfile: System call filter.
  appArmorProfile: AppArmor profile.

core.SleepAction: Wait.
  seconds: Seconds to sleep.

core.Sysctl: A parameter of the kernel.
  name: Name of the parameter.
  value: Value of the parameter.

core.TCPSocketAction: Opens a TCP connection.
  port: Number or name of the port.
  host: Host to connect to; default the pod.

core.Toleration: Lets a pod run on nodes with matching taints.
  key: Key of the taint; empty with operator Exists for all.
  operator: Equal or Exists; default Equal.
  value: Value of the taint, for Equal.
  effect: NoSchedule, PreferNoSchedule or NoExecute; empty for all.
  tolerationSeconds: Seconds before eviction, for NoExecute; absent for no limit.

core.TopologySpreadConstraint: How evenly pods are spread over places.
  maxSkew: Maximum difference of the number of pods between domains.
  topologyKey: Node label whose values define the topology domains.
  whenUnsatisfiable: DoNotSchedule or ScheduleAnyway.
  labelSelector: The pods that are counted.
  minDomains: Minimum number of domains.
  nodeAffinityPolicy: Honor or Ignore.
  nodeTaintsPolicy: Honor or Ignore.
  matchLabelKeys: Labels whose value must be this pod's.

core.Volume < core.VolumeSource: A volume that containers of a pod mount.
  name: Name of the volume, a DNS label.

core.VolumeDevice: A block device in a container.
  name: Name of the volume, a claim.
  devicePath: Path in the container.

core.VolumeMount: A volume in the file system of a container.
  name: Name of the volume.
  readOnly: The mount is read-only.
  mountPath: Path in the container.
  subPath: The part of the volume to mount; default its root.
  mountPropagation: None, HostToContainer or Bidirectional.
  subPathExpr: Like subPath, with $(NAME) for environment variables.
  recursiveReadOnly: Disabled, IfPossible or Enabled: whether nested mounts are read-only, too.

core.VolumeMountStatus: How a volume is mounted.
  name: Name of the volume in the pod.
  mountPath: The path in the container.
  readOnly: Whether it is read-only.
  recursiveReadOnly: Enabled or Disabled: whether the mounts below it are read-only, too. Absent unless readOnly.

core.WeightedPodAffinityTerm: Preferred or avoided pods, with a weight.
  weight: 1 to 100.
  podAffinityTerm: The pods, and the place around them.

core.WindowsSecurityContextOptions: Security settings for Windows.
  gmsaCredentialSpecName: Name of the credential specification of a group managed service account.
  gmsaCredentialSpec: The credential specification itself.
  runAsUserName: User who runs the program. Default that of the image.
  hostProcess: Whether the container is a process of the host. All containers of a pod must agree; it needs hostNetwork.
`;
