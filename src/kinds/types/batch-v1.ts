// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ObjectReference, PodTemplateSpec } from './core-v1.js';
import type { LabelSelector, ListMeta } from './meta-v1.js';

/** CronJob of version v1 of the group batch. */
export type CronJob = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: CronJobSpec | undefined;
  status?: CronJobStatus | undefined;
};

/** CronJobList of version v1 of the group batch. */
export type CronJobList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: CronJob[];
};

export type CronJobSpec = {
  schedule: string;
  startingDeadlineSeconds?: number | undefined;
  concurrencyPolicy?: string | undefined;
  suspend?: boolean | undefined;
  jobTemplate: JobTemplateSpec;
  successfulJobsHistoryLimit?: number | undefined;
  failedJobsHistoryLimit?: number | undefined;
  timeZone?: string | undefined;
};

export type CronJobStatus = {
  active?: ObjectReference[] | undefined;
  lastScheduleTime?: string | undefined;
  lastSuccessfulTime?: string | undefined;
};

/** Job of version v1 of the group batch. */
export type Job = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: JobSpec | undefined;
  status?: JobStatus | undefined;
};

export type JobCondition = {
  type: string;
  status: string;
  lastProbeTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** JobList of version v1 of the group batch. */
export type JobList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Job[];
};

export type JobSpec = {
  parallelism?: number | undefined;
  completions?: number | undefined;
  activeDeadlineSeconds?: number | undefined;
  selector?: LabelSelector | undefined;
  manualSelector?: boolean | undefined;
  template: PodTemplateSpec;
  backoffLimit?: number | undefined;
  ttlSecondsAfterFinished?: number | undefined;
  completionMode?: string | undefined;
  suspend?: boolean | undefined;
  podFailurePolicy?: PodFailurePolicy | undefined;
  backoffLimitPerIndex?: number | undefined;
  maxFailedIndexes?: number | undefined;
  podReplacementPolicy?: string | undefined;
  managedBy?: string | undefined;
  successPolicy?: SuccessPolicy | undefined;
};

export type JobStatus = {
  conditions?: JobCondition[] | undefined;
  startTime?: string | undefined;
  completionTime?: string | undefined;
  active?: number | undefined;
  succeeded?: number | undefined;
  failed?: number | undefined;
  completedIndexes?: string | undefined;
  uncountedTerminatedPods?: UncountedTerminatedPods | undefined;
  ready?: number | undefined;
  failedIndexes?: string | undefined;
  terminating?: number | undefined;
};

export type JobTemplateSpec = {
  metadata?: ObjectMeta | undefined;
  spec?: JobSpec | undefined;
};

export type PodFailurePolicy = {
  rules: PodFailurePolicyRule[];
};

export type PodFailurePolicyOnExitCodesRequirement = {
  containerName?: string | undefined;
  operator: string;
  values: number[];
};

export type PodFailurePolicyOnPodConditionsPattern = {
  type: string;
  status: string;
};

export type PodFailurePolicyRule = {
  action: string;
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement | undefined;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[] | undefined;
};

export type SuccessPolicy = {
  rules: SuccessPolicyRule[];
};

export type SuccessPolicyRule = {
  succeededIndexes?: string | undefined;
  succeededCount?: number | undefined;
};

export type UncountedTerminatedPods = {
  succeeded?: string[] | undefined;
  failed?: string[] | undefined;
};
