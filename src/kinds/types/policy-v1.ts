// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { Condition, DeleteOptions, LabelSelector, ListMeta } from './meta-v1.js';

/** Eviction of version v1 of the group policy. */
export type Eviction = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  deleteOptions?: DeleteOptions | undefined;
};

/** PodDisruptionBudget of version v1 of the group policy. */
export type PodDisruptionBudget = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: PodDisruptionBudgetSpec | undefined;
  status?: PodDisruptionBudgetStatus | undefined;
};

/** PodDisruptionBudgetList of version v1 of the group policy. */
export type PodDisruptionBudgetList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: PodDisruptionBudget[];
};

export type PodDisruptionBudgetSpec = {
  minAvailable?: number | string | undefined;
  selector?: LabelSelector | undefined;
  maxUnavailable?: number | string | undefined;
  unhealthyPodEvictionPolicy?: string | undefined;
};

export type PodDisruptionBudgetStatus = {
  observedGeneration?: number | undefined;
  disruptedPods?: Record<string, string> | undefined;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  conditions?: Condition[] | undefined;
};
