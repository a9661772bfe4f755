import type { Steps } from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { appsV1, coreV1 } from '../../../types/index.js';
import { defaultPodTemplate } from '../../core/pod/template.js';

/** Share of the pods that a rollout may take down, and that it may add. */
const ROLLOUT_SHARE = '25%';
const HISTORY_LIMIT = 10;
/** Time for progress before a rollout counts as failed, in seconds. */
const PROGRESS_DEADLINE_SECONDS = 600;

function defaultStrategy(strategy: appsV1.DeploymentStrategy): void {
  strategy.type ||= 'RollingUpdate';
  if (strategy.type !== 'RollingUpdate') return;
  strategy.rollingUpdate = { ...strategy.rollingUpdate };
  strategy.rollingUpdate.maxUnavailable ??= ROLLOUT_SHARE;
  strategy.rollingUpdate.maxSurge ??= ROLLOUT_SHARE;
}

/** Sets the defaults of a Deployment. */
export function* defaultDeployment(spec: appsV1.DeploymentSpec, context: RequestContext): Steps<void> {
  spec.replicas ??= 1;
  defaultStrategy((spec.strategy ??= {}));
  spec.revisionHistoryLimit ??= HISTORY_LIMIT;
  spec.progressDeadlineSeconds ??= PROGRESS_DEADLINE_SECONDS;
  const template: coreV1.PodTemplateSpec = spec.template;
  yield* defaultPodTemplate(template, context);
}
