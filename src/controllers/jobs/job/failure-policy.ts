import type { batchV1, coreV1 } from '../../../kinds/index.js';
import type { PodObject } from '../../workloads/shared/kinds.js';
import type { JobSpec } from './types.js';

/** The verdict of the failure policy of a Job on a failed pod. */
export interface FailureVerdict {
  /** Action of the rule that matches; undefined without one. */
  readonly action: string | undefined;
  /** Whether the failure counts for the backoff limits. */
  readonly counts: boolean;
  /** Why the whole Job fails; undefined when it does not. */
  readonly failsJob: string | undefined;
}

const COUNTS: FailureVerdict = { action: undefined, counts: true, failsJob: undefined };

/** Applies the failure policy of a Job to a failed pod: the first rule that matches decides. */
export function judgeFailure({ podFailurePolicy }: JobSpec, pod: PodObject): FailureVerdict {
  for (const [index, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const problem = matchOf(rule, pod);
    if (problem === undefined) continue;
    const { action } = rule;
    const failsJob = action === 'FailJob' ? `${problem} matching FailJob rule at index ${index}` : undefined;
    return { action, counts: action !== 'Ignore', failsJob };
  }
  return COUNTS;
}

/** Returns what a rule matches in a pod, as the first part of a message; undefined when it does not match. */
function matchOf({ onExitCodes, onPodConditions }: batchV1.PodFailurePolicyRule, pod: PodObject): string | undefined {
  const { namespace = '', name = '' } = pod.metadata;
  if (onExitCodes !== undefined) {
    const found = failedContainer(pod, onExitCodes);
    return (
      found &&
      `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${found.state?.terminated?.exitCode}`
    );
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && pattern.status === status),
  );
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`;
}

function failedContainer(
  { status }: PodObject,
  { containerName, operator, values }: batchV1.PodFailurePolicyOnExitCodesRequirement,
): coreV1.ContainerStatus | undefined {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return statuses.find(({ name, state }) => {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
    return operator === 'In' ? values.includes(exitCode) : operator === 'NotIn' && !values.includes(exitCode);
  });
}
