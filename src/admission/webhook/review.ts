/**
 * The review that an admission webhook gets, and the checks of the one that it returns.
 *
 * Source: `admission/plugin/webhook/request` of Kubernetes 1.31.
 *
 * @module
 */
import {
  decodeGoBase64,
  goQuote,
  groupName,
  isArray,
  isJsonObject,
  keysInSteps,
  systemGroup,
  type Dialect,
  type JsonObject,
  type JsonValue,
  type ReviewVersion,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { requireReviewType, reviewMember, reviewString, unmarshalText } from '../../kinds/index.js';
import type { AdmissionAttributes } from '../../registry/index.js';
import { admissionRequest } from '../matching/admission-request.js';
import type { EquivalentResource } from '../matching/equivalents.js';
import type { VersionedObjects } from '../matching/versioned-objects.js';
import type { Hook } from './hook.js';

/** Kind of the reviews. */
export const ADMISSION_REVIEW = 'AdmissionReview';

/** Returns the group of the reviews. */
export const reviewGroup = (dialect: Dialect): string => groupName(systemGroup('admission'), dialect);

/** The decision of a webhook. */
export interface Verdict {
  readonly allowed: boolean;
  /** The text of the JSON Patch, as UTF-8; empty for none. */
  readonly patch: Uint8Array;
  /** Empty without a patch. */
  readonly patchType: string;
  /** A Status, as far as the webhook filled it in; undefined for none. */
  readonly result: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: readonly (readonly [key: string, value: string])[];
}

/** Returns a review of a request. Its members have the order that Kubernetes sends. */
export function reviewOf(
  attributes: AdmissionAttributes,
  matched: EquivalentResource,
  { object, oldObject }: VersionedObjects,
  version: ReviewVersion,
  uid: string,
): JsonObject {
  const { dryRun, options, ...request } = admissionRequest(attributes, matched);
  const objects = { object: object ?? null, oldObject: oldObject ?? null };
  return {
    kind: ADMISSION_REVIEW,
    apiVersion: `${reviewGroup(attributes.context.dialect)}/${version}`,
    request: { uid, ...request, ...objects, dryRun: dryRun ?? false, options: options ?? null },
  };
}

/** The review that a webhook returned, and what it is expected to answer. */
interface Returned {
  readonly review: JsonObject;
  readonly hook: Pick<Hook, 'phase' | 'reviewVersion'>;
  readonly uid: string;
  /** Group of the reviews. */
  readonly group: string;
}

/**
 * Reads the review that a webhook returned, in steps: it may have many warnings and annotations.
 *
 * @throws Error for a review that does not answer the request, in the words of Kubernetes
 */
export function* verdictSteps(work: Work, { review, hook, uid, group }: Returned): Steps<Verdict> {
  const { phase, reviewVersion } = hook;
  const answer = yield* answerSteps(work, review, reviewVersion);
  if (answer === undefined) throw new Error('webhook response was absent');
  const { patch, patchType } = answer;
  if (reviewVersion === 'v1') {
    if (answer.uid !== uid) throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(answer.uid)}`);
    requireReviewType(review, { kind: ADMISSION_REVIEW, group, version: reviewVersion });
    if (phase === 'Mutating') requirePatchWithType(patch, patchType);
    else refusePatch(patch, patchType);
    return { ...answer, patchType: patchType ?? '' };
  }
  // Version v1beta1 names no type: its patches are JSON Patches. One of a validating webhook is ignored.
  return phase === 'Mutating' && patch.length > 0
    ? { ...answer, patchType: JSON_PATCH }
    : { ...answer, patch: new Uint8Array(), patchType: '' };
}

/** The patch type that webhooks may use. */
export const JSON_PATCH = 'JSONPatch';

/** A response, read but not checked against the request. */
type Answer = Omit<Verdict, 'patchType'> & { readonly uid: string; readonly patchType: string | undefined };

const RESPONSE = 'AdmissionResponse.response';

function* answerSteps(work: Work, review: JsonObject, version: ReviewVersion): Steps<Answer | undefined> {
  const answer = reviewMember(
    review,
    'response',
    'AdmissionReview.response',
    `${version}.AdmissionResponse`,
    isJsonObject,
  );
  if (answer === undefined) return undefined;
  const isFlag = (value: JsonValue | undefined): value is boolean => typeof value === 'boolean';
  return {
    uid: reviewString(answer, 'uid', `${RESPONSE}.uid`, 'types.UID'),
    allowed: reviewMember(answer, 'allowed', `${RESPONSE}.allowed`, 'bool', isFlag) ?? false,
    result: resultOf(answer, version),
    patch: patchOf(answer),
    patchType:
      answer['patchType'] === null || answer['patchType'] === undefined
        ? undefined
        : reviewString(answer, 'patchType', `${RESPONSE}.patchType`, `${version}.PatchType`),
    warnings: yield* warningSteps(work, answer),
    auditAnnotations: yield* annotationSteps(work, answer),
  };
}

function resultOf(answer: JsonObject, version: ReviewVersion): JsonObject | undefined {
  const result = reviewMember(answer, 'status', `${RESPONSE}.status`, `${version}.Status`, isJsonObject);
  if (result === undefined) return undefined;
  const code = result['code'] ?? 0;
  if (typeof code !== 'number') throw new Error(unmarshalText(code, 'Status.response.status.code', 'int32'));
  for (const name of ['status', 'message', 'reason'])
    reviewString(result, name, `Status.response.status.${name}`, name === 'reason' ? 'v1.StatusReason' : 'string');
  return result;
}

/** A patch is a byte string: base64 in JSON. */
function patchOf(answer: JsonObject): Uint8Array {
  const encoded = reviewString(answer, 'patch', `${RESPONSE}.patch`, '[]uint8');
  if (encoded === '') return new Uint8Array();
  const decoded = decodeGoBase64(encoded);
  if (typeof decoded === 'number') throw new Error(`illegal base64 data at input byte ${decoded}`);
  return decoded;
}

/** Work of reading a warning or an annotation. */
const UNITS_PER_TEXT = 4;

function* warningSteps(work: Work, answer: JsonObject): Steps<readonly string[]> {
  const field = `${RESPONSE}.warnings`;
  const warnings: string[] = [];
  for (const warning of reviewMember(answer, 'warnings', field, '[]string', isArray) ?? []) {
    if (typeof warning !== 'string') throw new Error(unmarshalText(warning, field, 'string'));
    warnings.push(warning);
    if (work.spend(UNITS_PER_TEXT)) yield;
  }
  return warnings;
}

function* annotationSteps(work: Work, answer: JsonObject): Steps<Verdict['auditAnnotations']> {
  const field = `${RESPONSE}.auditAnnotations`;
  const members = reviewMember(answer, 'auditAnnotations', field, 'map[string]string', isJsonObject) ?? {};
  const annotations: (readonly [key: string, value: string])[] = [];
  for (const key of yield* keysInSteps(members, work)) {
    const value = members[key];
    if (typeof value !== 'string') throw new Error(unmarshalText(value ?? null, field, 'string'));
    annotations.push([key, value]);
    if (work.spend(UNITS_PER_TEXT)) yield;
  }
  return annotations;
}

function requirePatchWithType({ length }: Uint8Array, patchType: string | undefined): void {
  if (length > 0 && patchType === undefined)
    throw new Error('webhook returned response.patch but not response.patchType');
  if (length === 0 && patchType !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
}

function refusePatch({ length }: Uint8Array, patchType: string | undefined): void {
  if (length > 0) throw new Error('validating webhook may not return response.patch');
  if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType');
}
