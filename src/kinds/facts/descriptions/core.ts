/** Descriptions of the other kinds of the core group; the format is that of `../descriptions.ts`. */
export const core = `
core.Binding: Assigns a pod to a node. Created at the subresource binding of the pod, usually by a scheduler.
  metadata: Name and namespace of the pod.
  target: The node.

core.ClientIPConfig: How long a client stays with one pod.
  timeoutSeconds: Seconds since its last connection, 1 to 86400. Default 10800.

core.ComponentCondition: Whether a component of the cluster is healthy.
  type: Always Healthy.
  status: True, False or Unknown.
  message: What the component answered.
  error: The error of the check.

core.ComponentStatus: Deprecated: whether a component of the cluster is healthy.
  conditions: The result of the check.

core.ConfigMap: Configuration data for programs, as texts and bytes by key.
  data: Texts by key. Keys consist of letters, digits, "-", "_" and ".". A key must not be in both data and binaryData.
  binaryData: Bytes by key, for values that are not UTF-8 text.
  immutable: If true, neither the data nor this field can be changed.

core.DaemonEndpoint: A port of a program on a node.
  Port: Number of the port.

core.EndpointAddress: An address that traffic of a service goes to.
  ip: IP address. It must not be a loopback or link-local one.
  targetRef: The object behind the address.
  hostname: Host name, for a DNS name of its own.
  nodeName: Name of the node of the address.

core.EndpointPort: A port of the addresses of a subset.
  name: Name of the port, as in the service. Required with several ports.
  port: Number of the port.
  protocol: TCP, UDP or SCTP. Default TCP.
  appProtocol: Protocol of the application, such as http, for programs that know it.

core.EndpointSubset: Addresses with the same ports.
  addresses: Addresses that are ready for traffic.
  notReadyAddresses: Addresses that are not ready for traffic.
  ports: Ports of each address.

core.Endpoints: The addresses and ports that traffic of a service goes to. It is named after the service.
  subsets: The addresses, grouped by their ports.

core.Event: A report of an occurrence. It expires after one hour.
  involvedObject: The affected object.
  reason: Reason as a CamelCase word.
  message: Human-readable message.
  source: The reporting component.
  firstTimestamp: Time of the first occurrence.
  lastTimestamp: Time of the last occurrence.
  count: Number of occurrences.
  type: Normal or Warning.
  eventTime: Time of the first observation.
  series: The series of the event; absent for a single occurrence.
  action: The action that was taken or failed.
  related: A second affected object.
  reportingComponent: The reporting controller.
  reportingInstance: The instance of the controller.

core.EventSeries: The series of the event; absent for a single occurrence.
  count: Number of occurrences up to lastObservedTime.
  lastObservedTime: Time of the last occurrence.

core.LimitRange: Limits and defaults for the resources of pods, containers and claims in a namespace.
  spec: The limits.

core.LimitRangeItem: Limits and defaults for objects of one type.
  type: Pod, Container or PersistentVolumeClaim.
  max: The greatest amount, by resource.
  min: The least amount, by resource.
  default: Limits that a container gets which has none, by resource.
  defaultRequest: Requests that a container gets which has none, by resource.
  maxLimitRequestRatio: The greatest ratio of limit to request, by resource.

core.LimitRangeSpec: Limits for a namespace.
  limits: The limits by type.

core.LoadBalancerIngress: An address of a load balancer.
  ip: IP address.
  hostname: Host name.
  ipMode: VIP delivers traffic with the address of the balancer as its target, Proxy with that of the node or pod. Only with ip. Default VIP.
  ports: State of the ports. Absent when there are no problems to report.

core.LoadBalancerStatus: The addresses of a load balancer.
  ingress: The addresses.

core.Namespace: A scope for names. Deleting a namespace deletes all objects in it.
  spec: The finalizers of the namespace.
  status: Whether the namespace is being deleted.

core.NamespaceCondition < meta.Condition: A condition of a namespace: what keeps it from being deleted.

core.NamespaceSpec: The finalizers of a namespace.
  finalizers: Finalizers that must be removed before the namespace is deleted. Changed through the finalize subresource only.

core.NamespaceStatus: Whether a namespace is being deleted.
  phase: Active, or Terminating once the namespace was deleted.
  conditions: Conditions that block the deletion of a terminating namespace.

core.Node: A machine that runs pods.
  spec: Desired state of the node.
  status: Actual state of the node, written by its agent.

core.NodeAddress: An address of a node.
  type: Hostname, InternalIP, ExternalIP and the like.
  address: The address, in the form of its type.

core.NodeCondition < meta.Condition: A condition of a node.
  lastHeartbeatTime: Time when the condition was last reported.

core.NodeConfigStatus: Deprecated: dropped.
  assigned: Deprecated: the configuration that the node should use.
  active: Deprecated: the configuration that the node uses.
  lastKnownGood: Deprecated: the configuration that the node goes back to after an error.
  error: Deprecated: the problem with the assigned configuration.

core.NodeDaemonEndpoints: Ports of the programs on the node.
  kubeletEndpoint: Port of the node's agent.

core.NodeFeatures: Features of the container runtime.
  supplementalGroupsPolicy: Whether the runtime supports supplementalGroupsPolicy of pods.

core.NodeProxyOptions: Parameters of a request that the server forwards to a node.
  path: Path of the forwarded request.

core.NodeRuntimeHandler: A way in which a node can run containers.
  name: Name of the handler; empty for the default.
  features: What the handler supports.

core.NodeRuntimeHandlerFeatures: What a runtime handler supports.
  recursiveReadOnlyMounts: Whether it supports recursiveReadOnly of volume mounts.
  userNamespaces: Whether it supports user namespaces.

core.NodeSpec: Desired state of the node.
  podCIDR: Addresses of the node's pods; the first of podCIDRs.
  externalID: Deprecated: not used.
  providerID: Identity of the node to its provider. Set once.
  unschedulable: No new pods are scheduled to the node.
  taints: Taints that repel pods without a matching toleration.
  configSource: Deprecated: dropped.
  podCIDRs: Addresses of the node's pods, at most one range for each IP family. Set once.

core.NodeStatus: Actual state of the node, written by its agent.
  capacity: Total resources of the node.
  allocatable: Resources available to pods. Default: the capacity.
  phase: Deprecated: never set.
  conditions: Conditions of the node.
  addresses: Addresses of the node.
  daemonEndpoints: Ports of the programs on the node.
  nodeInfo: Identity and versions of the node.
  images: Images that are on the node.
  volumesInUse: Volumes that are mounted.
  volumesAttached: Volumes that are attached.
  config: Deprecated: dropped.
  runtimeHandlers: Ways to run containers.
  features: Features of the container runtime.

core.NodeSystemInfo: Identity and versions of the node.
  machineID: ID of the machine, as in /etc/machine-id.
  systemUUID: UUID of the system, as its firmware reports it.
  bootID: ID of the current start of the machine.
  kernelVersion: Version of the kernel.
  osImage: Name of the operating system as its release file has it.
  containerRuntimeVersion: Name and version of the container runtime: containerd://1.7.0.
  kubeletVersion: Version of the node's agent.
  kubeProxyVersion: Deprecated: version of the node's network proxy.
  operatingSystem: The system: linux or windows.
  architecture: Architecture of the processor, such as amd64.

core.ObjectReference: A reference to an object.
  kind: Kind of the object.
  namespace: Namespace of the object.
  name: Name of the object.
  uid: UID of the object.
  apiVersion: API version of the object.
  resourceVersion: Resource version of the referenced state.
  fieldPath: The referenced part of the object, such as spec.containers{name}.

core.PortStatus: The state of a port of a load balancer.
  port: Number of the port.
  protocol: TCP, UDP or SCTP.
  error: Why the port does not work, as a CamelCase word; a word of a provider has a domain before it.

core.RangeAllocation: Numbers or addresses of a range that are in use. Internal to servers.
  range: The range.
  data: The used ones, as bits.

core.ReplicationController: Keeps a number of equal pods running. ReplicaSet and Deployment are its successors.
  spec: The pods and their number.
  status: Numbers of the pods.

core.ReplicationControllerCondition < meta.Condition: A condition of a ReplicationController: ReplicaFailure when pods cannot be created or deleted.

core.ReplicationControllerSpec: What a ReplicationController runs.
  replicas: Number of pods. Default 1.
  selector: Labels of the pods that belong to it. Default the labels of the template.
  template: The pod that is created while pods are missing.
  minReadySeconds: Seconds for which a pod must be ready before it counts as available. Default 0.

core.ReplicationControllerStatus < apps.ReplicaSetStatus: Numbers of the pods of a ReplicationController.
  conditions: The conditions of the controller.

core.ResourceQuota: Limits what the objects of a namespace may use together.
  spec: The limits.
  status: The limits and what is used.

core.ResourceQuotaSpec: The limits of a quota.
  hard: The limits, by resource: requests.cpu, limits.memory, pods, count/deployments.apps.
  scopes: The pods that count, each as a word: Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass, CrossNamespacePodAffinity. Default all.
  scopeSelector: The pods that count, by scopes with values.

core.ResourceQuotaStatus: The use of a quota.
  hard: The limits in effect, by resource.
  used: What is used, by resource.

core.ScopeSelector: The pods that a quota counts. All requirements must match.
  matchExpressions: The requirements.

core.ScopedResourceSelectorRequirement: A requirement on the pods that a quota counts.
  scopeName: Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass or CrossNamespacePodAffinity.
  operator: In, NotIn, Exists or DoesNotExist. Only PriorityClass has values to compare.
  values: The values for In and NotIn.

core.Secret: Confidential data, as bytes by key. The maximum size of the data is 1 MiB.
  data: Bytes by key, as base64. Keys consist of letters, digits, "-", "_" and ".".
  type: Purpose of the secret. Some types require certain keys. Immutable.
  stringData: Texts by key. Write-only: each is stored in data and replaces the value of the same key.
  immutable: If true, neither the data nor this field can be changed.

core.SerializedReference: A reference to an object, as an object of its own.
  reference: The reference.

core.Service: A stable address for pods, by which clients reach whichever of them are ready.
  spec: The pods, the ports and the kind of address.
  status: Addresses of the load balancer.

core.ServiceAccount: An identity for programs, with its secrets.
  secrets: Secrets that pods of this account may use. Only the names are stored.
  imagePullSecrets: Secrets for pulling the images of pods of this account.
  automountServiceAccountToken: Whether pods of this account get a token mounted. A pod can override it.

core.ServicePort: A port of a service.
  name: Name of the port, a DNS label. Required with several ports.
  protocol: TCP, UDP or SCTP. Default TCP.
  port: Number of the port.
  targetPort: Number or name of the port in the pods. Default that of port.
  nodePort: Number of the port on every node, for the types NodePort and LoadBalancer. Default a free one.
  appProtocol: Protocol of the application, such as http, for programs that know it.

core.ServiceProxyOptions: Parameters of a request that the server forwards to a service.
  path: Path of the forwarded request.

core.ServiceSpec: What a service leads to, and under which address.
  ports: Ports of the service.
  selector: Labels of the pods. Empty: somebody else writes the endpoints.
  clusterIP: First IP address in the cluster. Default a free one; None for a headless service. Cannot be changed.
  type: ClusterIP for an address in the cluster; NodePort for a port on every node as well; LoadBalancer for an outside address as well; ExternalName for a DNS name only. Default ClusterIP.
  externalIPs: Further IP addresses for which the nodes accept traffic. Somebody else must lead it to them.
  sessionAffinity: ClientIP leads each client to one pod, None does not. Default None.
  loadBalancerIP: Deprecated: wanted IP address of the load balancer.
  loadBalancerSourceRanges: Ranges of clients that the load balancer accepts. Default all.
  externalName: DNS name for the type ExternalName.
  externalTrafficPolicy: Cluster spreads traffic from outside over all pods; Local keeps it on the node where it arrives, and with it the address of the client. Default Cluster.
  healthCheckNodePort: Port on every node at which a load balancer asks whether the node has pods. For LoadBalancer with the policy Local. Default a free one.
  publishNotReadyAddresses: Whether pods that are not ready count as well. Default false.
  sessionAffinityConfig: How long a client stays with one pod.
  ipFamilyPolicy: SingleStack, PreferDualStack or RequireDualStack: whether the service has addresses of both families. Default SingleStack.
  clusterIPs: IP addresses in the cluster, at most one of each family. The first is that of clusterIP.
  ipFamilies: IPv4 and IPv6, in the order of clusterIPs. The first cannot be changed.
  allocateLoadBalancerNodePorts: Whether a LoadBalancer gets ports on the nodes as well. Default true.
  loadBalancerClass: Name of the implementation of the load balancer. Cannot be changed. Default the one of the cluster.
  internalTrafficPolicy: Cluster spreads traffic from inside over all pods; Local keeps it on the node of the client. Default Cluster.
  trafficDistribution: PreferClose prefers pods near the client, such as those in its zone. Default no preference.

core.ServiceStatus: The state of a service.
  loadBalancer: Addresses of the load balancer.
  conditions: The conditions of the service.

core.SessionAffinityConfig: How long a client stays with one pod.
  clientIP: For clients that are identified by their IP address.

core.Taint: Keeps pods off a node that do not tolerate it.
  key: Key of the taint.
  value: Value of the taint.
  effect: NoSchedule, PreferNoSchedule or NoExecute.
  timeAdded: Time when the taint was added; for NoExecute.

core.TypedLocalObjectReference: A reference to an object of any kind in the same namespace.
  apiGroup: API group of the object; absent for the core group.
  kind: Kind of the object.
  name: Name of the object.

core.TypedObjectReference < core.TypedLocalObjectReference: A reference to an object of any kind.
  namespace: Namespace of the object. Default the same one. Another needs a grant there.
`;
