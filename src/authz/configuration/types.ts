/**
 * The AuthorizationConfiguration as the server works with it: decoded, defaulted and checked. Its source is the kind
 * `AuthorizationConfiguration` of `apiserver.config.<suffix>/v1beta1` (conventions.md, "Authorization"; KEP-3221).
 *
 * @module
 */
import type { AccessReviewVersion, WebhookFailurePolicy, WebhookMatchCondition } from '../webhook/index.js';

/** Types of authorizers, in the order in which messages list them. */
export const authorizerTypes = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'] as const;

/** Type of an authorizer. */
export type AuthorizerType = (typeof authorizerTypes)[number];

/** How a webhook is reached: by a kubeconfig. Both words mean the same; the contract has the first, production the second. */
export interface WebhookConnectionInfo {
  readonly type: 'KubeConfig' | 'KubeConfigFile';
  /** An absolute path. */
  readonly kubeConfigFile: string;
}

/** A webhook of a configuration. Times are milliseconds. */
export interface WebhookAuthorizerConfiguration {
  /** `authorizedTTL`; more than 0. Default 300,000. */
  readonly authorizedTtlMs?: number;
  /** `unauthorizedTTL`; more than 0. Default 30,000. */
  readonly unauthorizedTtlMs?: number;
  /** `timeout`; more than 0, at most 30,000. */
  readonly timeoutMs: number;
  readonly subjectAccessReviewVersion: AccessReviewVersion;
  readonly matchConditionSubjectAccessReviewVersion: 'v1';
  readonly failurePolicy: WebhookFailurePolicy;
  readonly connectionInfo: WebhookConnectionInfo;
  /** At most 64, each different. */
  readonly matchConditions?: readonly WebhookMatchCondition[];
}

/** One authorizer. */
export type AuthorizerConfiguration =
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookAuthorizerConfiguration }
  | { readonly type: Exclude<AuthorizerType, 'Webhook'>; readonly name: string };

/** The whole file: the authorizers in the order in which they are asked. */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[];
}

/** A webhook as it was read. */
export interface UncheckedWebhook {
  readonly authorizedTtlMs?: number;
  readonly unauthorizedTtlMs?: number;
  readonly timeoutMs?: number;
  readonly subjectAccessReviewVersion?: string;
  readonly matchConditionSubjectAccessReviewVersion?: string;
  readonly failurePolicy?: string;
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string };
  readonly matchConditions?: readonly WebhookMatchCondition[];
}

/** A configuration as it was read: what its fields hold is checked by `validateAuthorizationConfiguration`. */
export interface UncheckedAuthorizationConfiguration {
  readonly authorizers: readonly {
    readonly type?: string;
    readonly name?: string;
    readonly webhook?: UncheckedWebhook;
  }[];
}
