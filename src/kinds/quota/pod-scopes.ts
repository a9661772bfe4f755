import { qosClass } from '../builtin/core/pod/qos.js';
import type { coreV1 } from '../types/index.js';
import type { ScopeRequirement } from './evaluator.js';
import type { MeasuredPod, MeasuredPodSpec } from './measured-pod.js';

/** Returns whether a pod meets a requirement of a quota. Scopes that are not known are met by no pod. */
export function isPodInScope(pod: MeasuredPod, requirement: ScopeRequirement): boolean {
  const { spec = {} } = pod;
  switch (requirement.scopeName) {
    case 'Terminating':
      return hasDeadline(spec);
    case 'NotTerminating':
      return !hasDeadline(spec);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return hasPriorityClass(spec.priorityClassName ?? '', requirement);
    case 'CrossNamespacePodAffinity':
      return looksIntoNamespaces(spec.affinity);
    default:
      return false;
  }
}

const hasDeadline = ({ activeDeadlineSeconds: seconds }: MeasuredPodSpec): boolean =>
  seconds !== undefined && seconds >= 0;

function isBestEffort({ spec, status }: MeasuredPod): boolean {
  const known = status?.qosClass;
  if (known) return known === 'BestEffort';
  const containers = [...(spec?.containers ?? [])];
  return qosClass({ containers, initContainers: [...(spec?.initContainers ?? [])] }) === 'BestEffort';
}

function hasPriorityClass(name: string, { operator, values = [] }: ScopeRequirement): boolean {
  switch (operator) {
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    case 'In':
      return name !== '' && values.includes(name);
    case 'NotIn':
      return name === '' || !values.includes(name);
    default:
      return false;
  }
}

/** Returns whether a pod is placed by the pods of other namespaces. */
function looksIntoNamespaces(affinity: coreV1.Affinity | undefined): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((terms) => {
    const required = terms?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = terms?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return [...required, ...preferred.map(({ podAffinityTerm }) => podAffinityTerm)].some(
      ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
    );
  });
}
