import { parseTime, secondsAsMs, type Dialect, type Quantity } from '../../foundation/index.js';
import { isExtendedResource, isHugePages, isNativeResource } from '../builtin/shared/resource-names.js';
import { addAmounts, countOf, readAmounts, type Amounts } from './amounts.js';
import { countName, type QuotaEvaluator } from './evaluator.js';
import type { MeasuredContainer, MeasuredPod, MeasuredPodSpec } from './measured-pod.js';
import { podLimits, podRequests } from './pod-resources.js';
import { isPodInScope } from './pod-scopes.js';

const COUNT = countName('', 'pods');
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const MEASURED: ReadonlySet<string> = new Set([
  COUNT,
  'pods',
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** Resources that every container must state when a quota limits them. */
const STATED: ReadonlySet<string> = new Set(
  ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);
const REQUESTS = 'requests.';

/** Returns the amounts of requests and limits under the names that quotas have for them. */
function named(requests: Amounts, limits: Amounts, dialect: Dialect): Map<string, Quantity> {
  const used = new Map<string, Quantity>([['pods', countOf(1)]]);
  for (const [name, amount] of requests) {
    if (COMPUTE.includes(name) || isHugePages(name)) used.set(name, amount).set(REQUESTS + name, amount);
    else if (isExtendedResource(name, dialect)) used.set(REQUESTS + name, amount);
  }
  for (const [name, amount] of limits) if (COMPUTE.includes(name)) used.set(`limits.${name}`, amount);
  return used;
}

/** Returns whether a pod has ended, or should have ended: then it uses no compute resources. */
function isOver({ metadata, status }: MeasuredPod, nowMs: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds: seconds } = metadata;
  if (deletionTimestamp === undefined || seconds === undefined) return false;
  const deletedMs = parseTime(deletionTimestamp);
  return deletedMs !== undefined && nowMs > deletedMs + secondsAsMs(seconds);
}

function usageOf(pod: MeasuredPod, nowMs: number, dialect: Dialect): Amounts {
  const used = new Map<string, Quantity>([[COUNT, countOf(1)]]);
  const { spec } = pod;
  if (spec !== undefined && !isOver(pod, nowMs)) addAmounts(used, named(podRequests(spec), podLimits(spec), dialect));
  return used;
}

function refusalOf(spec: MeasuredPodSpec, resources: readonly string[], dialect: Dialect): string | undefined {
  const required = resources.filter((name) => STATED.has(name)).sort();
  const missing = new Map<string, Set<string>>();
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const stated = statedBy(container, dialect);
    for (const name of required)
      if (!stated.has(name)) missing.set(name, (missing.get(name) ?? new Set()).add(container.name));
  }
  if (missing.size === 0) return undefined;
  const parts = [...missing].sort(([a], [b]) => (a < b ? -1 : 1));
  return `must specify ${parts.map(([name, containers]) => `${name} for: ${[...containers].sort().join(',')}`).join('; ')}`;
}

const statedBy = ({ resources }: MeasuredContainer, dialect: Dialect): Amounts =>
  named(readAmounts(resources?.requests), readAmounts(resources?.limits), dialect);

/** Returns the evaluator of pods. */
export function podEvaluator(dialect: Dialect): QuotaEvaluator<MeasuredPod> {
  return {
    group: '',
    resource: 'pods',
    measures: (name) =>
      MEASURED.has(name) ||
      isHugePages(name) ||
      name.startsWith(`${REQUESTS}hugepages-`) ||
      (name.startsWith(REQUESTS) && !isNativeResource(name, dialect)),
    isInScope: isPodInScope,
    usage: (pod, nowMs) => usageOf(pod, nowMs, dialect),
    refusal: ({ spec = {} }, resources) => refusalOf(spec, resources, dialect),
  };
}
