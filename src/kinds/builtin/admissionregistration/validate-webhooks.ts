/**
 * Validation of webhook configurations. A rule that was added later does not apply to the update of a configuration that
 * broke it before.
 *
 * @module
 */
import {
  appendErrors,
  dnsLabel1035Errors,
  dnsSubdomainErrors,
  duplicate,
  equalJson,
  FieldErrorList,
  invalid,
  required,
  resultOf,
  workOf,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { RequestContext } from '../../../registry/index.js';
import type { admissionregistrationV1 } from '../../types/index.js';
import { between, each, fields, mandatory, oneOf, valid } from '../shared/field-rules.js';
import { webhookAddressErrors } from '../shared/network/webhook-address.js';
import { validateLabelSelector } from '../shared/selectors/validate-label-selector.js';
import { AdmissionExpressions } from './admission-expressions.js';
import { conditionsLength, lengthError } from './expression-length.js';
import { validateMatchConditions, type MatchConditionRules } from './validate-match-conditions.js';
import { failurePolicyRule, matchPolicyRule, ruleRules } from './validate-rules.js';

/** A webhook of either kind; only mutating ones have a reinvocation policy. */
export type Webhook = admissionregistrationV1.MutatingWebhook;

/** Versions of the review that the server sends. */
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const MIN_NAME_SEGMENTS = 3;

// The field is always written, so an absent value is an empty string.
const choice = (allowed: readonly string[]) => mandatory(`must specify one of ${allowed.join(', ')}`, oneOf(allowed));
const noSideEffects = choice(NO_SIDE_EFFECTS);
const sideEffects = choice(['None', 'NoneOnDryRun', 'Some', 'Unknown']);
const timeout = between(1, 30, 'the timeout value must be between 1 and 30 seconds');
const reinvocationPolicy = oneOf(['IfNeeded', 'Never']);

/** Returns the problems of a name: it has at least three parts between dots. */
function nameProblems(name: string): readonly string[] {
  const problems = dnsSubdomainErrors(name);
  if (problems.length > 0) return [problems.join(',')];
  return name.split('.').length < MIN_NAME_SEGMENTS
    ? ['should be a domain with at least three segments separated by dots']
    : [];
}

const webhookRules = fields<Webhook>({
  name: mandatory(valid(nameProblems)),
  rules: each(ruleRules),
  failurePolicy: failurePolicyRule,
  matchPolicy: matchPolicyRule,
});

/** Which of the rules apply. */
interface WebhookRules {
  readonly uniqueNames: boolean;
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly validSelectorValues: boolean;
  /** Undefined when the conditions are not checked, because none of them changes. */
  readonly conditions: MatchConditionRules | undefined;
}

/**
 * Returns the errors of the webhooks of a configuration, in steps.
 *
 * @param old the webhooks before the update; undefined for a new configuration
 */
export function* webhookErrors(
  webhooks: readonly Webhook[],
  old: readonly Webhook[] | undefined,
  context: RequestContext,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(context.work);
  const long = lengthError('webhooks', conditionsLength(webhooks), conditionsLength(old ?? []), context);
  if (long !== undefined) {
    errors.push(long);
    return errors;
  }
  const rules = yield* rulesFor(webhooks, old, context);
  const names = new Set<string>();
  for (const [index, webhook] of webhooks.entries()) {
    if (errors.spend()) yield;
    const path = `webhooks[${index}]`;
    yield* validateWebhook(errors, path, webhook, rules);
    yield* validateReviewVersions(errors, `${path}.admissionReviewVersions`, webhook.admissionReviewVersions, rules);
    if (!rules.uniqueNames || webhook.name === '') continue;
    if (names.has(webhook.name)) errors.push(duplicate(`${path}.name`, webhook.name));
    names.add(webhook.name);
  }
  return errors;
}

function* rulesFor(
  webhooks: readonly Webhook[],
  old: readonly Webhook[] | undefined,
  context: RequestContext,
): Steps<WebhookRules> {
  let compiler: AdmissionExpressions | undefined;
  const stored = new Set(
    old?.flatMap(({ matchConditions = [] }) => matchConditions.map(({ expression }) => expression)),
  );
  const unchanged =
    old?.length === webhooks.length &&
    webhooks.every(({ matchConditions }, index) => equalJson(matchConditions, old[index]?.matchConditions));
  return {
    uniqueNames: old === undefined || new Set(old.map(({ name }) => name)).size === old.length,
    noSideEffects: old?.every(({ sideEffects }) => NO_SIDE_EFFECTS.includes(sideEffects)) ?? true,
    knownReviewVersion: old?.every(hasKnownReviewVersion) ?? true,
    validSelectorValues: yield* haveValidSelectors(old ?? [], context.work),
    conditions: unchanged
      ? undefined
      : {
          compiler: () => (compiler ??= new AdmissionExpressions(context, workOf(context), false)),
          hasParams: false,
          isStored: (expression) => stored.has(expression),
        },
  };
}

const hasKnownReviewVersion = ({ admissionReviewVersions: versions }: Webhook): boolean =>
  versions.length === 0 || versions.some((version) => REVIEW_VERSIONS.includes(version));

function* haveValidSelectors(webhooks: readonly Webhook[], work: Work | undefined): Steps<boolean> {
  const errors = new FieldErrorList(work);
  for (const { namespaceSelector, objectSelector } of webhooks) {
    if (errors.spend()) yield;
    yield* validateLabelSelector(errors, '', namespaceSelector);
    yield* validateLabelSelector(errors, '', objectSelector);
  }
  return errors.length === 0;
}

function* validateWebhook(errors: FieldErrorList, path: string, webhook: Webhook, rules: WebhookRules): Steps<void> {
  const { clientConfig, matchConditions = [] } = webhook;
  const selectorRules = { allowInvalidValues: !rules.validSelectorValues };
  yield* resultOf(webhookRules(errors, path, webhook));
  const sideEffectsRule = rules.noSideEffects ? noSideEffects : sideEffects;
  sideEffectsRule(errors, `${path}.sideEffects`, webhook.sideEffects);
  timeout(errors, `${path}.timeoutSeconds`, webhook.timeoutSeconds);
  yield* validateLabelSelector(errors, `${path}.namespaceSelector`, webhook.namespaceSelector, selectorRules);
  yield* validateLabelSelector(errors, `${path}.objectSelector`, webhook.objectSelector, selectorRules);
  reinvocationPolicy(errors, `${path}.reinvocationPolicy`, webhook.reinvocationPolicy);
  appendErrors(errors, webhookAddressErrors(clientConfig, `${path}.clientConfig`));
  if (rules.conditions !== undefined)
    yield* validateMatchConditions(errors, `${path}.matchConditions`, matchConditions, rules.conditions);
}

function* validateReviewVersions(
  errors: FieldErrorList,
  path: string,
  versions: readonly string[],
  { knownReviewVersion }: WebhookRules,
): Steps<void> {
  if (versions.length === 0)
    return void errors.push(required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`));
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    const isKnown = seen.has(version);
    seen.add(version);
    if (isKnown) errors.push(invalid(at, version, 'duplicate version'));
    else for (const problem of dnsLabel1035Errors(version)) errors.push(invalid(at, version, problem));
  }
  if (knownReviewVersion && !versions.some((version) => REVIEW_VERSIONS.includes(version)))
    errors.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
}
