/**
 * The decoded, defaulted and validated AuthorizationConfiguration. Its source is the kind `AuthorizationConfiguration`
 * of `apiserver.config.<suffix>/v1beta1` (conventions.md, "Authorization"; KEP-3221).
 *
 * @module
 */
import type { Duration, ReviewVersion } from '../../../foundation/index.js';
import type { WebhookFailurePolicy, WebhookMatchCondition } from '../webhook/index.js';

/** Types of authorizers, in the order of messages. */
export const authorizerTypes = [
  'ABAC',
  'AlwaysAllow',
  'AlwaysDeny',
  'Node',
  'RBAC',
  'Webhook',
] as const satisfies readonly AuthorizerType[];

/** Type of an authorizer. */
export type AuthorizerType = 'ABAC' | 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC' | 'Webhook';

/**
 * Connection of a webhook, by a kubeconfig. Both types are equivalent; the contract uses the first, Kubernetes the
 * second.
 */
export interface WebhookConnectionInfo {
  readonly type: 'KubeConfig' | 'KubeConfigFile';
  /** An absolute path. */
  readonly kubeConfigFile: string;
}

/** A webhook of a configuration, with the fields of Kubernetes' files. */
export interface WebhookAuthorizerConfiguration {
  /** Lifetime of a cached Allow; 0 disables caching. Default `5m`. */
  readonly authorizedTTL?: Duration | undefined;
  /** Lifetime of any other cached decision; 0 disables caching. Default `30s`. */
  readonly unauthorizedTTL?: Duration | undefined;
  /** Timeout of an attempt; more than 0, at most `30s`. */
  readonly timeout: Duration;
  readonly subjectAccessReviewVersion: ReviewVersion;
  readonly matchConditionSubjectAccessReviewVersion: 'v1';
  readonly failurePolicy: WebhookFailurePolicy;
  readonly connectionInfo: WebhookConnectionInfo;
  /** At most 64, without duplicates. */
  readonly matchConditions?: readonly WebhookMatchCondition[] | undefined;
}

/** An authorizer of a configuration. */
export type AuthorizerConfiguration =
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookAuthorizerConfiguration }
  | { readonly type: Exclude<AuthorizerType, 'Webhook'>; readonly name: string };

/** The complete configuration: the authorizers in the order in which they decide. */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[];
}

/** A webhook before validation. */
export interface UncheckedWebhook {
  readonly authorizedTTL?: Duration | undefined;
  readonly unauthorizedTTL?: Duration | undefined;
  readonly timeout?: Duration | undefined;
  readonly subjectAccessReviewVersion?: string | undefined;
  readonly matchConditionSubjectAccessReviewVersion?: string | undefined;
  readonly failurePolicy?: string | undefined;
  readonly connectionInfo?:
    { readonly type?: string | undefined; readonly kubeConfigFile?: string | undefined } | undefined;
  readonly matchConditions?: readonly WebhookMatchCondition[] | undefined;
}

/** A configuration before `validateAuthorizationConfiguration` checks its fields. */
export interface UncheckedAuthorizationConfiguration {
  readonly authorizers: readonly {
    readonly type?: string | undefined;
    readonly name?: string | undefined;
    readonly webhook?: UncheckedWebhook | undefined;
  }[];
}
