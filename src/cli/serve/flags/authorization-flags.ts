import type { ReviewVersion } from '../../../foundation/index.js';
import type { FlagValues } from '../../flags/flag.js';
import { duration, ifGiven, list, oneOf, text } from '../../flags/kinds.js';

const reviewVersions: ReadonlyMap<string, ReviewVersion> = new Map<string, ReviewVersion>([
  ['v1', 'v1'],
  ['v1beta1', 'v1beta1'],
]);

/** The authorization flags of `serve` (conventions.md, "Authorization"). */
export const authorizationFlags = {
  'authorization-mode': ifGiven(
    list('MODES', ['RBAC'], 'Authorizers in order: AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node.'),
  ),
  'authorization-config': text(
    'FILE',
    '',
    'AuthorizationConfiguration file, instead of the modes and the webhook flags. Reloaded when the file changes.',
  ),
  'authorization-policy-file': text('FILE', '', 'Policies of mode ABAC: one JSON object per line.'),
  'authorization-webhook-config-file': ifGiven(text('FILE', '', 'Kubeconfig of the webhook for mode Webhook.')),
  'authorization-webhook-version': ifGiven(
    oneOf<ReviewVersion>(
      'VERSION',
      reviewVersions,
      'v1beta1',
      'v1beta1',
      'Version of SubjectAccessReview sent to the authorization webhook: v1 or v1beta1.',
    ),
  ),
  'authorization-webhook-cache-authorized-ttl': ifGiven(
    duration('5m0s', 'How long allow decisions of the authorization webhook are cached.'),
  ),
  'authorization-webhook-cache-unauthorized-ttl': ifGiven(
    duration('30s', 'How long all other decisions of the authorization webhook are cached.'),
  ),
};

/** Parsed values of the authorization flags. */
export type AuthorizationValues = FlagValues<typeof authorizationFlags>;
