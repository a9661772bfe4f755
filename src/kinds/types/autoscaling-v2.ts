// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { LabelSelector, ListMeta } from './meta-v1.js';

export type ContainerResourceMetricSource = {
  name: string;
  target: MetricTarget;
  container: string;
};

export type ContainerResourceMetricStatus = {
  name: string;
  current: MetricValueStatus;
  container: string;
};

export type CrossVersionObjectReference = {
  kind: string;
  name: string;
  apiVersion?: string | undefined;
};

export type ExternalMetricSource = {
  metric: MetricIdentifier;
  target: MetricTarget;
};

export type ExternalMetricStatus = {
  metric: MetricIdentifier;
  current: MetricValueStatus;
};

export type HPAScalingPolicy = {
  type: string;
  value: number;
  periodSeconds: number;
};

export type HPAScalingRules = {
  selectPolicy?: string | undefined;
  policies?: HPAScalingPolicy[] | undefined;
  stabilizationWindowSeconds?: number | undefined;
};

/** HorizontalPodAutoscaler of version v2 of the group autoscaling. */
export type HorizontalPodAutoscaler = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: HorizontalPodAutoscalerSpec | undefined;
  status?: HorizontalPodAutoscalerStatus | undefined;
};

export type HorizontalPodAutoscalerBehavior = {
  scaleUp?: HPAScalingRules | undefined;
  scaleDown?: HPAScalingRules | undefined;
};

export type HorizontalPodAutoscalerCondition = {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** HorizontalPodAutoscalerList of version v2 of the group autoscaling. */
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
  metrics?: MetricSpec[] | undefined;
  behavior?: HorizontalPodAutoscalerBehavior | undefined;
};

export type HorizontalPodAutoscalerStatus = {
  observedGeneration?: number | undefined;
  lastScaleTime?: string | undefined;
  currentReplicas?: number | undefined;
  desiredReplicas: number;
  currentMetrics?: MetricStatus[] | null | undefined;
  conditions?: HorizontalPodAutoscalerCondition[] | undefined;
};

export type MetricIdentifier = {
  name: string;
  selector?: LabelSelector | undefined;
};

export type MetricSpec = {
  type: string;
  object?: ObjectMetricSource | undefined;
  pods?: PodsMetricSource | undefined;
  resource?: ResourceMetricSource | undefined;
  external?: ExternalMetricSource | undefined;
  containerResource?: ContainerResourceMetricSource | undefined;
};

export type MetricStatus = {
  type: string;
  object?: ObjectMetricStatus | undefined;
  pods?: PodsMetricStatus | undefined;
  resource?: ResourceMetricStatus | undefined;
  external?: ExternalMetricStatus | undefined;
  containerResource?: ContainerResourceMetricStatus | undefined;
};

export type MetricTarget = {
  type: string;
  value?: string | undefined;
  averageValue?: string | undefined;
  averageUtilization?: number | undefined;
};

export type MetricValueStatus = {
  value?: string | undefined;
  averageValue?: string | undefined;
  averageUtilization?: number | undefined;
};

export type ObjectMetricSource = {
  describedObject: CrossVersionObjectReference;
  target: MetricTarget;
  metric: MetricIdentifier;
};

export type ObjectMetricStatus = {
  metric: MetricIdentifier;
  current: MetricValueStatus;
  describedObject: CrossVersionObjectReference;
};

export type PodsMetricSource = {
  metric: MetricIdentifier;
  target: MetricTarget;
};

export type PodsMetricStatus = {
  metric: MetricIdentifier;
  current: MetricValueStatus;
};

export type ResourceMetricSource = {
  name: string;
  target: MetricTarget;
};

export type ResourceMetricStatus = {
  name: string;
  current: MetricValueStatus;
};
