import { CATCH_ALL, EXEMPT, mandatoryPriorityLevels, type flowcontrolV1 } from '../../kinds/index.js';

type PriorityLevel = flowcontrolV1.PriorityLevelConfiguration;

/**
 * Returns whether a priority level can be in force. Validation refuses all others, so only a record that was written
 * around the API fails; Kubernetes ignores such a level too.
 */
export function isUsableLevel({ metadata, spec }: PriorityLevel): boolean {
  if (spec === undefined || (spec.type === 'Exempt') !== (metadata?.name === EXEMPT)) return false;
  if (spec.type === 'Exempt') return spec.limited === undefined;
  const { limited } = spec;
  return (
    limited !== undefined &&
    (limited.limitResponse?.type === 'Queue') === (limited.limitResponse?.queuing !== undefined)
  );
}

/**
 * Returns the priority levels that are in force: the usable ones, and the mandatory ones that are missing. These have
 * no uid, as they are not stored.
 */
export function levelsInForce(levels: readonly PriorityLevel[]): PriorityLevel[] {
  const usable = levels.filter(isUsableLevel);
  const names = new Set(usable.map(({ metadata }) => metadata?.name));
  const missing = [EXEMPT, CATCH_ALL].filter((name) => !names.has(name));
  return [...usable, ...missing.map((name) => ({ metadata: { name }, spec: mandatoryPriorityLevels.get(name) }))];
}
