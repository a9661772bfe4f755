/**
 * The review that a conversion webhook gets, and the checks of the one that it returns.
 *
 * @module
 */
import {
  goQuote,
  isArray,
  isJsonObject,
  reviewVersions,
  type JsonObject,
  type JsonValue,
  type OutboundResponse,
  type ReviewVersion,
} from '../../foundation/index.js';
import { requireReviewType, reviewIn, reviewMember, reviewString, type ReviewReading } from './returned-review.js';

/** A request for a conversion. */
export interface ConversionRequest {
  /** The group of the review. */
  readonly group: string;
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly desiredApiVersion: string;
  /** The JSON texts of the objects. */
  readonly texts: readonly string[];
}

const KIND = 'ConversionReview';

/**
 * Returns the first supported version of a list.
 *
 * @throws Error when there is none
 */
export function reviewVersionOf(versions: readonly string[]): ReviewVersion {
  for (const version of versions) {
    const supported = reviewVersions.find((known) => known === version);
    if (supported !== undefined) return supported;
  }
  throw new Error('no supported conversion review versions');
}

/** Returns the text of a review, with the fields and their order as Kubernetes sends them. */
export function reviewText({ group, version, uid, desiredApiVersion, texts }: ConversionRequest): string {
  const [head, tail] = JSON.stringify({
    kind: KIND,
    apiVersion: `${group}/${version}`,
    request: { uid, desiredAPIVersion: desiredApiVersion, objects: [] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  }).split('"objects":[]');
  return `${head}"objects":[${texts.join(',')}]${tail}\n`;
}

/**
 * Returns the converted objects of a response, unchecked.
 *
 * @throws Error for a response that is not a review of the request, or that reports a failure; ApiError what the work throws
 */
export async function convertedObjects(
  response: OutboundResponse,
  { group, version, uid }: ConversionRequest,
  reading: ReviewReading,
): Promise<readonly JsonValue[]> {
  const expected = { kind: KIND, group, version };
  const review = await reviewIn(response, expected, reading);
  const answer = reviewMember(
    review,
    'response',
    'ConversionReview.response',
    `${version}.ConversionResponse`,
    isJsonObject,
  );
  const status = answer && resultOf(answer, version);
  const converted =
    (answer &&
      reviewMember(answer, 'convertedObjects', `${PATH}.convertedObjects`, '[]runtime.RawExtension', isArray)) ??
    [];
  const found = answer && reviewString(answer, 'uid', `${PATH}.uid`, 'types.UID');
  if (version === 'v1') {
    requireReviewType(review, expected);
  }
  if (answer === undefined || status === undefined) throw new Error('no response provided');
  if (version === 'v1' && found !== uid)
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(found ?? '')}`);
  if (status.status !== 'Success')
    throw new Error(
      status.message === '' ? `response.result.status was '${status.status}', not 'Success'` : status.message,
    );
  return converted;
}

const PATH = 'ConversionResponse.response';

function resultOf(answer: JsonObject, version: string): { readonly status: string; readonly message: string } {
  const result = reviewMember(answer, 'result', `${PATH}.result`, `${version}.Status`, isJsonObject) ?? {};
  return {
    status: reviewString(result, 'status', 'Status.response.result.status', 'string'),
    message: reviewString(result, 'message', 'Status.response.result.message', 'string'),
  };
}
