/** Descriptions of runtimes and devices; the format is that of `../descriptions.ts`. */
export const devices = `
node.Overhead: Resources that a runtime needs for a pod besides its containers.
  podFixed: Amounts by resource, the same for each pod.

node.RuntimeClass: A way to run containers, which pods choose by its name.
  handler: Name by which the container runtime of a node knows it, a DNS label. Cannot be changed.
  overhead: Resources that each pod of the class needs besides its containers.
  scheduling: The nodes that support the class. Default all.

node.Scheduling: The nodes that support a RuntimeClass.
  nodeSelector: Labels of those nodes. They are added to the node selector of each pod of the class.
  tolerations: Tolerated taints, which are added to each pod of the class.

resource.AllocationResult: The devices that a claim got.
  devices: The devices and their configuration.
  nodeSelector: The nodes from which the devices can be reached. Default all.
  controller: Name of the driver's controller that made the allocation, in the older way; empty for the scheduler.

resource.BasicDevice: A device with attributes and capacities.
  attributes: Properties of the device by name. A name without a domain belongs to the driver's domain.
  capacity: Amounts that the device has, by name.

resource.CELDeviceSelector: A condition in CEL that devices must meet.
  expression: The expression, which must return true. It sees device with driver, attributes and capacity.

resource.Device: A device of a node or of a network.
  name: Name of the device, a DNS label that is unique in its pool.
  basic: Properties of the device.

resource.DeviceAllocationConfiguration < resource.DeviceConfiguration: Configuration of allocated devices, and where it comes from.
  source: FromClass or FromClaim.
  requests: Names of the requests that it is for. Default all.

resource.DeviceAllocationResult: The devices that a claim got.
  results: One entry for each device.
  config: Configuration for the drivers, from the class and the claim.

resource.DeviceAttribute: The value of a property. One of the fields is set.
  int: An integer.
  bool: A boolean.
  string: A string of at most 64 characters.
  version: A version by the rules of semver.org.

resource.DeviceClaim: The devices that a claim asks for.
  requests: The requests. All must be met.
  constraints: Conditions on the devices together.
  config: Configuration for the drivers.

resource.DeviceClaimConfiguration < resource.DeviceConfiguration: Configuration of claimed devices.
  requests: Names of the requests that it is for. Default all.

resource.DeviceClass: A class of devices, which claims ask for by its name.
  spec: The devices of the class.

resource.DeviceClassConfiguration < resource.DeviceConfiguration: Configuration of the devices of a class.

resource.DeviceClassSpec: Which devices belong to a class.
  selectors: Conditions that a device must meet, all of them.
  config: Configuration for the drivers of devices that are claimed by the class.
  suitableNodes: The nodes that have such devices, for drivers with a controller of their own. Default all.

resource.DeviceConfiguration: Configuration of devices.
  opaque: Parameters that only a driver reads.

resource.DeviceConstraint: A condition on several devices of a claim.
  requests: Names of the requests that it is for. Default all.
  matchAttribute: Name of an attribute, with its domain, that must have the same value in all the devices.

resource.DeviceRequest: A request for one or more devices of a class.
  name: Name of the request, a DNS label, by which pods and the rest of the claim refer to it.
  deviceClassName: Name of the class.
  selectors: Further conditions that a device must meet, all of them.
  allocationMode: ExactCount for a number of devices, All for all that match. Default ExactCount.
  count: Number of devices for ExactCount. Default 1.
  adminAccess: Whether the devices are for administration: they are given even while others use them. Default false.

resource.DeviceRequestAllocationResult: A device that a request got.
  request: Name of the request.
  driver: Name of the driver.
  pool: Name of the driver's pool.
  device: Name of the device in its pool.

resource.DeviceSelector: A condition that devices must meet.
  cel: A condition in CEL.

resource.OpaqueDeviceConfiguration: Parameters that only a driver reads.
  driver: Name of the driver.
  parameters: The parameters, an object with kind and apiVersion.

resource.PodSchedulingContext: The negotiation between scheduler and drivers about the node of a pod. It is named after the pod.
  spec: The nodes that the scheduler considers.
  status: The nodes that drivers exclude.

resource.PodSchedulingContextSpec: The nodes that the scheduler considers for a pod.
  selectedNode: The node for which the claims of the pod should be allocated.
  potentialNodes: Other nodes on which the pod could run.

resource.PodSchedulingContextStatus: The nodes that drivers exclude for a pod.
  resourceClaims: The excluded nodes for each claim of the pod.

resource.ResourceClaim: A claim to devices, which pods refer to by its name.
  spec: The devices. Cannot be changed.
  status: The devices that the claim got, and who uses them.

resource.ResourceClaimConsumerReference: A user of a claim.
  apiGroup: API group of the user; empty for the core group.
  resource: Plural name of its resource, such as pods.
  name: Name of the user.
  uid: UID of the user.

resource.ResourceClaimSchedulingStatus: The nodes that a driver excludes for one claim.
  name: Name of the claim in the pod.
  unsuitableNodes: Nodes for which the claim cannot be allocated.

resource.ResourceClaimSpec: What a claim asks for.
  devices: The devices.
  controller: Name of the driver whose controller allocates the devices, in the older way; empty for the scheduler.

resource.ResourceClaimStatus: What a claim got.
  allocation: The allocated devices; absent until they are allocated.
  reservedFor: The users of the claim; at most 32.
  deallocationRequested: Whether the driver's controller should free the devices. No further user is then added.

resource.ResourceClaimTemplate: A template from which each pod that refers to it gets a claim of its own.
  spec: The claim. Cannot be changed.

resource.ResourceClaimTemplateSpec: A claim as a template.
  metadata: Labels and annotations of the claim.
  spec: What the claim asks for.

resource.ResourcePool: The pool of devices that a slice belongs to.
  name: Name of the pool, for example that of its node.
  generation: Counts up with each change of the pool. Slices of an older generation no longer count.
  resourceSliceCount: Number of slices of the pool in this generation. Until all exist, the pool is incomplete.

resource.ResourceSlice: Some devices of a driver.
  spec: The devices, and the nodes from which they can be reached.

resource.ResourceSliceSpec: Devices of a driver. One of nodeName, nodeSelector and allNodes says where they can be reached.
  driver: Name of the driver. Cannot be changed.
  pool: The pool of the devices.
  nodeName: The node whose devices these are. Cannot be changed.
  nodeSelector: The nodes from which the devices can be reached.
  allNodes: Whether the devices can be reached from all nodes.
  devices: The devices; at most 128.
`;
