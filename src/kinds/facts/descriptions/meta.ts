/** Descriptions of what all groups share; the format is that of `../descriptions.ts`. */
export const meta = `
*: Fields that mean the same in every type without a line of its own for them.
  apiVersion: Version of the schema of this object.
  kind: Kind of the object, in CamelCase. Cannot be changed.
  metadata: Name, labels and the other fields that every object has.
  spec: The desired state.
  status: The observed state. Written by the server and by controllers.
  observedGeneration: The generation of the object that this state was observed for.
  fsType: The file system of the volume, such as ext4 or xfs. Default ext4.
  readOnly: Whether the volume is mounted read-only. Default false.

meta.APIGroup: An API group and its versions.
  name: Name of the group.
  versions: The versions of the group.
  preferredVersion: The version that clients should use.
  serverAddressByClientCIDRs: Addresses of the server for clients in some networks. Default the address of the request.

meta.APIGroupList: The API groups of the server.
  groups: The groups, without the core group.

meta.APIResource: Names and verbs of a resource.
  name: Plural name, as in paths.
  namespaced: Whether objects are in a namespace.
  kind: Kind of the objects.
  verbs: Supported verbs.
  shortNames: Short names.
  singularName: Singular name.
  categories: Groups of resources that this one belongs to.
  group: Group of the kind, when it differs from that of the list.
  version: Version of the kind, when it differs from that of the list.
  storageVersionHash: Hash of the storage version.

meta.APIResourceList: The resources of a version.
  groupVersion: The group and version.
  resources: The resources and subresources.

meta.APIVersions: The versions of the core group.
  versions: The versions.
  serverAddressByClientCIDRs: Addresses of the server for clients in some networks.

meta.Condition: An aspect of the state of an object.
  type: Type of the condition, in CamelCase.
  status: True, False or Unknown.
  observedGeneration: The generation of the object that the condition was observed for.
  lastTransitionTime: When the status last changed.
  reason: Reason of the last change, as a CamelCase word for programs.
  message: Details of the last change, for people.

meta.CreateOptions: Parameters of a request that creates an object.
  dryRun: With the value All, nothing is stored.
  fieldManager: Name of the client that owns the written fields, at most 128 characters. Default the start of the user agent.
  fieldValidation: What follows from unknown and duplicate fields: Ignore, Warn or Strict. Default Warn.

meta.DeleteOptions: Options of a deletion.
  gracePeriodSeconds: Grace period in seconds; 0 deletes immediately.
  preconditions: Preconditions of the deletion.
  orphanDependents: Deprecated, use propagationPolicy: whether dependents are kept.
  propagationPolicy: Handling of dependents: Orphan, Background or Foreground.
  dryRun: With the value All, nothing is stored.

meta.FieldSelectorRequirement: A requirement on a field.
  key: Label key, or path of the field.
  operator: In, NotIn, Exists or DoesNotExist.
  values: Values of In and NotIn; empty for the other operators.

meta.GetOptions: Parameters of a request that reads an object.
  resourceVersion: How old the answer may be: not older than this version, and 0 for any age. Default the newest state.

meta.GroupVersionForDiscovery: A version of an API group.
  groupVersion: Group and version: apps/v1.
  version: The version alone: v1.

meta.LabelSelector: A query over labels: an empty selector selects everything, an absent one nothing.
  matchLabels: Labels that an object must have, with these values.
  matchExpressions: Requirements on labels. All must match.

meta.LabelSelectorRequirement: A requirement on a label.
  key: Key of the label.
  operator: In, NotIn, Exists or DoesNotExist.
  values: Values of In and NotIn; empty for the other operators.

meta.ListMeta: Metadata of a collection.
  selfLink: No longer filled in by the server.
  resourceVersion: Opaque version of the collection, for comparison and for later requests.
  continue: Token for the next part of the collection; empty at its end.
  remainingItemCount: Number of remaining items after this part, when known.

meta.ListOptions: Parameters of a request that lists or watches objects.
  labelSelector: Selects objects by their labels.
  fieldSelector: Selects objects by some of their fields.
  watch: Whether changes are sent as they happen, instead of a list.
  resourceVersion: The state that is listed, or from which changes are sent; resourceVersionMatch says how it is read.
  timeoutSeconds: Seconds after which the request ends.
  limit: Number of objects in one part of the list. The token for the next part is in its metadata.
  continue: Token of the next part of a list, from the metadata of the part before.
  allowWatchBookmarks: Whether the watch may have events of the type BOOKMARK, which tell how far it is.
  resourceVersionMatch: Exact for the state of the resource version, NotOlderThan for that state or a later one.
  sendInitialEvents: Whether the watch begins with the objects that exist, and a bookmark after them.

meta.PartialObjectMetadata: An object without everything but its metadata.

meta.PatchOptions < meta.CreateOptions: Parameters of a request that changes an object by a patch.
  force: Whether fields of other managers are taken over. Only for server-side apply.

meta.Preconditions: Preconditions of the deletion.
  uid: UID that the object must have.
  resourceVersion: Version that the object must have.

meta.ServerAddressByClientCIDR: An address of the server for clients in one network.
  clientCIDR: The network of the clients.
  serverAddress: Address of the server: a host, an IP address, or one of them with a port.

meta.Status: Result of an operation that returns no object.
  metadata: Metadata of the response.
  status: Success or Failure.
  message: Human-readable description of the result.
  reason: Machine-readable reason of the failure.
  details: Details of the failure.
  code: HTTP status code.

meta.StatusCause: One detail of a failure.
  reason: Machine-readable description of the cause.
  message: Human-readable description of the cause.
  field: Path of the invalid field.

meta.StatusDetails: Details of the failure.
  name: Name of the object.
  group: API group of the resource.
  kind: The resource, or the kind of an invalid object.
  causes: Causes of the failure.
  retryAfterSeconds: Seconds to wait before retrying the request.
  uid: UID of the object.

meta.Table: Objects as rows of a table.
  columnDefinitions: The columns.
  rows: The rows, one for each object.

meta.TableColumnDefinition: A column of a table.
  name: Title of the column.
  type: Type of its cells: string, integer, number, boolean or date.
  format: Format of its cells; name marks the column that identifies the row.
  description: What the column shows.
  priority: 0 shows the column always; greater values only in wide output.

meta.TableRow: A row of a table.
  cells: The cells, in the order of the columns.
  conditions: What is remarkable about the row, such as an object that has ended.
  object: The object of the row: whole, its metadata, or absent, as the request asks.

meta.TableRowCondition < meta.Condition: What is remarkable about a row.

meta.UpdateOptions < meta.CreateOptions: Parameters of a request that replaces an object.

meta.WatchEvent: An event of a watch.
  type: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.
  object: The object after the change, or before its deletion; a Status for an error.
`;
