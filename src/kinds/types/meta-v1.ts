// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { JsonValue, ObjectMeta } from '../../foundation/index.js';

export type APIGroup = {
  apiVersion?: string;
  kind?: string;
  name: string;
  versions: GroupVersionForDiscovery[];
  preferredVersion?: GroupVersionForDiscovery | undefined;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | undefined;
};

export type APIGroupList = {
  apiVersion?: string;
  kind?: string;
  groups: APIGroup[];
};

export type APIResource = {
  name: string;
  namespaced: boolean;
  kind: string;
  verbs: string[];
  shortNames?: string[] | undefined;
  singularName: string;
  categories?: string[] | undefined;
  group?: string | undefined;
  version?: string | undefined;
  storageVersionHash?: string | undefined;
};

export type APIResourceList = {
  apiVersion?: string;
  kind?: string;
  groupVersion: string;
  resources: APIResource[];
};

export type APIVersions = {
  apiVersion?: string;
  kind?: string;
  versions: string[];
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
};

export type Condition = {
  type: string;
  status: string;
  observedGeneration?: number | undefined;
  lastTransitionTime: string;
  reason: string;
  message: string;
};

export type CreateOptions = {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[] | undefined;
  fieldManager?: string | undefined;
  fieldValidation?: string | undefined;
};

export type DeleteOptions = {
  apiVersion?: string;
  kind?: string;
  gracePeriodSeconds?: number | undefined;
  preconditions?: Preconditions | undefined;
  orphanDependents?: boolean | undefined;
  propagationPolicy?: string | undefined;
  dryRun?: string[] | undefined;
};

export type FieldSelectorRequirement = {
  /** Label key, or path of the field. */
  key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  operator: string;
  /** Values of In and NotIn; empty for the other operators. */
  values?: string[] | undefined;
};

export type GetOptions = {
  apiVersion?: string;
  kind?: string;
  resourceVersion?: string | undefined;
};

export type GroupVersionForDiscovery = {
  groupVersion: string;
  version: string;
};

/** A query over labels: an empty selector selects everything, an absent one nothing. */
export type LabelSelector = {
  /** Labels that an object must have, with these values. */
  matchLabels?: Record<string, string> | undefined;
  /** Requirements on labels. All must match. */
  matchExpressions?: LabelSelectorRequirement[] | undefined;
};

export type LabelSelectorRequirement = {
  /** Key of the label. */
  key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  operator: string;
  /** Values of In and NotIn; empty for the other operators. */
  values?: string[] | undefined;
};

export type ListMeta = {
  selfLink?: string | undefined;
  resourceVersion?: string | undefined;
  continue?: string | undefined;
  remainingItemCount?: number | undefined;
};

export type ListOptions = {
  apiVersion?: string;
  kind?: string;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  watch?: boolean | undefined;
  resourceVersion?: string | undefined;
  timeoutSeconds?: number | undefined;
  limit?: number | undefined;
  continue?: string | undefined;
  allowWatchBookmarks?: boolean | undefined;
  resourceVersionMatch?: string | undefined;
  sendInitialEvents?: boolean | undefined;
};

export type PartialObjectMetadata = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
};

export type PartialObjectMetadataList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items?: PartialObjectMetadata[] | null | undefined;
};

export type PatchOptions = {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[] | undefined;
  force?: boolean | undefined;
  fieldManager?: string | undefined;
  fieldValidation?: string | undefined;
};

export type Preconditions = {
  uid?: string | undefined;
  resourceVersion?: string | undefined;
};

export type ServerAddressByClientCIDR = {
  clientCIDR: string;
  serverAddress: string;
};

export type Status = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  status?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  details?: StatusDetails | undefined;
  code?: number | undefined;
};

export type StatusCause = {
  reason?: string | undefined;
  message?: string | undefined;
  field?: string | undefined;
};

export type StatusDetails = {
  name?: string | undefined;
  group?: string | undefined;
  kind?: string | undefined;
  causes?: StatusCause[] | undefined;
  retryAfterSeconds?: number | undefined;
  uid?: string | undefined;
};

export type Table = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  columnDefinitions?: TableColumnDefinition[] | null | undefined;
  rows?: TableRow[] | null | undefined;
};

export type TableColumnDefinition = {
  name?: string | undefined;
  type?: string | undefined;
  format?: string | undefined;
  description?: string | undefined;
  priority?: number | undefined;
};

export type TableRow = {
  cells?: JsonValue[] | null | undefined;
  conditions?: TableRowCondition[] | undefined;
  object?: JsonValue | null | undefined;
};

export type TableRowCondition = {
  type?: string | undefined;
  status?: string | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

export type UpdateOptions = {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[] | undefined;
  fieldManager?: string | undefined;
  fieldValidation?: string | undefined;
};

export type WatchEvent = {
  type: string;
  object: JsonValue;
};
