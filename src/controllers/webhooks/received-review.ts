/**
 * The reviews that API servers post to webhooks, read strictly.
 *
 * @module
 */
import type { AdmissionRequest } from '../../admission/index.js';
import {
  dialects,
  groupName,
  isArray,
  isJsonObject,
  reviewVersions,
  systemGroup,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import { reviewMember, reviewString } from '../../kinds/index.js';

/** A review that cannot be answered: the caller gets status 400. */
export class MalformedReview extends Error {
  override readonly name = 'MalformedReview';
}

/** The kinds of reviews, with the groups that they belong to. */
const groups = { AdmissionReview: systemGroup('admission'), ConversionReview: systemGroup('apiextensions') } as const;

/** The kind of a review. */
export type ReviewKind = keyof typeof groups;

/** A review of a known kind and version. */
export interface ReceivedReview {
  readonly kind: ReviewKind;
  /** Version that the answer has, too. */
  readonly apiVersion: string;
  /** Identifies the request; the answer has it, too. */
  readonly uid: string;
  readonly request: JsonObject;
}

/** Reads a review of a kind, in version v1 or v1beta1 of any dialect. @throws MalformedReview */
export function receivedReview(value: JsonValue, kind: ReviewKind): ReceivedReview {
  return strictly(() => {
    if (!isJsonObject(value)) throw new MalformedReview('the body is not an object');
    const found = reviewString(value, 'kind', `${kind}.kind`, 'string');
    const apiVersion = reviewString(value, 'apiVersion', `${kind}.apiVersion`, 'string');
    if (found !== kind || !isVersionOf(kind, apiVersion))
      throw new MalformedReview(
        `expected kind ${kind} in version v1 or v1beta1, got ${found || 'no kind'} in ${apiVersion || 'no version'}`,
      );
    const request = reviewMember(value, 'request', `${kind}.request`, kind.replace('Review', 'Request'), isJsonObject);
    if (request === undefined) throw new MalformedReview('the review has no request');
    const uid = reviewString(request, 'uid', 'request.uid', 'types.UID');
    if (uid === '') throw new MalformedReview('request.uid is empty');
    return { kind, apiVersion, uid, request };
  });
}

const isVersionOf = (kind: ReviewKind, apiVersion: string): boolean =>
  [...dialects.values()].some((dialect) =>
    reviewVersions.some((version) => apiVersion === `${groupName(groups[kind], dialect)}/${version}`),
  );

/** Makes a MalformedReview of what the readers of reviews throw. */
function strictly<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedReview || !(error instanceof Error)) throw error;
    throw new MalformedReview(error.message, { cause: error });
  }
}

type Check = (value: JsonValue | undefined) => boolean;

const isText: Check = (value) => typeof value === 'string';
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOfTexts: Check = (value) => isArray(value) && value.every(isText);
const membersOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isJsonObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
const isKind = membersOf({ group: isText, version: isText, kind: isText });
const isResource = membersOf({ group: isText, version: isText, resource: isText });
const isUser = membersOf({
  username: optional(isText),
  uid: optional(isText),
  groups: optional(listOfTexts),
  extra: optional((value) => isJsonObject(value) && Object.values(value).every(listOfTexts)),
});
const isObjectOrNull: Check = (value) => value === null || isJsonObject(value);
const isOperation: Check = (value) => ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'].some((known) => known === value);

/** The members of a request; others, which later versions of Kubernetes may add, are left out. */
const REQUEST: Readonly<Record<keyof AdmissionRequest, Check>> = {
  uid: isText,
  kind: isKind,
  resource: isResource,
  subResource: optional(isText),
  requestKind: isKind,
  requestResource: isResource,
  requestSubResource: optional(isText),
  name: optional(isText),
  namespace: optional(isText),
  operation: isOperation,
  userInfo: isUser,
  object: isObjectOrNull,
  oldObject: isObjectOrNull,
  dryRun: (value) => typeof value === 'boolean',
  options: isObjectOrNull,
};

/** Reads the request of an AdmissionReview: what a function of the process gets. @throws MalformedReview */
export function admissionRequestOf({ request: sent }: ReceivedReview): AdmissionRequest {
  const absent = { object: null, oldObject: null, options: null, dryRun: false, userInfo: {} };
  // Servers that know no other versions of a resource name only those of the rule.
  const same = { requestKind: sent['kind'] ?? null, requestResource: sent['resource'] ?? null };
  const all: JsonObject = { ...absent, ...same, ...sent };
  const request: Record<string, JsonValue> = {};
  for (const name of Object.keys(REQUEST)) {
    const value = all[name];
    if (value !== undefined) request[name] = value;
  }
  const wrong = Object.entries(REQUEST).find(([name, check]) => !check(request[name]));
  if (wrong !== undefined || !isRequest(request))
    throw new MalformedReview(`request.${wrong?.[0]} is missing or has another type`);
  return request;
}

const isRequest = (value: JsonObject): value is JsonObject & AdmissionRequest =>
  Object.entries(REQUEST).every(([name, check]) => check(value[name]));

/** The request of a ConversionReview. */
export interface ConversionRequest {
  readonly desiredApiVersion: string;
  readonly objects: JsonObject[];
}

/** Reads the request of a ConversionReview. @throws MalformedReview */
export function conversionRequestOf({ request }: ReceivedReview): ConversionRequest {
  return strictly(() => {
    const desiredApiVersion = reviewString(request, 'desiredAPIVersion', 'request.desiredAPIVersion', 'string');
    if (desiredApiVersion === '') throw new MalformedReview('request.desiredAPIVersion is empty');
    const sent = reviewMember(request, 'objects', 'request.objects', '[]runtime.RawExtension', isArray) ?? [];
    const objects = sent.filter(isJsonObject);
    if (objects.length !== sent.length) throw new MalformedReview('request.objects has a value that is not an object');
    return { desiredApiVersion, objects };
  });
}
