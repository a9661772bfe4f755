// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../meta/object.js';
import type { ListMeta } from './meta-v1.js';

export type CrossVersionObjectReference = {
  kind: string;
  name: string;
  apiVersion?: string | undefined;
};

/** HorizontalPodAutoscaler of `autoscaling/v1`. */
export type HorizontalPodAutoscaler = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: HorizontalPodAutoscalerSpec | undefined;
  status?: HorizontalPodAutoscalerStatus | undefined;
};

/** HorizontalPodAutoscalerList of `autoscaling/v1`. */
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

/** Scale of `autoscaling/v1`. */
export type Scale = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ScaleSpec | undefined;
  status?: ScaleStatus | undefined;
};

export type ScaleSpec = {
  replicas?: number | undefined;
};

export type ScaleStatus = {
  replicas: number;
  selector?: string | undefined;
};
