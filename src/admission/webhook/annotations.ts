/**
 * The audit annotations of webhooks. Source: `admission/plugin/webhook/mutating/dispatcher.go` of Kubernetes 1.31.
 *
 * @module
 */
import {
  inSlices,
  isLargeWork,
  jsonText,
  jsonTextSteps,
  LEGACY_NAME_TEXT,
  WebhookUnreachable,
  workOf,
  type JsonValue,
} from '../../foundation/index.js';
import type { RequestContext } from '../../registry/index.js';
import type { Hook, RouteHook, WebhookPhase } from './hook.js';
import { JSON_PATCH } from './review.js';

const DOMAINS: Readonly<Record<WebhookPhase, string>> = { Mutating: 'mutation', Validating: 'validating' };

const key = (prefix: string, context: RequestContext, round: number, index: number): string =>
  `${prefix}.webhook.admission.${context.dialect.groupSuffix}/round_${round}_index_${index}`;

const NO_ALTERNATIVE_NAME = 'relies on a legacy Common Name field instead of the SAN extension for subject validation';

/** Records that a webhook has a certificate without alternative names. @param error why a call failed */
export function annotateCertificate(error: unknown, { annotate, dialect }: RequestContext): void {
  if (!(error instanceof WebhookUnreachable) || !error.message.endsWith(LEGACY_NAME_TEXT)) return;
  annotate?.(`missing-san.invalid-cert.${dialect.labelDomain}/${error.host}`, NO_ALTERNATIVE_NAME);
}

/** Records that a webhook could not be called, and that its failure policy let the request pass. */
export function annotateFailedOpen({ hook, index }: RouteHook, context: RequestContext, round: number): void {
  context.annotate?.(key(`failed-open.${DOMAINS[hook.phase]}`, context, round, index), hook.name);
}

/** Records that a mutating webhook was called, and whether it changed the object. */
export function annotateMutation(
  { hook, index }: RouteHook,
  context: RequestContext,
  round: number,
  mutated: boolean,
): void {
  context.annotate?.(key('mutation', context, round, index), JSON.stringify({ ...namesOf(hook), mutated }));
}

/** Records the patch of a mutating webhook, unless it is empty. @throws ApiError what the work throws */
export async function annotatePatch(
  { hook, index }: RouteHook,
  context: RequestContext,
  round: number,
  patch: readonly JsonValue[],
): Promise<void> {
  if (context.annotate === undefined || patch.length === 0) return;
  const value = { ...namesOf(hook), patch, patchType: JSON_PATCH };
  const work = workOf(context);
  const steps = isLargeWork(work, value) ? jsonTextSteps(value, work, (piece) => piece) : undefined;
  const text = steps === undefined ? jsonText(value) : await inSlices(work, steps, 'admission');
  context.annotate(key('patch', context, round, index), text, 'Request');
}

const namesOf = ({ configuration, name }: Hook) => ({ configuration, webhook: name });
