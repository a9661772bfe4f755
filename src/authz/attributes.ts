import type { UserInfo } from '../meta/object.js';

/** A requirement of a selector, for rules that depend on what a list is narrowed to. */
export interface SelectorRequirement {
  /** Label key or field path. */
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values: readonly string[];
}

/** Everything about a request that an authorizer may look at. Strings are empty where they do not apply. */
export interface Attributes {
  readonly user: UserInfo;
  /** API verb of a resource request; HTTP method in lower case of any other. */
  readonly verb: string;
  readonly isResource: boolean;
  readonly namespace: string;
  /** The core group is the empty string. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Decoded path; what a non-resource request is authorized by. */
  readonly path: string;
  /** What a list, watch or deletecollection selects by labels, when its selector could be read. */
  readonly labelSelector?: readonly SelectorRequirement[];
  /** What a list, watch or deletecollection selects by fields, when its selector could be read. */
  readonly fieldSelector?: readonly SelectorRequirement[];
}

/** The part of the server's RequestInfo that attributes are made of. */
export interface RequestFacts {
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
}

/** The attributes of a request by a user. */
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
