/**
 * The request to a webhook and its response: spec and status of a SubjectAccessReview (contract: "Reviews";
 * `authorization.<suffix>/v1` and `v1beta1`).
 *
 * @module
 */
import {
  definedOnly,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ReviewVersion,
} from '../../../foundation/index.js';
import type { Attributes, SelectorRequirement } from '../attributes.js';

/**
 * Returns the spec of a v1 review. As in Kubernetes, empty fields are left out and the field order is fixed, so equal
 * requests produce equal text.
 *
 * @param withSelectors whether to include selectors (feature gate `AuthorizeWithSelectors`)
 */
export function accessReviewSpec(attributes: Attributes, withSelectors: boolean): JsonObject {
  const { user, isResource, verb, path } = attributes;
  return {
    ...(isResource
      ? { resourceAttributes: withoutEmpty(resourceAttributes(attributes, withSelectors)) }
      : { nonResourceAttributes: withoutEmpty({ path, verb }) }),
    ...withoutEmpty({ user: user.username, groups: user.groups, extra: sortedExtra(user.extra ?? {}), uid: user.uid }),
  };
}

/** Converts a v1 spec to a version: `v1beta1` calls the groups `group`. */
export function specInVersion(spec: JsonObject, version: ReviewVersion): JsonObject {
  if (version === 'v1') return spec;
  const entries = Object.entries(spec).map(([field, value]) => [field === 'groups' ? 'group' : field, value] as const);
  return Object.fromEntries(entries);
}

/**
 * Returns the spec for match conditions. Every field is present, except the attributes of the other kind of request.
 */
export function matchableSpec(attributes: Attributes, withSelectors: boolean): JsonObject {
  const { user, isResource, verb, path } = attributes;
  return {
    ...(isResource
      ? { resourceAttributes: resourceAttributes(attributes, withSelectors) }
      : { nonResourceAttributes: { path, verb } }),
    ...{ user: user.username, groups: user.groups, extra: user.extra ?? {}, uid: user.uid ?? '' },
  };
}

/** Returns the resource attributes of a request, in the order of Kubernetes. */
function resourceAttributes(attributes: Attributes, withSelectors: boolean): JsonObject {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name } = attributes;
  const selectors = withSelectors ? selectorsOf(attributes) : {};
  return { namespace, verb, group: apiGroup, version: apiVersion, resource, subresource, name, ...selectors };
}

function selectorsOf({ fieldSelector = [], labelSelector = [] }: Attributes): JsonObject {
  const requirements = (selector: readonly SelectorRequirement[]): JsonObject => ({
    requirements: selector.map(({ key, operator, values }) => ({ key, operator, values })),
  });
  return {
    ...definedOnly({
      fieldSelector: fieldSelector.length === 0 ? undefined : requirements(fieldSelector),
      labelSelector: labelSelector.length === 0 ? undefined : requirements(labelSelector),
    }),
  };
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === '') return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function sortedExtra(extra: Readonly<Record<string, readonly string[]>>): JsonObject {
  const compare = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
    a < b ? -1 : Number(a > b);
  return Object.fromEntries(Object.entries(extra).sort(compare));
}

/** The answer of a webhook. Neither allowed nor denied means no opinion. */
export interface AccessReviewAnswer {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

const invalidResponse = (path: string, expected: string): Error =>
  new Error(`invalid webhook response: ${path} must be ${expected}`);

/**
 * Reads the status of a review. Missing fields are false or empty; unknown fields are ignored.
 *
 * @throws Error when a field has the wrong type; the message names the field, not its value
 */
export function readAccessReviewAnswer(review: JsonObject): AccessReviewAnswer {
  const status = review['status'] ?? {};
  if (!isJsonObject(status)) throw invalidResponse('status', 'an object');
  const booleanField = (field: string): boolean => {
    const value = status[field] ?? false;
    if (typeof value !== 'boolean') throw invalidResponse(`status.${field}`, 'true or false');
    return value;
  };
  const reason = status['reason'] ?? '';
  if (typeof reason !== 'string') throw invalidResponse('status.reason', 'a string');
  return { allowed: booleanField('allowed'), denied: booleanField('denied'), reason };
}
