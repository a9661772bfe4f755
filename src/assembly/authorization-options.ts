import type {
  AuthorizationConfiguration,
  AuthorizerType,
  ConfigurationFiles,
  WebhookConnectionInfo,
} from '../authz/configuration/index.js';
import type { AbacPolicy } from '../authz/index.js';
import type { WebhookAuthorizerOptions } from '../authz/webhook/index.js';
import { goQuote } from '../meta/go-text.js';
import type { WebhookPost } from '../outbound/index.js';
import type { FeatureGates } from '../server/feature-gates.js';
import type { ConfigurationSource } from './configuration-source.js';

/** Every way to decide, in the order in which production's help lists them. */
export const authorizationModes = [
  'AlwaysAllow',
  'AlwaysDeny',
  'ABAC',
  'Webhook',
  'RBAC',
  'Node',
] as const satisfies readonly AuthorizerType[];

/** A way to decide, as `--authorization-mode` names it. */
export type AuthorizationMode = (typeof authorizationModes)[number];

/** Policies of ABAC: values, the text of a policy file, or that with the file's name, which is for messages. */
export type AbacPolicySource = readonly AbacPolicy[] | string | { readonly path: string; readonly text: string };

/** Authorizers by their modes. */
export interface AuthorizationByModes {
  /** In the order in which they are asked, each once. */
  readonly modes: readonly AuthorizationMode[];
  /** What mode `ABAC` decides by. */
  readonly abac?: AbacPolicySource;
  /** Whom mode `Webhook` asks. */
  readonly webhook?: Omit<WebhookAuthorizerOptions, 'dialect' | 'clock' | 'entropy' | 'withSelectors' | 'cache'>;
}

/** Authorizers by a configuration: `--authorization-config` (KEP-3221). */
export interface AuthorizationByConfiguration {
  /** A file is read again when it changes. */
  readonly configuration: ConfigurationSource<AuthorizationConfiguration>;
  /**
   * Makes the way to a webhook; called for each of them, at the start and at each reload. What it throws refuses the
   * configuration. Without it there can be no webhooks.
   */
  readonly connect?: (connectionInfo: WebhookConnectionInfo) => WebhookPost | Promise<WebhookPost>;
  /** Looks at the files that the configuration names; without it they are left to `connect`. */
  readonly files?: ConfigurationFiles;
  /** What an authorizer of type `ABAC` decides by. */
  readonly abac?: AbacPolicySource;
}

/** Who may do what. */
export type AuthorizationOptions = AuthorizationByModes | AuthorizationByConfiguration;

/** What is said where ABAC has no policies, in production's words. */
export const NO_POLICIES = "authorization-mode ABAC's authorization policy file not passed";

/** What contradicts itself, in production's order and words; empty when nothing does. */
export function authorizationProblems(options: AuthorizationOptions, featureGates: FeatureGates): readonly string[] {
  if ('modes' in options) return modeProblems(options);
  return featureGates.enabled('StructuredAuthorizationConfiguration')
    ? []
    : ['authorization-config cannot be used without enabling StructuredAuthorizationConfiguration feature flag'];
}

function modeProblems({ modes, abac, webhook }: AuthorizationByModes): readonly string[] {
  const known: readonly string[] = authorizationModes;
  const distinct = new Set(modes);
  const problems = modes.flatMap((mode) => [
    ...(known.includes(mode) ? [] : [`authorization-mode ${goQuote(mode)} is not a valid mode`]),
    ...(mode === 'ABAC' && abac === undefined ? [NO_POLICIES] : []),
    ...(mode === 'Webhook' && webhook === undefined
      ? ["authorization-mode Webhook's authorization config file not passed"]
      : []),
  ]);
  return [
    ...(modes.length === 0 ? ['at least one authorization-mode must be passed'] : []),
    ...problems,
    ...(abac !== undefined && !distinct.has('ABAC')
      ? ['cannot specify authorization-policy-file without mode ABAC']
      : []),
    ...(webhook !== undefined && !distinct.has('Webhook')
      ? ['cannot specify authorization-webhook-config-file without mode Webhook']
      : []),
    ...(distinct.size === modes.length
      ? []
      : [`authorization-mode [${modes.map(goQuote).join(' ')}] has mode specified more than once`]),
  ];
}
