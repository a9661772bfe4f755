/**
 * The validating webhooks of a request, all at the same time.
 *
 * Source: `admission/plugin/webhook/validating/dispatcher.go` of Kubernetes 1.31.
 *
 * @module
 */
import { errors, workOf } from '../../foundation/index.js';
import type { AdmissionAttributes } from '../../registry/index.js';
import type { EquivalentResource } from '../matching/equivalents.js';
import { RequestVersions, type VersionedObjects } from '../matching/versioned-objects.js';
import { annotateFailedOpen } from './annotations.js';
import { callHook, failOrPass, measuredCall } from './call.js';
import { HookRequest, type DispatchParts } from './hook-request.js';
import type { RouteHook } from './hook.js';
import { ReviewTexts } from './sent-review.js';

/** A webhook that a request calls. */
interface Invocation {
  readonly one: RouteHook;
  readonly matched: EquivalentResource;
  readonly objects: VersionedObjects;
}

/**
 * Calls the webhooks that match.
 *
 * @throws ApiError the first refusal, or the first failed call whose failure policy is Fail
 */
export async function callValidating(
  attributes: AdmissionAttributes,
  hooks: readonly RouteHook[],
  parts: DispatchParts,
): Promise<void> {
  const request = new HookRequest(attributes, parts);
  const versions = new RequestVersions(attributes, attributes.context.dialect);
  const invocations: Invocation[] = [];
  const work = workOf(attributes.context);
  for (const one of hooks) {
    if (work.spend(one.hook.match.units)) await work.next('admission');
    const found = await request.matched(one, (matched) => versions.as(matched));
    if (found !== undefined) invocations.push({ one, ...found });
  }
  if (attributes.context.signal?.aborted === true)
    throw errors.timeout('request did not complete within requested timeout');
  const failures: unknown[] = [];
  const texts = new ReviewTexts();
  await Promise.all(
    invocations.map((invocation, index) =>
      validate(invocation, index, attributes, parts, texts).catch((error: unknown) => failures.push(error)),
    ),
  );
  if (failures.length > 0) throw failures[0];
}

async function validate(
  { one, matched, objects }: Invocation,
  index: number,
  attributes: AdmissionAttributes,
  parts: DispatchParts,
  texts: ReviewTexts,
): Promise<void> {
  const { hook } = one;
  try {
    await measuredCall(hook, attributes, parts.meter, () => callHook(hook, attributes, matched, objects, texts));
  } catch (error) {
    failOrPass(hook, error, parts);
    // The position among the webhooks that the request calls, unlike for mutating webhooks, as in Kubernetes.
    annotateFailedOpen({ ...one, index }, attributes.context, 0);
  }
}
