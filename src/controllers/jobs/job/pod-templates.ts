/**
 * The pods that a Job creates.
 *
 * @module
 */
import type { ObjectMeta } from '../../../foundation/index.js';
import type { coreV1 } from '../../../kinds/index.js';
import type { PodObject } from '../../workloads/shared/kinds.js';
import type { PodChanges } from '../../workloads/shared/pod-control.js';
import { judgeFailure } from './failure-policy.js';
import { earlierFailures, ignoredFailures } from './job-pods.js';
import type { JobNames, JobObject, JobSpec } from './types.js';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
/** Maximum length of the prefix of a generated name. */
const MAX_PREFIX = 58;

/** Returns the changes of the template for a pod without an index. */
export function podChanges({ spec }: JobObject, names: JobNames): PodChanges {
  return { metadata: tracked(spec?.template.metadata, names) };
}

function tracked({ finalizers = [] }: ObjectMeta = {}, { finalizer }: JobNames): ObjectMeta {
  return { finalizers: finalizers.includes(finalizer) ? [...finalizers] : [...finalizers, finalizer] };
}

/**
 * Returns the changes of the template for the pod of an index: it has its index as annotation, label, host name and
 * environment variable.
 *
 * @param replaced the failed pod whose failures the new one counts
 */
export function indexedPodChanges(
  { metadata: { name = '' }, spec }: JobObject,
  names: JobNames,
  index: number,
  replaced: PodObject | undefined,
): PodChanges {
  const template = spec?.template;
  const { labels, annotations } = template?.metadata ?? {};
  const { completionIndex } = names;
  const suffix = `-${index}-`;
  return {
    metadata: {
      ...tracked(template?.metadata, names),
      generateName: name.slice(0, MAX_PREFIX - suffix.length) + suffix,
      labels: { ...labels, [completionIndex]: String(index) },
      annotations: {
        ...annotations,
        [completionIndex]: String(index),
        ...(spec?.backoffLimitPerIndex === undefined ? {} : failureCounts(spec, names, replaced)),
      },
    },
    spec: withIndexVariable({ containers: [], ...template?.spec, hostname: `${name}-${index}` }, completionIndex),
  };
}

function failureCounts(spec: JobSpec, names: JobNames, replaced: PodObject | undefined): Record<string, string> {
  if (replaced === undefined) return { [names.indexFailures]: '0' };
  const { counts } = judgeFailure(spec, replaced);
  const ignored = ignoredFailures(replaced, names) + (counts ? 0 : 1);
  return {
    [names.indexFailures]: String(earlierFailures(replaced, names) + (counts ? 1 : 0)),
    ...(ignored > 0 ? { [names.indexIgnoredFailures]: String(ignored) } : {}),
  };
}

function withIndexVariable(spec: coreV1.PodSpec, label: string): coreV1.PodSpec {
  const variable = { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${label}']` } } };
  const withVariable = (container: coreV1.Container): coreV1.Container => {
    const { env = [] } = container;
    if (env.some(({ name }) => name === INDEX_VARIABLE)) return container;
    return { ...container, env: [...env, variable] };
  };
  const { containers, initContainers } = spec;
  return {
    ...spec,
    containers: containers.map(withVariable),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withVariable) }),
  };
}
