import type { AccessReviewVersion } from '../../authz/index.js';
import type { FlagValues } from '../flags/flag.js';
import { duration, ifGiven, list, oneOf, text } from '../flags/kinds.js';

const reviewVersions: ReadonlyMap<string, AccessReviewVersion> = new Map<string, AccessReviewVersion>([
  ['v1', 'v1'],
  ['v1beta1', 'v1beta1'],
]);

/** The flags by which `serve` is told who may do what (conventions.md, "Authorization"). */
export const authorizationFlags = {
  'authorization-mode': ifGiven(
    list('MODES', ['RBAC'], 'Who decides, in order: AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node.'),
  ),
  'authorization-config': text(
    'FILE',
    '',
    'An AuthorizationConfiguration in place of the modes and of the flags of the webhook. Read again when it changes.',
  ),
  'authorization-policy-file': text('FILE', '', 'The policies of mode ABAC: one JSON object a line.'),
  'authorization-webhook-config-file': ifGiven(
    text('FILE', '', 'A kubeconfig that says which service mode Webhook asks.'),
  ),
  'authorization-webhook-version': ifGiven(
    oneOf<AccessReviewVersion>(
      'VERSION',
      reviewVersions,
      'v1beta1',
      'v1beta1',
      'The version of SubjectAccessReview that the service is sent, v1 or v1beta1.',
    ),
  ),
  'authorization-webhook-cache-authorized-ttl': ifGiven(
    duration('5m0s', 'How long an answer of that service counts that allows.'),
  ),
  'authorization-webhook-cache-unauthorized-ttl': ifGiven(duration('30s', 'How long any other answer counts.')),
};

/** What the flags came to. */
export type AuthorizationValues = FlagValues<typeof authorizationFlags>;
