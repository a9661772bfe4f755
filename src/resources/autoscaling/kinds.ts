import { builtinKind } from '../builtin-kind.js';
import type { autoscalingV1, autoscalingV2 } from '../../kinds/index.js';
import { plain } from '../plain.js';

/** HorizontalPodAutoscaler of version v2. */
export const HorizontalPodAutoscaler = builtinKind<autoscalingV2.HorizontalPodAutoscaler>(
  'autoscaling.v2.HorizontalPodAutoscaler',
  { load: plain },
);

/** HorizontalPodAutoscaler of version v1. */
export const HorizontalPodAutoscalerV1 = builtinKind<autoscalingV1.HorizontalPodAutoscaler>(
  'autoscaling.v1.HorizontalPodAutoscaler',
  { load: plain, hub: HorizontalPodAutoscaler },
);
