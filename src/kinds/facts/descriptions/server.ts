/** Descriptions of the server's own kinds: flow control, leases, events, storage versions; the format is that of `../descriptions.ts`. */
export const server = `
apiserverinternal.ServerStorageVersion: How one API server stores the objects of a resource.
  apiServerID: Identifies the API server.
  encodingVersion: The version that it writes.
  decodableVersions: The versions that it can read.
  servedVersions: The versions that it serves. All of them can be read.

apiserverinternal.StorageVersion: How each API server of a cluster stores the objects of a resource. It is named after the resource.
  spec: Always empty.
  status: The versions that the servers write and read.

apiserverinternal.StorageVersionCondition < meta.Condition: A condition of a StorageVersion.

apiserverinternal.StorageVersionSpec: An empty object.

apiserverinternal.StorageVersionStatus: The versions that the servers write and read.
  storageVersions: What each server reports.
  commonEncodingVersion: The version that all servers write; absent while they differ.
  conditions: The conditions. AllEncodingVersionsEqual says whether all servers write the same version.

coordination.Lease: A lease that its holder must renew, for heartbeats and leader election.
  spec: Who holds the lease, and for how long.

coordination.LeaseSpec: Who holds a lease, and for how long.
  holderIdentity: Holder of the lease; empty or absent when it is free.
  leaseDurationSeconds: Seconds after renewTime before others may take the lease.
  acquireTime: Time when the holder took the lease.
  renewTime: Time when the holder last renewed the lease.
  leaseTransitions: Number of changes of the holder.
  strategy: Strategy of coordinated leader election. Alpha: dropped.
  preferredHolder: Preferred next holder of the lease. Alpha: dropped.

coordination.LeaseCandidate: A component that wants to hold a lease. A coordinated election chooses among the candidates.
  spec: The lease, and what the component can do.

coordination.LeaseCandidateSpec: What a component tells an election.
  leaseName: Name of the lease. Cannot be changed.
  pingTime: When the election last asked whether the component is still there. It answers by a later renewTime.
  renewTime: When the component last renewed its candidacy. A candidate that does not is deleted in time.
  binaryVersion: Version of the program.
  emulationVersion: Version that the program behaves as; at most binaryVersion. Required for OldestEmulationVersion.
  preferredStrategies: Strategies of the election, the preferred one first.

events.Event: A report of an occurrence. It expires after one hour.
  eventTime: Time of the first observation.
  series: The series of the event; absent for a single occurrence.
  reportingController: The reporting controller.
  reportingInstance: The instance of the controller.
  action: The action that was taken or failed.
  reason: Reason as a CamelCase word.
  regarding: The affected object.
  related: A second affected object.
  note: Human-readable message.
  type: Normal or Warning.
  deprecatedSource: The reporting component, in the older form.
  deprecatedFirstTimestamp: Time of the first occurrence, in the older form.
  deprecatedLastTimestamp: Time of the last occurrence, in the older form.
  deprecatedCount: Number of occurrences, in the older form.

events.EventSeries: The series of the event; absent for a single occurrence.
  count: Number of occurrences up to lastObservedTime.
  lastObservedTime: Time of the last occurrence.

flowcontrol.ExemptPriorityLevelConfiguration: The seats of a priority level that does not limit its requests.
  nominalConcurrencyShares: Share of the server's seats, relative to those of the other levels. Default 0.
  lendablePercent: Percentage of the seats that other levels may borrow, 0 to 100. Default 0.

flowcontrol.FlowDistinguisherMethod: What separates the flows of a FlowSchema.
  type: ByUser or ByNamespace.

flowcontrol.FlowSchema: Sorts requests into flows and assigns them to a priority level.
  spec: The requests and their level.
  status: Whether the level exists.

flowcontrol.FlowSchemaCondition < meta.Condition: A condition of a FlowSchema. Dangling says whether its priority level is missing.

flowcontrol.FlowSchemaSpec: Which requests a FlowSchema is for, and how they are treated.
  priorityLevelConfiguration: The priority level of the requests.
  matchingPrecedence: Order among the schemas, 1 to 10000. A request belongs to the matching schema with the lowest value. Default 1000.
  distinguisherMethod: What separates the flows. Default all requests are one flow.
  rules: The requests. One rule must match.

flowcontrol.FlowSchemaStatus: The state of a FlowSchema.
  conditions: The conditions of the schema.

flowcontrol.GroupSubject: A group of users.
  name: Name of the group; "*" for all users.

flowcontrol.LimitResponse: What happens to requests that find no free seat.
  type: Queue lets them wait, Reject refuses them.
  queuing: The queues, for the type Queue.

flowcontrol.LimitedPriorityLevelConfiguration: How a priority level limits its requests.
  nominalConcurrencyShares: Share of the server's seats, relative to those of the other levels. Default 30.
  limitResponse: What happens to requests that find no free seat.
  lendablePercent: Percentage of the seats that other levels may borrow, 0 to 100. Default 0.
  borrowingLimitPercent: The most that the level may borrow, in percent of its own seats. Default no limit.

flowcontrol.NonResourcePolicyRule: Requests for paths that are not resources.
  verbs: HTTP methods in lower case; "*" alone for all.
  nonResourceURLs: Paths, such as /healthz; a "*" after a slash at the end matches everything below. "*" alone for all.

flowcontrol.PolicyRulesWithSubjects: Requests by who sends them and what for.
  subjects: Users, groups and service accounts. One must match.
  resourceRules: Requests for resources. One rule here or in nonResourceRules must match.
  nonResourceRules: Requests for paths that are not resources.

flowcontrol.PriorityLevelConfiguration: A priority level: how many requests run together, and what happens to the others.
  spec: The limits of the level.
  status: The state of the level.

flowcontrol.PriorityLevelConfigurationCondition < meta.Condition: A condition of a priority level.

flowcontrol.PriorityLevelConfigurationReference: A reference to a priority level.
  name: Name of the level.

flowcontrol.PriorityLevelConfigurationSpec: The limits of a priority level.
  type: Limited, or Exempt for a level without a limit.
  limited: The limits, for the type Limited.
  exempt: The seats, for the type Exempt.

flowcontrol.PriorityLevelConfigurationStatus: The state of a priority level.
  conditions: The conditions of the level.

flowcontrol.QueuingConfiguration: The queues of a priority level.
  queues: Number of queues. Default 64.
  handSize: Number of queues among which the shortest is chosen for a request of a flow; at most queues. Default 8.
  queueLengthLimit: Number of requests that may wait in a queue. Further ones are refused. Default 50.

flowcontrol.ResourcePolicyRule: Requests for resources.
  verbs: Verbs; "*" alone for all.
  apiGroups: API groups; "*" alone for all.
  resources: Plural names, with a subresource after a slash; "*" alone for all.
  clusterScope: Whether requests without a namespace match: those for cluster-scoped objects and for objects of all namespaces. Default false.
  namespaces: Namespaces of the requests; "*" alone for all. Required unless clusterScope is true.

flowcontrol.ServiceAccountSubject: A service account.
  namespace: Namespace of the account.
  name: Name of the account; "*" for all of the namespace.

flowcontrol.Subject: Who sends a request. The field that kind names is set.
  kind: User, Group or ServiceAccount.
  user: The user.
  group: The group.
  serviceAccount: The service account.

flowcontrol.UserSubject: A user.
  name: Name of the user; "*" for all users.

storagemigration.GroupVersionResource: A resource in one version.
  group: API group; empty for the core group.
  version: Version.
  resource: Plural name.

storagemigration.MigrationCondition < meta.Condition: A condition of a migration: Running, Succeeded or Failed.
  lastUpdateTime: When the condition was last written.

storagemigration.StorageVersionMigration: Writes all objects of a resource again, so that they are stored in the current version.
  spec: The resource. Cannot be changed.
  status: How far the migration is.

storagemigration.StorageVersionMigrationSpec: What is migrated.
  resource: The resource. Any version stands for all.
  continueToken: Where a migration goes on that was interrupted.

storagemigration.StorageVersionMigrationStatus: How far a migration is.
  conditions: The conditions of the migration.
  resourceVersion: Objects that are older than this resource version have to be written. Set at the start.
`;
