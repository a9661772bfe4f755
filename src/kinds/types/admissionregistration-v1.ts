// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { Condition, LabelSelector, ListMeta } from './meta-v1.js';

export type AuditAnnotation = {
  key: string;
  valueExpression: string;
};

export type ExpressionWarning = {
  fieldRef: string;
  warning: string;
};

export type MatchCondition = {
  name: string;
  expression: string;
};

export type MatchResources = {
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
  resourceRules?: NamedRuleWithOperations[] | undefined;
  excludeResourceRules?: NamedRuleWithOperations[] | undefined;
  matchPolicy?: string | undefined;
};

export type MutatingWebhook = {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[] | undefined;
  failurePolicy?: string | undefined;
  namespaceSelector?: LabelSelector | undefined;
  sideEffects: string;
  timeoutSeconds?: number | undefined;
  admissionReviewVersions: string[];
  matchPolicy?: string | undefined;
  reinvocationPolicy?: string | undefined;
  objectSelector?: LabelSelector | undefined;
  matchConditions?: MatchCondition[] | undefined;
};

/** MutatingWebhookConfiguration of version v1 of the group admissionregistration. */
export type MutatingWebhookConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  webhooks?: MutatingWebhook[] | undefined;
};

/** MutatingWebhookConfigurationList of version v1 of the group admissionregistration. */
export type MutatingWebhookConfigurationList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: MutatingWebhookConfiguration[];
};

export type NamedRuleWithOperations = {
  resourceNames?: string[] | undefined;
  operations?: string[] | undefined;
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  resources?: string[] | undefined;
  scope?: string | undefined;
};

export type ParamKind = {
  apiVersion?: string | undefined;
  kind?: string | undefined;
};

export type ParamRef = {
  name?: string | undefined;
  namespace?: string | undefined;
  selector?: LabelSelector | undefined;
  parameterNotFoundAction?: string | undefined;
};

export type Rule = {
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  resources?: string[] | undefined;
  scope?: string | undefined;
};

export type RuleWithOperations = {
  operations?: string[] | undefined;
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  resources?: string[] | undefined;
  scope?: string | undefined;
};

export type ServiceReference = {
  namespace: string;
  name: string;
  path?: string | undefined;
  port?: number | undefined;
};

export type TypeChecking = {
  expressionWarnings?: ExpressionWarning[] | undefined;
};

/** ValidatingAdmissionPolicy of version v1 of the group admissionregistration. */
export type ValidatingAdmissionPolicy = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ValidatingAdmissionPolicySpec | undefined;
  status?: ValidatingAdmissionPolicyStatus | undefined;
};

/** ValidatingAdmissionPolicyBinding of version v1 of the group admissionregistration. */
export type ValidatingAdmissionPolicyBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ValidatingAdmissionPolicyBindingSpec | undefined;
};

/** ValidatingAdmissionPolicyBindingList of version v1 of the group admissionregistration. */
export type ValidatingAdmissionPolicyBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ValidatingAdmissionPolicyBinding[];
};

export type ValidatingAdmissionPolicyBindingSpec = {
  policyName?: string | undefined;
  paramRef?: ParamRef | undefined;
  matchResources?: MatchResources | undefined;
  validationActions?: string[] | undefined;
};

/** ValidatingAdmissionPolicyList of version v1 of the group admissionregistration. */
export type ValidatingAdmissionPolicyList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ValidatingAdmissionPolicy[];
};

export type ValidatingAdmissionPolicySpec = {
  paramKind?: ParamKind | undefined;
  matchConstraints?: MatchResources | undefined;
  validations?: Validation[] | undefined;
  failurePolicy?: string | undefined;
  auditAnnotations?: AuditAnnotation[] | undefined;
  matchConditions?: MatchCondition[] | undefined;
  variables?: Variable[] | undefined;
};

export type ValidatingAdmissionPolicyStatus = {
  observedGeneration?: number | undefined;
  typeChecking?: TypeChecking | undefined;
  conditions?: Condition[] | undefined;
};

export type ValidatingWebhook = {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[] | undefined;
  failurePolicy?: string | undefined;
  namespaceSelector?: LabelSelector | undefined;
  sideEffects: string;
  timeoutSeconds?: number | undefined;
  admissionReviewVersions: string[];
  matchPolicy?: string | undefined;
  objectSelector?: LabelSelector | undefined;
  matchConditions?: MatchCondition[] | undefined;
};

/** ValidatingWebhookConfiguration of version v1 of the group admissionregistration. */
export type ValidatingWebhookConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  webhooks?: ValidatingWebhook[] | undefined;
};

/** ValidatingWebhookConfigurationList of version v1 of the group admissionregistration. */
export type ValidatingWebhookConfigurationList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ValidatingWebhookConfiguration[];
};

export type Validation = {
  expression: string;
  message?: string | undefined;
  reason?: string | undefined;
  messageExpression?: string | undefined;
};

export type Variable = {
  name: string;
  expression: string;
};

export type WebhookClientConfig = {
  service?: ServiceReference | undefined;
  caBundle?: string | undefined;
  url?: string | undefined;
};
