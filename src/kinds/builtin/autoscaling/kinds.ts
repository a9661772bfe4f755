import type { autoscalingV1, autoscalingV2 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** HorizontalPodAutoscaler of version v2. */
export const HorizontalPodAutoscaler = builtinKind<autoscalingV2.HorizontalPodAutoscaler>(
  'autoscaling.v2.HorizontalPodAutoscaler',
  { load: () => import('./horizontal-pod-autoscaler/behaviour.js').then((m) => m.horizontalPodAutoscalerBehaviour) },
);

/** HorizontalPodAutoscaler of version v1. */
export const HorizontalPodAutoscalerV1 = builtinKind<autoscalingV1.HorizontalPodAutoscaler>(
  'autoscaling.v1.HorizontalPodAutoscaler',
  {
    load: () => import('./horizontal-pod-autoscaler/v1-behaviour.js').then((m) => m.horizontalPodAutoscalerV1Behaviour),
    hub: HorizontalPodAutoscaler,
  },
);
