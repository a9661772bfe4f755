/** Descriptions of volumes, claims and storage; the format is that of `../descriptions.ts`. */
export const volumes = `
core.AWSElasticBlockStoreVolumeSource: A disk of Amazon EBS.
  volumeID: ID of the disk.
  partition: Number of the partition to mount. Default the whole disk.

core.AttachedVolume: A volume that is attached to a node.
  name: Name of the volume.
  devicePath: Path of its device on the node.

core.AzureDiskVolumeSource: A disk of Azure.
  diskName: Name of the disk in the storage.
  diskURI: URI of the disk in the storage.
  cachingMode: None, ReadOnly or ReadWrite: how the host caches the disk. Default ReadWrite.
  kind: Shared for several disks in a storage account, Dedicated for one, Managed for a managed disk. Default Shared.

core.AzureFilePersistentVolumeSource < core.AzureFileVolumeSource: A file share of Azure.
  secretNamespace: Namespace of the secret. Default that of the claim.

core.AzureFileVolumeSource: A file share of Azure.
  secretName: Name of the secret with the account and its key.
  shareName: Name of the share.

core.CSIPersistentVolumeSource: A volume of a storage driver.
  driver: Name of the driver.
  volumeHandle: Name by which the driver knows the volume.
  volumeAttributes: Properties of the volume, for the driver.
  controllerPublishSecretRef: Secret with which the volume is attached and detached.
  nodeStageSecretRef: Secret with which the volume is prepared on the node.
  nodePublishSecretRef: Secret with which the volume is mounted in the pod.
  controllerExpandSecretRef: Secret with which the volume is enlarged.
  nodeExpandSecretRef: Secret with which the file system is enlarged on the node.

core.CSIVolumeSource: A volume of a storage driver that lives as long as the pod.
  driver: Name of the driver.
  fsType: The file system of the volume, such as ext4 or xfs. Default what the driver chooses.
  volumeAttributes: Properties of the volume, for the driver.
  nodePublishSecretRef: Secret with which the volume is mounted in the pod.

core.CephFSPersistentVolumeSource < core.CephFSVolumeSource: A directory of Ceph.

core.CephFSVolumeSource: A directory of Ceph.
  monitors: Addresses of the monitors.
  path: The directory. Default the root.
  user: User of Ceph. Default admin.
  secretFile: File of the node with the user's key. Default /etc/ceph/user.secret.
  secretRef: Secret with the user's key. It has priority over secretFile.

core.CinderPersistentVolumeSource < core.CinderVolumeSource: A disk of OpenStack.

core.CinderVolumeSource: A disk of OpenStack.
  volumeID: ID of the disk.
  secretRef: Secret with the parameters of OpenStack.

core.ClusterTrustBundleProjection: Trust anchors.
  name: Name of a bundle. Mutually exclusive with signerName and labelSelector.
  signerName: All bundles of a signer that labelSelector selects.
  labelSelector: Bundles of signerName; absent selects none, empty selects all.
  path: The file, as a relative path.
  optional: Whether the pod may start without it.

core.ConfigMapNodeConfigSource: Deprecated: a config map with the configuration of a node.
  namespace: Namespace of the config map.
  name: Name of the config map.
  uid: UID of the config map.
  resourceVersion: Resource version of the config map.
  kubeletConfigKey: Key of the configuration in the config map.

core.ConfigMapProjection < core.LocalObjectReference: A config map.
  items: The keys to write as files, and where. Absent: all of them, each under its own name.
  optional: Whether the pod may start without it.

core.ConfigMapVolumeSource < core.LocalObjectReference: A config map as files.
  items: The keys to write as files, and where. Absent: all of them, each under its own name.
  defaultMode: Permission bits of the files without a mode of their own, 0 to 511; default 420 (0644).
  optional: Whether the pod may start without it.

core.DownwardAPIProjection: Pod fields.
  items: The files.

core.DownwardAPIVolumeFile: A file with the value of a field of the pod.
  path: The file, as a relative path without "..".
  fieldRef: A field of the pod.
  resourceFieldRef: A resource of a container.
  mode: Permission bits of the file, 0 to 511.

core.DownwardAPIVolumeSource: Pod fields as files.
  items: The files.
  defaultMode: Permission bits of the files without a mode of their own, 0 to 511; default 420 (0644).

core.EmptyDirVolumeSource: An empty directory that lives as long as the pod.
  medium: Storage medium: empty for the default of the node, or Memory.
  sizeLimit: Maximum size.

core.EphemeralVolumeSource: A claim that belongs to the pod.
  volumeClaimTemplate: Template of the claim, which is created and deleted with the pod.

core.EventSource: The component that reports an event.
  component: The program.
  host: The node.

core.FCVolumeSource: A disk of Fibre Channel.
  targetWWNs: World-wide names of the target. Needs lun.
  lun: Number of the unit at the target.
  wwids: World-wide identifiers of the disk; instead of targetWWNs and lun.

core.FlexPersistentVolumeSource < core.FlexVolumeSource: A volume of a program on the node.

core.FlexVolumeSource: Deprecated: a volume of a program on the node.
  driver: Name of the program.
  fsType: The file system of the volume, such as ext4 or xfs. Default what the program chooses.
  secretRef: Secret whose content the program gets.
  options: Options for the program.

core.FlockerVolumeSource: Deprecated: a volume of Flocker. One of the fields is set.
  datasetName: Deprecated: name of the dataset.
  datasetUUID: UUID of the dataset.

core.GCEPersistentDiskVolumeSource: A disk of Google Compute Engine.
  pdName: Name of the disk.
  partition: Number of the partition to mount. Default the whole disk.

core.GitRepoVolumeSource: Deprecated: a clone of a Git repository.
  repository: URL of the repository.
  revision: Hash of the commit. Default the newest.
  directory: Directory of the volume for the clone. Default one with the name of the repository.

core.GlusterfsPersistentVolumeSource < core.GlusterfsVolumeSource: A volume of GlusterFS.
  endpointsNamespace: Namespace of the Endpoints. Default that of the claim.

core.GlusterfsVolumeSource: A volume of GlusterFS.
  endpoints: Name of the Endpoints with the addresses of the servers.
  path: Name of the volume.

core.HostPathVolumeSource: A file or directory of the node.
  path: The path on the node.
  type: Required type of the path, such as Directory or FileOrCreate; empty for no check.

core.ISCSIPersistentVolumeSource < core.ISCSIVolumeSource: A disk of iSCSI.

core.ISCSIVolumeSource: A disk of iSCSI.
  targetPortal: Address of the target; with a port if it is not 860 or 3260.
  iqn: Qualified name of the target.
  lun: Number of the unit at the target.
  iscsiInterface: Interface of the initiator. Default default, for TCP.
  portals: Further addresses of the target, for several paths.
  chapAuthDiscovery: Whether discovery is authenticated by CHAP.
  secretRef: Secret with the credentials for CHAP.
  chapAuthSession: Whether sessions are authenticated by CHAP.
  initiatorName: Name of the initiator. Default that of the node.

core.ImageVolumeSource: The content of an image, read-only.
  reference: The image or artifact, as for a container.
  pullPolicy: Always, Never or IfNotPresent. Default Always for the tag latest, IfNotPresent otherwise.

core.KeyToPath: A key and the file that it becomes.
  key: The key.
  path: The file, as a relative path without "..".
  mode: Permission bits of the file, 0 to 511.

core.LocalVolumeSource: A disk or directory of one node.
  path: The path on the node: a directory or a block device.
  fsType: The file system of a block device, such as ext4 or xfs. Default the one that is found.

core.ModifyVolumeStatus: A change of a volume to another attributes class.
  targetVolumeAttributesClassName: Name of the class that the volume changes to.
  status: Pending while something is missing, InProgress, or Infeasible when the driver refuses it.

core.NFSVolumeSource: A directory of an NFS server.
  server: Name or address of the server.
  path: Directory that the server exports.

core.NodeConfigSource: Deprecated: dropped.
  configMap: Deprecated: the config map with the configuration.

core.PersistentVolume: A piece of storage of the cluster, which claims are bound to.
  spec: Where the storage is, and its properties.
  status: Whether a claim uses the volume.

core.PersistentVolumeClaim: A user's claim to storage. Pods mount the volume that it is bound to.
  spec: The wanted storage.
  status: The storage that the claim got.

core.PersistentVolumeClaimCondition < meta.Condition: A condition of a claim, such as Resizing or FileSystemResizePending.
  lastProbeTime: When the condition was last checked.

core.PersistentVolumeClaimSpec: The storage that a claim asks for.
  accessModes: The permitted ways to mount the volume: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.
  resources: The wanted capacity, as requests.storage.
  volumeName: The volume that the claim is bound to.
  selector: Selects the candidate volumes.
  storageClassName: The storage class; empty for none, absent for the default.
  volumeMode: Filesystem or Block.
  dataSource: Where the volume's content comes from: a snapshot or another claim of the namespace. The same as dataSourceRef.
  dataSourceRef: Where the volume's content comes from: an object of a kind that a provisioner knows, with a feature gate also of another namespace.
  volumeAttributesClassName: Name of the attributes class of the volume. It can be changed later.

core.PersistentVolumeClaimStatus: The storage that a claim got.
  phase: Pending, Bound, or Lost when the volume no longer exists.
  accessModes: The permitted ways to mount the volume.
  capacity: Capacity of the volume.
  conditions: The conditions of the claim.
  allocatedResources: Capacity that has been set aside while the volume is enlarged.
  allocatedResourceStatuses: How far enlarging is, by resource: ControllerResizeInProgress, ControllerResizeInfeasible, NodeResizePending, NodeResizeInProgress or NodeResizeInfeasible.
  currentVolumeAttributesClassName: Name of the attributes class that is in effect.
  modifyVolumeStatus: A change to another attributes class; absent when there is none.

core.PersistentVolumeClaimTemplate: Template of the claim, which is created and deleted with the pod.
  metadata: Labels and annotations of the claim.
  spec: The storage that the claim asks for.

core.PersistentVolumeClaimVolumeSource: A volume that a claim is bound to.
  claimName: Name of the claim in the pod's namespace.
  readOnly: Mounts are read-only.

core.PersistentVolumeSource < core.VolumeSource: Where a persistent volume is. One of the fields is set.
  local: A disk or directory of one node.
  csi: A volume of a storage driver.

core.PersistentVolumeSpec < core.PersistentVolumeSource: Where a persistent volume is, and its properties.
  capacity: Capacity of the volume.
  accessModes: The possible ways to mount the volume: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.
  claimRef: The claim that the volume is bound to.
  persistentVolumeReclaimPolicy: What happens to the volume without its claim: Retain, Delete, or Recycle (deprecated). Default Retain, for made volumes that of their class.
  storageClassName: Name of the storage class; empty for none.
  mountOptions: Options with which the volume is mounted. They are not checked.
  volumeMode: Filesystem or Block. Default Filesystem.
  nodeAffinity: The nodes that can reach the volume. Default all.
  volumeAttributesClassName: Name of the attributes class of the volume; empty for none.

core.PersistentVolumeStatus: Whether a claim uses a persistent volume.
  phase: Pending, Available, Bound, Released when its claim was deleted, or Failed when reclaiming failed.
  message: Why the volume is in this phase, for people.
  reason: Reason of a failure, as a CamelCase word.
  lastPhaseTransitionTime: When the phase last changed.

core.PhotonPersistentDiskVolumeSource: Deprecated: a disk of Photon Controller.
  pdID: ID of the disk.

core.PortworxVolumeSource: A volume of Portworx.
  volumeID: ID of the volume.
  fsType: The file system of the volume, ext4 or xfs. Default ext4.

core.ProjectedVolumeSource: Several sources in one directory.
  sources: Sources of the files.
  defaultMode: Permission bits of the files without a mode of their own, 0 to 511; default 420 (0644).

core.QuobyteVolumeSource: Deprecated: a volume of Quobyte.
  registry: Addresses of the registries, separated by commas.
  volume: Name of the volume.
  user: User who mounts. Default the owner of the service account.
  group: Group that mounts. Default none.
  tenant: Tenant of the volume, set by the provisioner.

core.RBDPersistentVolumeSource < core.RBDVolumeSource: A block device of Ceph.

core.RBDVolumeSource: A block device of Ceph.
  monitors: Addresses of the monitors.
  image: Name of the image.
  pool: Pool of the image. Default rbd.
  user: User of Ceph. Default admin.
  keyring: File of the node with the user's key. Default /etc/ceph/keyring.
  secretRef: Secret with the user's key. It has priority over keyring.

core.ScaleIOPersistentVolumeSource < core.ScaleIOVolumeSource: A volume of ScaleIO.

core.ScaleIOVolumeSource: Deprecated: a volume of ScaleIO.
  gateway: Address of the gateway.
  system: Name of the storage system.
  secretRef: Secret with the user and the password.
  sslEnabled: Whether the gateway is called by TLS. Default false.
  protectionDomain: Protection domain of the storage.
  storagePool: Storage pool of the domain.
  storageMode: ThickProvisioned or ThinProvisioned. Default ThinProvisioned.
  volumeName: Name of the volume.
  fsType: The file system of the volume, such as ext4 or xfs. Default xfs.

core.SecretProjection < core.LocalObjectReference: A secret.
  items: The keys to write as files, and where. Absent: all of them, each under its own name.
  optional: Whether the pod may start without it.

core.SecretReference: A reference to a secret.
  name: Name of the secret.
  namespace: Namespace of the secret.

core.SecretVolumeSource: A secret as files.
  secretName: Name of the secret.
  items: The keys to write as files, and where. Absent: all of them, each under its own name.
  defaultMode: Permission bits of the files without a mode of their own, 0 to 511; default 420 (0644).
  optional: Whether the pod may start without it.

core.ServiceAccountTokenProjection: A token of the pod's service account, renewed as needed.
  audience: Audience of the token; default the API server.
  expirationSeconds: Lifetime of the token, at least 600; default 3600.
  path: The file, as a relative path without "..".

core.StorageOSPersistentVolumeSource < core.StorageOSVolumeSource: A volume of StorageOS.

core.StorageOSVolumeSource: Deprecated: a volume of StorageOS.
  volumeName: Name of the volume; unique in its namespace of StorageOS.
  volumeNamespace: Namespace of StorageOS. Default that of the pod.
  secretRef: Secret with the credentials for StorageOS.

core.TopologySelectorLabelRequirement: Values of a label.
  key: Name of the label.
  values: The values, one of which must be that of the label.

core.TopologySelectorTerm: A place. All requirements must match.
  matchLabelExpressions: Requirements on labels of the place.

core.VolumeNodeAffinity: The nodes that can reach a volume.
  required: The nodes.

core.VolumeProjection: One of several sources in a directory. One of the fields is set.
  secret: A secret.
  downwardAPI: Pod fields.
  configMap: A config map.
  serviceAccountToken: A token of the pod's service account, renewed as needed.
  clusterTrustBundle: Trust anchors.

core.VolumeResourceRequirements: The capacity of a volume.
  limits: Maximum of each resource.
  requests: Minimum of each resource.

core.VolumeSource: Where a volume of a pod comes from. One of the fields is set.
  hostPath: A file or directory of the node.
  emptyDir: An empty directory that lives as long as the pod.
  gcePersistentDisk: A disk of Google Compute Engine.
  awsElasticBlockStore: A disk of Amazon EBS.
  gitRepo: Deprecated: a clone of a Git repository.
  secret: A secret as files.
  nfs: A directory of an NFS server.
  iscsi: A disk of iSCSI.
  glusterfs: A volume of GlusterFS.
  persistentVolumeClaim: A volume that a claim is bound to.
  rbd: A block device of Ceph.
  flexVolume: Deprecated: a volume of a program on the node.
  cinder: A disk of OpenStack.
  cephfs: A directory of Ceph.
  flocker: Deprecated: a volume of Flocker.
  downwardAPI: Pod fields as files.
  fc: A disk of Fibre Channel.
  azureFile: A file share of Azure.
  configMap: A config map as files.
  vsphereVolume: A disk of vSphere.
  quobyte: Deprecated: a volume of Quobyte.
  azureDisk: A disk of Azure.
  photonPersistentDisk: Deprecated: a disk of Photon Controller.
  portworxVolume: A volume of Portworx.
  scaleIO: Deprecated: a volume of ScaleIO.
  projected: Several sources in one directory.
  storageos: Deprecated: a volume of StorageOS.
  csi: A volume of a storage driver that lives as long as the pod.
  ephemeral: A claim that belongs to the pod.
  image: The content of an image, read-only.

core.VsphereVirtualDiskVolumeSource: A disk of vSphere.
  volumePath: Path of the disk in vSphere.
  storagePolicyName: Name of the storage policy.
  storagePolicyID: ID of the storage policy.

storage.CSIDriver: A storage driver (Container Storage Interface), and what it needs. It is named after the driver.
  spec: Properties of the driver.

storage.CSIDriverSpec: Properties of a storage driver.
  attachRequired: Whether volumes are attached to a node before they are mounted. Cannot be changed. Default true.
  podInfoOnMount: Whether the driver is told the name, namespace, UID and service account of the pod when it mounts. Default false.
  volumeLifecycleModes: Persistent for volumes of claims, Ephemeral for volumes in pods. Cannot be changed. Default Persistent.
  storageCapacity: Whether the scheduler looks at the free capacity that the driver reports in CSIStorageCapacity. Default false.
  fsGroupPolicy: Whether the group of files is set to the fsGroup of the pod: File always, None never, ReadWriteOnceWithFSType only for volumes with a file system that one node writes. Default ReadWriteOnceWithFSType.
  tokenRequests: Tokens of the pod's service account that the driver gets when it mounts.
  requiresRepublish: Whether mounting is repeated now and then, so that content such as tokens stays current. Default false.
  seLinuxMount: Whether volumes can be mounted with an SELinux context. Default false.

storage.CSINode: The storage drivers on a node. It is named after the node.
  spec: The drivers.

storage.CSINodeDriver: A storage driver on a node.
  name: Name of the driver.
  nodeID: Name by which the driver knows the node.
  topologyKeys: Labels of the node that say from where volumes can be reached.
  allocatable: How many volumes the driver can have on the node.

storage.CSINodeSpec: The storage drivers on a node.
  drivers: The drivers.

storage.CSIStorageCapacity: The free capacity of a storage class in one place.
  nodeTopology: The nodes that can reach the capacity. Cannot be changed. Absent: none.
  storageClassName: Name of the storage class. Cannot be changed.
  capacity: The free capacity.
  maximumVolumeSize: The greatest volume that can be made.

storage.StorageClass: A kind of storage, from which volumes are made for claims.
  provisioner: Name of the driver that makes the volumes. Cannot be changed.
  parameters: Parameters for the driver. Cannot be changed.
  reclaimPolicy: What happens to a volume without its claim: Delete or Retain. Cannot be changed. Default Delete.
  mountOptions: Options with which the volumes are mounted. They are not checked.
  allowVolumeExpansion: Whether claims can be enlarged. Default false.
  volumeBindingMode: Immediate makes volumes for claims right away; WaitForFirstConsumer when a pod uses the claim, so that they fit its node. Cannot be changed. Default Immediate.
  allowedTopologies: The places in which volumes may be made. Default all.

storage.TokenRequest: A token of a service account that a driver gets.
  audience: Who the token is for; empty for the API server.
  expirationSeconds: Lifetime of the token in seconds, at least 600. Default an hour.

storage.VolumeAttachment: Asks a driver to attach a volume to a node.
  spec: The volume and the node. Cannot be changed.
  status: Whether the volume is attached.

storage.VolumeAttachmentSource: The volume of an attachment. One of the fields is set.
  persistentVolumeName: Name of a persistent volume.
  inlineVolumeSpec: A volume that is in a pod in an older form, as if it were a persistent one.

storage.VolumeAttachmentSpec: A volume and the node that it should be attached to.
  attacher: Name of the driver.
  source: The volume.
  nodeName: Name of the node.

storage.VolumeAttachmentStatus: Whether a volume is attached. Written by the driver.
  attached: Whether the volume is attached.
  attachmentMetadata: What the driver needs to mount the volume.
  attachError: The last error while attaching.
  detachError: The last error while detaching.

storage.VolumeError: An error of a driver.
  time: When it occurred.
  message: The error, for people. It must contain no secrets.

storage.VolumeNodeResources: Limits of a driver on a node.
  count: Number of volumes that can be attached. Default no limit.

storage.VolumeAttributesClass: Parameters of volumes that can be changed while they are in use.
  driverName: Name of the driver. Cannot be changed.
  parameters: Parameters for the driver. Cannot be changed; a claim changes to another class instead.
`;
