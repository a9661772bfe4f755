import type { autoscalingV1, autoscalingV2 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** HorizontalPodAutoscaler of version v2. */
export const HorizontalPodAutoscaler = builtinKind<autoscalingV2.HorizontalPodAutoscaler>(
  'autoscaling.v2.HorizontalPodAutoscaler',
  { load: () => import('./horizontal-pod-autoscaler/behaviour.js').then((m) => m.horizontalPodAutoscalerBehaviour) },
);

/** An object of the kind {@link HorizontalPodAutoscaler}. */
export type HorizontalPodAutoscaler = autoscalingV2.HorizontalPodAutoscaler;

/** HorizontalPodAutoscaler of version v1. */
export const HorizontalPodAutoscalerV1 = builtinKind<autoscalingV1.HorizontalPodAutoscaler>(
  'autoscaling.v1.HorizontalPodAutoscaler',
  {
    load: () => import('./horizontal-pod-autoscaler/v1-behaviour.js').then((m) => m.horizontalPodAutoscalerV1Behaviour),
    hub: HorizontalPodAutoscaler,
  },
);

/** An object of the kind {@link HorizontalPodAutoscalerV1}. */
export type HorizontalPodAutoscalerV1 = autoscalingV1.HorizontalPodAutoscaler;
