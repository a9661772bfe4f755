import type { UserInfo } from '../../foundation/index.js';

/** A requirement of a selector. Rules read it when they depend on the selector of a list. */
export interface SelectorRequirement {
  /** Label key or field path. */
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values: readonly string[];
}

/** The parts of a request that an authorizer can use. Strings that do not apply are empty. */
export interface Attributes {
  readonly user: UserInfo;
  /** API verb of a resource request; lowercase HTTP method of a non-resource request. */
  readonly verb: string;
  readonly isResource: boolean;
  readonly namespace: string;
  /** The core group is the empty string. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Decoded path. It decides non-resource requests. */
  readonly path: string;
  /** Label requirements of a list, watch or deletecollection. Absent when the selector is invalid. */
  readonly labelSelector?: readonly SelectorRequirement[] | undefined;
  /** Field requirements of a list, watch or deletecollection. Absent when the selector is invalid. */
  readonly fieldSelector?: readonly SelectorRequirement[] | undefined;
}

/** The part of the server's RequestInfo from which attributes are built. */
export interface RequestFacts {
  /** Whether the path names a resource. Otherwise the members below `path` are empty. */
  readonly isResource: boolean;
  /** An API verb, such as `list`; for a path that names no resource, the HTTP method in lower case. */
  readonly verb: string;
  /** Decoded path, without the query. */
  readonly path: string;
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Empty for cluster-scoped kinds, and for all namespaces. */
  readonly namespace: string;
  /** Plural name. */
  readonly resource: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** Empty for a collection, and for a create. */
  readonly name: string;
}

/** Returns the attributes of a request by a user. */
export function attributesOf(request: RequestFacts, user: UserInfo): Attributes {
  return {
    user,
    verb: request.verb,
    isResource: request.isResource,
    namespace: request.namespace,
    apiGroup: request.group,
    apiVersion: request.version,
    resource: request.resource,
    subresource: request.subresource,
    name: request.name,
    path: request.path,
  };
}
