// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

export type CrossVersionObjectReference = {
  kind: string;
  name: string;
  apiVersion?: string | undefined;
};

/** HorizontalPodAutoscaler of version v1 of the group autoscaling. */
export type HorizontalPodAutoscaler = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: HorizontalPodAutoscalerSpec | undefined;
  status?: HorizontalPodAutoscalerStatus | undefined;
};

/** HorizontalPodAutoscalerList of version v1 of the group autoscaling. */
export type HorizontalPodAutoscalerList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: HorizontalPodAutoscaler[];
};

export type HorizontalPodAutoscalerSpec = {
  scaleTargetRef: CrossVersionObjectReference;
  minReplicas?: number | undefined;
  maxReplicas: number;
  targetCPUUtilizationPercentage?: number | undefined;
};

export type HorizontalPodAutoscalerStatus = {
  observedGeneration?: number | undefined;
  lastScaleTime?: string | undefined;
  currentReplicas: number;
  desiredReplicas: number;
  currentCPUUtilizationPercentage?: number | undefined;
};

/** The number of instances of an object. */
export type Scale = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** The desired scale. */
  spec?: ScaleSpec | undefined;
  /** The observed scale. Read-only. */
  status?: ScaleStatus | undefined;
};

/** The desired scale. */
export type ScaleSpec = {
  /** Desired number of instances. */
  replicas?: number | undefined;
};

/** The observed scale. Read-only. */
export type ScaleStatus = {
  /** Actual number of instances. */
  replicas: number;
  /** Label selector of the counted instances, as a query. */
  selector?: string | undefined;
};
