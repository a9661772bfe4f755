/**
 * The question to a webhook, and its answer: the spec and the status of a SubjectAccessReview (contract: "Reviews";
 * `authorization.<suffix>/v1` and `v1beta1`).
 *
 * @module
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.js';
import type { ReviewVersion } from '../../outbound/review-versions.js';
import type { Attributes, SelectorRequirement } from '../attributes.js';

/** A version of the review. */
export type AccessReviewVersion = ReviewVersion;

/**
 * The spec of a v1 review. As in the production system, what is empty is left out and everything has its place, so that two
 * requests that are the same to a webhook make the same text.
 *
 * @param withSelectors whether selectors go along (feature gate `AuthorizeWithSelectors`)
 */
export function accessReviewSpec(attributes: Attributes, withSelectors: boolean): JsonObject {
  const { user, isResource, verb, namespace, apiGroup, apiVersion, resource, subresource, name, path } = attributes;
  const selectors = withSelectors ? selectorsOf(attributes) : {};
  const resourceAttributes = {
    namespace,
    verb,
    group: apiGroup,
    version: apiVersion,
    resource,
    subresource,
    name,
    ...selectors,
  };
  return {
    ...(isResource
      ? { resourceAttributes: withoutEmpty(resourceAttributes) }
      : { nonResourceAttributes: withoutEmpty({ path, verb }) }),
    ...withoutEmpty({ user: user.username, groups: user.groups, extra: sortedExtra(user.extra ?? {}), uid: user.uid }),
  };
}

/** The spec in the form of a version: `v1beta1` says `group` for the groups. */
export function specInVersion(spec: JsonObject, version: AccessReviewVersion): JsonObject {
  if (version === 'v1') return spec;
  const entries = Object.entries(spec).map(([field, value]) => [field === 'groups' ? 'group' : field, value] as const);
  return Object.fromEntries(entries);
}

/** The spec as match conditions see it: they may count on every field but the attributes of the other kind of request. */
export function matchableSpec(attributes: Attributes, withSelectors: boolean): JsonObject {
  const { user, isResource, verb, namespace, apiGroup, apiVersion, resource, subresource, name, path } = attributes;
  const about = isResource
    ? {
        resourceAttributes: {
          namespace,
          verb,
          group: apiGroup,
          version: apiVersion,
          resource,
          subresource,
          name,
          ...(withSelectors ? selectorsOf(attributes) : {}),
        },
      }
    : { nonResourceAttributes: { path, verb } };
  return { ...about, user: user.username, groups: user.groups, extra: user.extra ?? {}, uid: user.uid ?? '' };
}

function selectorsOf({ fieldSelector = [], labelSelector = [] }: Attributes): JsonObject {
  const requirements = (selector: readonly SelectorRequirement[]): JsonObject => ({
    requirements: selector.map(({ key, operator, values }) => ({ key, operator, values })),
  });
  return {
    ...(fieldSelector.length === 0 ? {} : { fieldSelector: requirements(fieldSelector) }),
    ...(labelSelector.length === 0 ? {} : { labelSelector: requirements(labelSelector) }),
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

/** What a webhook says. Neither allowed nor denied is no opinion. */
export interface AccessReviewAnswer {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

const wrong = (path: string, what: string): Error =>
  new Error(`the answer of the webhook is wrong: ${path} must be ${what}`);

/**
 * Reads the status of a review. What is missing is false or empty; what else is in the answer does not matter.
 *
 * @throws Error when a field has another type; it names the field and not its value
 */
export function readAccessReviewAnswer(review: JsonObject): AccessReviewAnswer {
  const status = review['status'] ?? {};
  if (!isJsonObject(status)) throw wrong('status', 'an object');
  const truth = (field: string): boolean => {
    const value = status[field] ?? false;
    if (typeof value !== 'boolean') throw wrong(`status.${field}`, 'true or false');
    return value;
  };
  const reason = status['reason'] ?? '';
  if (typeof reason !== 'string') throw wrong('status.reason', 'a string');
  return { allowed: truth('allowed'), denied: truth('denied'), reason };
}
