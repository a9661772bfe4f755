import type { coreV1 } from '../types/index.js';
import type { MeasuredObject } from './evaluator.js';

type Spec = coreV1.PodSpec;

/** A container, as far as quotas measure it. */
export interface MeasuredContainer {
  readonly name: string;
  readonly resources?: Readonly<Pick<coreV1.ResourceRequirements, 'limits' | 'requests'>> | undefined;
  readonly restartPolicy?: string | undefined;
}

/** The spec of a pod, as far as quotas measure it. */
export interface MeasuredPodSpec extends Readonly<
  Pick<Spec, 'activeDeadlineSeconds' | 'affinity' | 'overhead' | 'priorityClassName'>
> {
  readonly containers?: readonly MeasuredContainer[] | null | undefined;
  readonly initContainers?: readonly MeasuredContainer[] | undefined;
}

/** A pod, as far as quotas measure it. */
export interface MeasuredPod extends MeasuredObject {
  readonly spec?: MeasuredPodSpec | undefined;
  readonly status?: Readonly<Pick<coreV1.PodStatus, 'phase' | 'qosClass'>> | undefined;
}
