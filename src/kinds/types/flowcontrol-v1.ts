// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

export type ExemptPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number | undefined;
  lendablePercent?: number | undefined;
};

export type FlowDistinguisherMethod = {
  type: string;
};

/** FlowSchema of version v1 of the group flowcontrol. */
export type FlowSchema = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: FlowSchemaSpec | undefined;
  status?: FlowSchemaStatus | undefined;
};

export type FlowSchemaCondition = {
  type?: string | undefined;
  status?: string | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** FlowSchemaList of version v1 of the group flowcontrol. */
export type FlowSchemaList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: FlowSchema[];
};

export type FlowSchemaSpec = {
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  matchingPrecedence?: number | undefined;
  distinguisherMethod?: FlowDistinguisherMethod | undefined;
  rules?: PolicyRulesWithSubjects[] | undefined;
};

export type FlowSchemaStatus = {
  conditions?: FlowSchemaCondition[] | undefined;
};

export type GroupSubject = {
  name: string;
};

export type LimitResponse = {
  type: string;
  queuing?: QueuingConfiguration | undefined;
};

export type LimitedPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number | null | undefined;
  limitResponse?: LimitResponse | undefined;
  lendablePercent?: number | undefined;
  borrowingLimitPercent?: number | undefined;
};

export type NonResourcePolicyRule = {
  verbs: string[];
  nonResourceURLs: string[];
};

export type PolicyRulesWithSubjects = {
  subjects: Subject[];
  resourceRules?: ResourcePolicyRule[] | undefined;
  nonResourceRules?: NonResourcePolicyRule[] | undefined;
};

/** PriorityLevelConfiguration of version v1 of the group flowcontrol. */
export type PriorityLevelConfiguration = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: PriorityLevelConfigurationSpec | undefined;
  status?: PriorityLevelConfigurationStatus | undefined;
};

export type PriorityLevelConfigurationCondition = {
  type?: string | undefined;
  status?: string | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** PriorityLevelConfigurationList of version v1 of the group flowcontrol. */
export type PriorityLevelConfigurationList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: PriorityLevelConfiguration[];
};

export type PriorityLevelConfigurationReference = {
  name: string;
};

export type PriorityLevelConfigurationSpec = {
  type: string;
  limited?: LimitedPriorityLevelConfiguration | undefined;
  exempt?: ExemptPriorityLevelConfiguration | undefined;
};

export type PriorityLevelConfigurationStatus = {
  conditions?: PriorityLevelConfigurationCondition[] | undefined;
};

export type QueuingConfiguration = {
  queues?: number | undefined;
  handSize?: number | undefined;
  queueLengthLimit?: number | undefined;
};

export type ResourcePolicyRule = {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  clusterScope?: boolean | undefined;
  namespaces?: string[] | null | undefined;
};

export type ServiceAccountSubject = {
  namespace: string;
  name: string;
};

export type Subject = {
  kind: string;
  user?: UserSubject | undefined;
  group?: GroupSubject | undefined;
  serviceAccount?: ServiceAccountSubject | undefined;
};

export type UserSubject = {
  name: string;
};
