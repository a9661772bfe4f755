import type { JsonObject, JsonValue } from '../json/json.js';

/** A group, version and kind: the type of an object. The core group is the empty string. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A group, version and plural resource name, as in a path. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Returns `v1` for the core group, `group/version` for other groups. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Formats a kind as Go prints it in messages: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function kindText({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** Splits an apiVersion; undefined when it has more than one slash. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: parts[0] as string };
  if (parts.length === 2) return { group: parts[0] as string, version: parts[1] as string };
  return undefined;
}

// Type aliases instead of interfaces: the compiler accepts only aliases as JSON objects.

/** A reference from a dependent to an owner. */
export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean | undefined;
  blockOwnerDeletion?: boolean | undefined;
};

/** One record of field ownership. */
export type ManagedFieldsEntry = {
  manager?: string | undefined;
  operation?: string | undefined;
  apiVersion?: string | undefined;
  /** RFC 3339, second precision. */
  time?: string | undefined;
  fieldsType?: string | undefined;
  fieldsV1?: JsonValue | undefined;
  subresource?: string | undefined;
};

/** Metadata that every stored object has. All times are RFC 3339 in UTC with second precision. */
export type ObjectMeta = {
  name?: string | undefined;
  generateName?: string | undefined;
  namespace?: string | undefined;
  selfLink?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  creationTimestamp?: string | null | undefined;
  deletionTimestamp?: string | undefined;
  deletionGracePeriodSeconds?: number | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  ownerReferences?: OwnerReference[] | undefined;
  finalizers?: string[] | undefined;
  managedFields?: ManagedFieldsEntry[] | undefined;
};

/** An object in the registry: known metadata, other fields by the kind's schema. Its owner may change it. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** A stored object, which must not be changed. */
export type StoredObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<ObjectMeta>;
} & JsonObject;

/** Metadata of a collection. */
export interface ListMeta {
  resourceVersion?: string | undefined;
  continue?: string | undefined;
  remainingItemCount?: number | undefined;
}

/** The user of a request, from the authenticator, for authorizers. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
