import { goQuote, type WebhookPost } from '../../foundation/index.js';
import type {
  AbacPolicy,
  AccessWebhookOptions,
  AuthorizationConfiguration,
  Authorizer,
  AuthorizerType,
  FileChecks,
  WebhookConnectionInfo,
} from '../../security/index.js';
import type { FeatureGates } from '../../server/index.js';
import type { ConfigurationSource } from '../options/configuration-source.js';

/** Authorization modes, in the order of the help of Kubernetes. */
export const authorizationModes = [
  'AlwaysAllow',
  'AlwaysDeny',
  'ABAC',
  'Webhook',
  'RBAC',
  'Node',
] as const satisfies readonly AuthorizationMode[];

/** An authorization mode of `--authorization-mode`. */
export type AuthorizationMode = AuthorizerType;

/** ABAC policies: values, the content of a policy file, or its content with a path for messages. */
export type AbacPolicySource = readonly AbacPolicy[] | string | { readonly path: string; readonly text: string };

/** Authorizers by their modes. */
export interface AuthorizationByModes {
  /** Modes in order, without duplicates. */
  readonly modes: readonly AuthorizationMode[];
  /** Policies of mode `ABAC`. */
  readonly abac?: AbacPolicySource | undefined;
  /** The webhook of mode `Webhook`. */
  readonly webhook?: AccessWebhookOptions | undefined;
}

/** Authorizers by a configuration: `--authorization-config` (KEP-3221). */
export interface AuthorizationByConfiguration {
  /** A file is reloaded when it changes. */
  readonly configuration: ConfigurationSource<AuthorizationConfiguration>;
  /**
   * Connects to a webhook; called for each webhook at startup and at each reload. An error refuses the configuration.
   * Without it, webhooks are unavailable.
   */
  readonly connect?: ((connectionInfo: WebhookConnectionInfo) => WebhookPost | Promise<WebhookPost>) | undefined;
  /** Checks the files in the configuration; default: `connect` checks them. */
  readonly files?: FileChecks | undefined;
  /** Policies of an authorizer of type `ABAC`. */
  readonly abac?: AbacPolicySource | undefined;
}

/** An authorizer in place of the built-in ones. */
export interface AuthorizationByFunction {
  /** Decides about every request. */
  readonly authorizer: Authorizer;
}

/** Authorization by the built-in authorizers. */
export type BuiltinAuthorization = AuthorizationByModes | AuthorizationByConfiguration;

/** Options of authorization: modes, a configuration, or an authorizer of the program. */
export type AuthorizationOptions = AuthorizationByModes | AuthorizationByConfiguration | AuthorizationByFunction;

/** Error for mode ABAC without policies, in the words of Kubernetes. */
export const NO_POLICIES = "authorization-mode ABAC's authorization policy file not passed";

/** Returns contradictions in the options, in the order and words of Kubernetes; empty when there are none. */
export function authorizationProblems(options: BuiltinAuthorization, featureGates: FeatureGates): readonly string[] {
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
